import type { Money, Quantity } from '../amount.ts'
import type { Digest, KeyId, PartnerId, PersonId, Ticker } from '../ids.ts'
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
  readonly personId?: PersonId
  readonly partnerId: PartnerId
  readonly cash: Money
  /** Held from the start. */
  readonly positions?: readonly GivenPosition[]
  readonly client?: { readonly id: string; readonly bodyHash: string }
  /** JSON text of a record. */
  readonly details?: string
  readonly review?: Review
}

/** Shares as someone brings them; a short is negative. Without a cost they are booked at what they are worth. */
export type GivenPosition = {
  readonly symbol: Ticker
  readonly quantity: Quantity
  readonly costBasis?: Money
}

/** A key's id routes to its world, so it is random like its secret, and made outside. */
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

/** Gives a key an end. A key that ends earlier keeps its own. */
export type LimitKey = { readonly kind: 'limitKey'; readonly keyId: KeyId; readonly expiresAt: Instant }
