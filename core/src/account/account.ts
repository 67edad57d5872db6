import type { Money, Quantity } from '../amount.ts'
import type { AccountId, Digest, IssuerCode, KeyId, PartnerId, PersonId, Ticker } from '../ids.ts'
import type { CivilDate, Instant } from '../time.ts'
import type { AccountConfig } from './config.ts'

/** Live and paper are flavours of an account and its keys; the rules are the same. */
export type Flavour = 'paper' | 'live'

export type Account = {
  readonly id: AccountId
  readonly number: string
  readonly flavour: Flavour
  readonly personId?: PersonId
  readonly partnerId: PartnerId
  readonly createdAt: Instant
  /** Whose tokens its shares stand behind; such an account does not trade. */
  readonly issuer?: IssuerCode
  /** How many events this account has had, counted in place. Ids are made from it, and it has no gaps. */
  events: number
  /** The journal number of the last of them: what a history query waits for. */
  lastSeq: number
  /** Equity at the last regular close, and the day of it. */
  readonly lastEquity: Money
  readonly lastMaintenanceMargin: Money
  readonly balanceDate: CivilDate
  /** Money that came in or went out since the close of that day; of an older one it counts no more. */
  readonly adjusted?: { readonly since: CivilDate; readonly amount: Money }
  /** What its partner calls it, and a digest of what it was asked for with: the same again is the same account. */
  readonly client?: { readonly id: string; readonly bodyHash: string }
  /** What its partner told of it, as JSON text: kept and told again, and otherwise of no meaning here. */
  readonly details?: string
  /** From here on nothing moves in it. */
  readonly closedAt?: Instant
  /** What it is forbidden; absent: nothing. */
  readonly blocks?: AccountBlocks
  /** It is not open for business; absent: it is. */
  readonly review?: Review
  /** What its owner has chosen; absent: nothing yet. */
  readonly config?: AccountConfig
}

/** Where the application for an account is, as its partner wants to rehearse it. */
export type Review = 'submitted' | 'actionRequired' | 'approved' | 'rejected'

/** What an account may be forbidden: to place orders, to move money or shares, or all of that. */
export type BlockKind = 'trading' | 'transfers' | 'account'
export type Block = { readonly since: Instant; readonly reason?: string }
export type AccountBlocks = { readonly [Kind in BlockKind]?: Block }

/**
 * Shares of one symbol with what was paid for them; a short has a negative quantity and, as its cost, the negative of
 * what it brought. The ledger holds the same quantity; a test says so. `costBasis` is that of the day of the last change:
 * `onDay` gives the one of a later day.
 */
export type Position = {
  readonly symbol: Ticker
  readonly quantity: Quantity
  readonly costBasis: Money
  /** What of it came on that day. On a later one it counts no more: all was then held overnight. */
  readonly today?: { readonly day: CivilDate; readonly quantity: Quantity; readonly cost: Money }
  /** Absent where all of it is one lot. */
  readonly lots?: Lots
}

/** Shares that were bought on one day, with their cost; both negative for a short. */
export type Lot = { readonly quantity: Quantity; readonly cost: Money }

/**
 * What the cost of a position on the next day follows from. Absent where all of it is one lot. Quantities have the
 * sign of the position: of a short, `bought` is what was sold short and `sold` what was covered.
 */
export type Lots = {
  readonly day: CivilDate
  /** Of earlier days, oldest first. */
  readonly held: readonly Lot[]
  /** Of that day, all trades together. */
  readonly bought: Quantity
  readonly cost: Money
  readonly sold: Quantity
}

/** What settles on one day: the net of that day's fills. A sum that `apply` adds to in place. */
export type Unsettled = { cash: Money; readonly shares: Map<Ticker, Quantity> }

/** Sums over open orders and mint requests, added to in place. Never a posting. */
export type Holds = { money: Money; readonly shares: Map<Ticker, Quantity> }

export type Partner = {
  readonly id: PartnerId
  readonly name: string
  readonly createdAt: Instant
  /** The journal number of the last movement between its accounts: what a list of them waits for. */
  readonly lastSeq?: number
}

/** Whom a key speaks for. An operator may steer every world; a partner acts in the one it belongs to. */
export type KeyOwner =
  | { readonly kind: 'account'; readonly accountId: AccountId }
  | { readonly kind: 'partner'; readonly partnerId: PartnerId; readonly operator: boolean }

export type Key = {
  readonly id: KeyId
  readonly owner: KeyOwner
  readonly digest: Digest
  /** A JSON Web Key: its owner signs with the private half instead of sending a secret. */
  readonly publicKey?: string
  /** A person chose its secret, so guessing it may succeed. */
  readonly chosen?: true
  readonly createdAt: Instant
  /** When it ends by itself, by the world's clock. */
  readonly expiresAt?: Instant
}
