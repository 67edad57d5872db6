import type { Money, Quantity } from '../amount.ts'
import type { Digest, KeyId, PartnerId, Ticker, UserId } from '../ids.ts'
import type { Instant } from '../time.ts'
import type { WorldSettings } from '../world.ts'
import type { Flavour, KeyOwner, Review } from './account.ts'
import type { ChangeConfig } from './change-config.ts'
import type { ClosePosition } from './close.ts'
import type { Keyed } from './partner/movements.ts'

export type AccountCommand =
  | OpenWorld
  | AddPartner
  | OpenAccount
  | IssueKey
  | RevokeKey
  | LimitKey
  | ChangeConfig
  | ClosePosition

export type OpenWorld = { readonly kind: 'openWorld'; readonly settings: WorldSettings }

export type AddPartner = { readonly kind: 'addPartner'; readonly name: string }

export type OpenAccount = Keyed & {
  readonly kind: 'openAccount'
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

/** A position to start with; a short is negative. Without a cost basis, its market value is used. */
export type NewPosition = {
  readonly symbol: Ticker
  readonly quantity: Quantity
  readonly costBasis?: Money
}

/** The caller creates the key id: it is random, like the secret, and it routes requests to the world. */
export type IssueKey = {
  readonly kind: 'issueKey'
  readonly keyId: KeyId
  readonly owner: KeyOwner
  readonly digest: Digest
  readonly publicKey?: string
  readonly chosen?: true
  readonly expiresAt?: Instant
}

export type RevokeKey = { readonly kind: 'revokeKey'; readonly keyId: KeyId }

/** Sets an expiry. An earlier expiry stays unchanged. */
export type LimitKey = { readonly kind: 'limitKey'; readonly keyId: KeyId; readonly expiresAt: Instant }
