import type { Money, Price } from '../amount.ts'
import type { IdempotencyKey } from '../idempotency.ts'
import type { AccountId, Digest, KeyId, PartnerId, Ticker, UserId } from '../ids.ts'
import type { Posting } from '../ledger/posting.ts'
import type { MarginTerms } from '../market/asset.ts'
import type { CivilDate, Instant } from '../time.ts'
import type { WorldSettings } from '../world.ts'
import type { Flavour, KeyOwner, Position, Review } from './account.ts'
import type { ConfigChanged } from './change-config.ts'
import type { RegulatoryFees } from './fees.ts'

export type AccountEvent =
  | WorldOpened
  | PartnerAdded
  | AccountOpened
  | KeyIssued
  | KeyRevoked
  | KeyLimited
  | ConfigChanged
  | DayClosed
  | FeesBooked
  | AccountSettled

/** The first event of every journal. */
export type WorldOpened = {
  readonly kind: 'worldOpened'
  readonly at: Instant
  readonly settings: WorldSettings
}

export type PartnerAdded = {
  readonly kind: 'partnerAdded'
  readonly at: Instant
  readonly partnerId: PartnerId
  readonly name: string
}

export type AccountOpened = {
  readonly kind: 'accountOpened'
  readonly at: Instant
  readonly accountId: AccountId
  readonly number: string
  readonly flavour: Flavour
  readonly personId?: UserId
  readonly partnerId: PartnerId
  readonly cash: Money
  readonly date: CivilDate
  /** Starting positions, and equity with them; absent if the account starts with cash only. */
  readonly positions?: readonly Position[]
  readonly equity?: Money
  readonly client?: { readonly id: string; readonly bodyHash: string }
  readonly idempotency?: IdempotencyKey
  readonly details?: string
  readonly review?: Review
  readonly posting: Posting
}

export type KeyIssued = {
  readonly kind: 'keyIssued'
  readonly at: Instant
  readonly accountId?: AccountId
  readonly owner: KeyOwner
  readonly publicKey?: string
  readonly expiresAt?: Instant
  readonly sealed: { readonly keyId: KeyId; readonly digest: Digest; readonly chosen?: true }
}

export type KeyRevoked = {
  readonly kind: 'keyRevoked'
  readonly at: Instant
  readonly accountId?: AccountId
  /** The key expired; absent if somebody revoked it. */
  readonly expired?: true
  readonly sealed: { readonly keyId: KeyId }
}

export type KeyLimited = {
  readonly kind: 'keyLimited'
  readonly at: Instant
  readonly accountId?: AccountId
  readonly expiresAt: Instant
  readonly sealed: { readonly keyId: KeyId }
}

/** A regular close, with the prices that mark every position. */
export type DayClosed = {
  readonly kind: 'dayClosed'
  readonly at: Instant
  readonly date: CivilDate
  readonly marks: ReadonlyMap<Ticker, Price>
  /** Margin terms of the symbols that differ from the built-in list. */
  readonly terms?: ReadonlyMap<Ticker, MarginTerms>
}

/** Regulatory fees since the previous close, each sum rounded up to whole cents. */
export type FeesBooked = {
  readonly kind: 'feesBooked'
  readonly at: Instant
  readonly accountId: AccountId
  readonly date: CivilDate
  readonly fees: RegulatoryFees
  readonly posting: Posting
}

/** One posting per account and day: the day's unsettled amounts become settled. */
export type AccountSettled = {
  readonly kind: 'accountSettled'
  readonly at: Instant
  readonly accountId: AccountId
  readonly date: CivilDate
  readonly posting: Posting
}
