import type { Money, Quantity } from '../amount.ts'
import type { AccountId, Digest, KeyId, PartnerId, Ticker, UserId } from '../ids.ts'
import type { ByKind, OfKind } from '../kinds.ts'
import type { Instant } from '../time.ts'
import type { WorldSettings } from '../world.ts'
import type { Flavour, KeyOwner, Review } from './account.ts'
import type { AccountConfig } from './config.ts'

export type AccountCommand = ByKind<{
  openWorld: { readonly settings: WorldSettings }
  addPartner: { readonly name: string }
  openAccount: {
    readonly flavour: Flavour
    readonly userId?: UserId
    readonly partnerId: PartnerId
    readonly cash: Money
    /** Positions the account starts with. */
    readonly positions?: readonly NewPosition[]
    readonly client?: { readonly id: string; readonly bodyHash: string }
    /** JSON text of a record. */
    readonly details?: string
    readonly review?: Review
  }
  /** The caller creates the key id: it is random, like the secret, and it routes requests to the world. */
  issueKey: {
    readonly keyId: KeyId
    readonly owner: KeyOwner
    readonly digest: Digest
    readonly publicKey?: string
    readonly chosen?: true
    readonly expiresAt?: Instant
  }
  /** With `keepsOperator`, the last operator key is not revoked. */
  revokeKey: { readonly keyId: KeyId; readonly keepsOperator?: boolean }
  /** Sets an expiry. An earlier expiry stays unchanged. */
  limitKey: { readonly keyId: KeyId; readonly expiresAt: Instant }
  /** Fields that are not named stay unchanged. */
  changeConfig: { readonly accountId: AccountId; readonly changes: Partial<AccountConfig> }
  /** Closes a position, or a part of it, with a market order. */
  closePosition: { readonly accountId: AccountId; readonly symbol: Ticker; readonly part: ClosedPart }
}>
export type OpenAccount = OfKind<AccountCommand, 'openAccount'>
export type IssueKey = OfKind<AccountCommand, 'issueKey'>

/** A position to start with; a short is negative. Without a cost basis, its market value is used. */
export type NewPosition = {
  readonly symbol: Ticker
  readonly quantity: Quantity
  readonly costBasis?: Money
}

/** Percentages are in billionths of a percent. */
export type ClosedPart =
  | { readonly kind: 'all' }
  | { readonly kind: 'quantity'; readonly quantity: Quantity }
  | { readonly kind: 'percentage'; readonly percentage: bigint }
