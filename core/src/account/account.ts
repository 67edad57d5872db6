import type { Money, Quantity } from '../amount.ts'
import type { CivilDate } from '../civil-date.ts'
import type { AccountId, Digest, IssuerCode, KeyId, PartnerId, Ticker, UserId } from '../ids.ts'
import { amount, boolean, date, id, list, oneOf, optional, record, union, type ValueOf } from '../schema.ts'
import type { Instant } from '../time.ts'
import type { AccountConfig } from './config.ts'

/** Paper and live accounts follow the same rules. */
export const flavourSchema = oneOf('paper', 'live')
export type Flavour = ValueOf<typeof flavourSchema>

export type Account = {
  readonly id: AccountId
  readonly number: string
  readonly flavour: Flavour
  readonly userId?: UserId
  readonly partnerId: PartnerId
  readonly createdAt: Instant
  /** Set on the custody account of a token issuer; such an account does not trade. */
  readonly issuer?: IssuerCode
  /** Number of events of this account, without gaps. Ids are derived from it. Updated in place. */
  events: number
  /** Journal sequence number of the account's last event. History queries wait for it. */
  lastSeq: number
  /** Equity at the last regular close, which was on `balanceDate`. */
  readonly lastEquity: Money
  readonly lastMaintenanceMargin: Money
  readonly balanceDate: CivilDate
  /** Net deposits since the close of that day. Ignored once a later day has closed. */
  readonly adjusted?: { readonly since: CivilDate; readonly amount: Money }
  /** The partner's own id, and a digest of the request body: repeating the request returns this account. */
  readonly client?: { readonly id: string; readonly bodyHash: string }
  /** The partner's own data about the account, as JSON text. Stored and returned unchanged. */
  readonly details?: string
  /** Set when the account is closed; nothing changes in it afterwards. */
  readonly closedAt?: Instant
  /** Absent: no blocks. */
  readonly blocks?: AccountBlocks
  /** Set while the account is not approved for trading. */
  readonly review?: Review
  /** Settings of the owner; absent: defaults. */
  readonly config?: AccountConfig
}

/** Status of the account application; partners set it to test their onboarding. */
export const reviewSchema = oneOf('submitted', 'actionRequired', 'approved', 'rejected')
export type Review = ValueOf<typeof reviewSchema>

/** Kinds of blocks: orders, transfers of money or shares, or both. */
export const blockKindSchema = oneOf('trading', 'transfers', 'account')
export type BlockKind = ValueOf<typeof blockKindSchema>
export type Block = { readonly since: Instant; readonly reason?: string }
export type AccountBlocks = { readonly [Kind in BlockKind]?: Block }

/** Shares that were bought on one day, with their cost; both negative for a short. */
const lotSchema = record({ quantity: amount<Quantity>(), cost: amount<Money>() })
export type Lot = ValueOf<typeof lotSchema>

/**
 * Tax lots, from which the next day's cost basis follows. Absent if the position is a single lot. Quantities
 * have the sign of the position: for a short, `bought` is the quantity sold short and `sold` the quantity
 * covered.
 */
const lotsSchema = record({
  day: date<CivilDate>(),
  /** Lots of earlier days, oldest first. */
  held: list(lotSchema),
  /** All trades of that day. */
  bought: amount<Quantity>(),
  cost: amount<Money>(),
  sold: amount<Quantity>(),
})
export type Lots = ValueOf<typeof lotsSchema>

/**
 * Shares of one symbol and their cost. A short has a negative quantity and, as its cost, the negative
 * proceeds. The ledger holds the same quantity (checked by the audit). `costBasis` is valid on the day of the
 * last change; `onDay` calculates it for a later day.
 */
export const positionSchema = record({
  symbol: id<Ticker>(),
  quantity: amount<Quantity>(),
  costBasis: amount<Money>(),
  /**
   * The part opened on that day. On a later day it is ignored, because the whole position was held overnight.
   */
  today: optional(record({ day: date<CivilDate>(), quantity: amount<Quantity>(), cost: amount<Money>() })),
  /** Absent if the position is a single lot. */
  lots: optional(lotsSchema),
})
export type Position = ValueOf<typeof positionSchema>

/** Net amounts of one day's fills that settle together. `apply` adds to them in place. */
export type Unsettled = { cash: Money; readonly shares: Map<Ticker, Quantity> }

/** Sums over open orders and mint requests, updated in place. Holds are never ledger postings. */
export type Holds = { money: Money; readonly shares: Map<Ticker, Quantity> }

export type Partner = {
  readonly id: PartnerId
  readonly name: string
  readonly createdAt: Instant
  /** The external issuer that the partner was created for. It stays when the issuer becomes built-in, and after a reset. */
  readonly issuer?: IssuerCode
  /**
   * Journal sequence number of the last transfer or book transfer between its accounts. Lists of movements wait for
   * it.
   */
  readonly lastSeq?: number
}

/**
 * The owner of an API key. An operator controls every world, an auditor reads every world and changes nothing, and a
 * partner acts only in its own world.
 */
export const keyOwnerSchema = union('kind', {
  account: { accountId: id<AccountId>() },
  partner: { partnerId: id<PartnerId>(), operator: boolean() },
  auditor: { partnerId: id<PartnerId>() },
})
export type KeyOwner = ValueOf<typeof keyOwnerSchema>

export type Key = {
  readonly id: KeyId
  readonly owner: KeyOwner
  readonly digest: Digest
  /** A JSON Web Key: the owner signs with the private key instead of sending a secret. */
  readonly publicKey?: string
  /** A person chose the secret, so it may be guessable. */
  readonly chosen?: true
  readonly createdAt: Instant
  /** Expiry by the world's clock. */
  readonly expiresAt?: Instant
}
