import type { Money, Quantity } from '../amount.ts'
import type { AccountId, IssuerCode, RequestId, Ticker } from '../ids.ts'
import type { Instant } from '../time.ts'
import type { RequestStatus } from './moves.ts'

/** A token of a share, and the networks it lives on. */
export type Listing = {
  readonly underlying: Ticker
  readonly tokenSymbol: string
  readonly networks: readonly string[]
}

export type Issuer = {
  readonly code: IssuerCode
  readonly name: string
  /** Where the shares behind its tokens are kept; nobody trades from it. */
  readonly accountId: AccountId
  readonly mode: 'builtin'
  readonly listings: readonly Listing[]
}

/** An account that may mint with an issuer, and how the issuer knows it: by an id of its own, or by ours. */
export type Link = {
  readonly accountId: AccountId
  readonly issuer: IssuerCode
  readonly kind: 'handshake' | 'affiliated'
  readonly externalId?: string
}

/** A client's name for one logical call, with the digest of the body it came with. */
export type IdempotencyKey = { readonly key: string; readonly bodyHash: string }

export type TokenizationRequest = {
  readonly id: RequestId
  readonly kind: 'mint'
  readonly accountId: AccountId
  readonly issuer: IssuerCode
  readonly network: string
  readonly underlying: Ticker
  readonly tokenSymbol: string
  readonly quantity: Quantity
  /** As the client wrote it, which is how it is told back. */
  readonly quantityText: string
  readonly wallet: string
  /** The client's label; need not be unique. */
  readonly label?: string
  readonly idempotency?: IdempotencyKey
  readonly status: RequestStatus
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly issuerRequestId?: string
  /** What had been paid for the shares that moved; it goes with them, and comes back with them. */
  readonly movedCost?: Money
  readonly txHash?: string
  /** Why it was rejected, in the issuer's words. */
  readonly reason?: string
}

export const linkKey = (accountId: AccountId, issuer: string): string => `${accountId}/${issuer}`
export const idempotencyName = (accountId: AccountId, key: string): string => `${accountId}/mint/${key}`

export const listingOf = (issuer: Issuer, underlying: Ticker, network: string): Listing | undefined =>
  issuer.listings.find((listing) => listing.underlying === underlying && listing.networks.includes(network))
