import type { Money, Quantity } from '../amount.ts'
import type { AccountId, IssuerCode, RequestId, Ticker } from '../ids.ts'
import type { Job } from '../jobs/job.ts'
import type { Posting } from '../ledger/posting.ts'
import type { Instant } from '../time.ts'
import type { Behaviour, Issuer, Link, Listing, TokenizationRequest } from './request.ts'

export type TokenizationEvent = IssuerEvent | RequestEvent

export type IssuerEvent =
  | IssuerRegistered
  | BehaviourSet
  | SigningKeyStored
  | ListingsChanged
  | TokensRestated
  | CustodyAccountSet
  | LinkRequested
  | AccountLinked
  | LinkRefused
  | AccountUnlinked

export type RequestEvent =
  | MintRequested
  | MintAccepted
  | MintTransferred
  | MintConfirmed
  | MintCompleted
  | MintRejected
  | RejectionReported
  | RedeemRequested
  | RedeemCompleted
  | RedeemRejected
  | RequestHeld
  | RequestReleased

export type IssuerRegistered = {
  readonly kind: 'issuerRegistered'
  readonly at: Instant
  readonly accountId: AccountId
  readonly issuer: Issuer
  /** Jobs of pending mints, if an external issuer becomes built-in. */
  readonly jobs?: readonly Job[]
  readonly sealed?: { readonly apiKey: string }
}

export type BehaviourSet = {
  readonly kind: 'behaviourSet'
  readonly at: Instant
  readonly issuer: IssuerCode
  readonly behaviour: Behaviour
}

export type SigningKeyStored = {
  readonly kind: 'signingKeyStored'
  readonly at: Instant
  readonly sealed: { readonly keyId: string; readonly publicKey: string; readonly privateKey: string }
}

/** Caused by a split or a symbol change. */
export type ListingsChanged = {
  readonly kind: 'listingsChanged'
  readonly at: Instant
  readonly issuer: IssuerCode
  readonly listings: readonly Listing[]
  readonly renamed?: { readonly from: Ticker; readonly to: Ticker }
}

/** Restated tokens of an external issuer after a split; `tokens` lists those of pending mints. */
export type TokensRestated = {
  readonly kind: 'tokensRestated'
  readonly at: Instant
  readonly issuer: IssuerCode
  readonly underlying: Ticker
  readonly tokens: ReadonlyMap<RequestId, Quantity>
  readonly posting: Posting
}

/** The issuer has named the custody account of a symbol. */
export type CustodyAccountSet = {
  readonly kind: 'custodyAccountSet'
  readonly at: Instant
  readonly accountId: AccountId
  readonly issuer: IssuerCode
  readonly underlying: Ticker
  readonly until: Instant
}

type OfLink = { readonly at: Instant; readonly accountId: AccountId }

export type LinkRequested = OfLink & {
  readonly kind: 'linkRequested'
  readonly link: Link
  readonly job: Job
}
export type AccountLinked = OfLink & { readonly kind: 'accountLinked'; readonly link: Link }
export type LinkRefused = OfLink & { readonly kind: 'linkRefused'; readonly link: Link }
export type AccountUnlinked = OfLink & { readonly kind: 'accountUnlinked'; readonly issuer: IssuerCode }

type OfRequest = { readonly at: Instant; readonly accountId: AccountId; readonly requestId: RequestId }

/** The request as created, the values it was decided with, and its first job. */
export type MintRequested = {
  readonly kind: 'mintRequested'
  readonly at: Instant
  readonly accountId: AccountId
  readonly request: TokenizationRequest
  readonly decidedWith: { readonly position: Quantity; readonly available: Quantity }
  readonly job: Job
}

/** `job` is set if the issuer must name a custody account first. */
export type MintAccepted = OfRequest & {
  readonly kind: 'mintAccepted'
  readonly issuerRequestId: string
  readonly job?: Job
}

/** Shares that move between a participant and a custody account, with their cost. */
export type ShareMove = {
  readonly symbol: Ticker
  readonly quantity: Quantity
  readonly cost: Money
  readonly from: AccountId
  readonly to: AccountId
}

export type MintTransferred = OfRequest & {
  readonly kind: 'mintTransferred'
  readonly moved: ShareMove
  readonly posting: Posting
  readonly job: Job
}

/** `job` is set for the built-in issuer; an external issuer calls back. */
export type MintConfirmed = OfRequest & { readonly kind: 'mintConfirmed'; readonly job?: Job }

export type MintCompleted = OfRequest & {
  readonly kind: 'mintCompleted'
  readonly txHash: string
  readonly posting: Posting
}

/** `moved` returns shares that had moved; `job` notifies the issuer. */
export type MintRejected = OfRequest & {
  readonly kind: 'mintRejected'
  readonly reason: string
  readonly moved?: ShareMove
  readonly posting: Posting
  readonly job?: Job
}

export type RejectionReported = OfRequest & {
  readonly kind: 'rejectionReported'
  /** The last error, if the issuer could not be notified. */
  readonly problem?: string
}

export type RedeemRequested = {
  readonly kind: 'redeemRequested'
  readonly at: Instant
  readonly accountId: AccountId
  readonly request: TokenizationRequest
  readonly decidedWith: { readonly custody: Quantity; readonly available: Quantity }
}

export type RedeemCompleted = OfRequest & {
  readonly kind: 'redeemCompleted'
  readonly moved: ShareMove
  readonly posting: Posting
}

export type RedeemRejected = OfRequest & { readonly kind: 'redeemRejected'; readonly reason: string }

export type RequestHeld = OfRequest & { readonly kind: 'requestHeld' }
export type RequestReleased = OfRequest & { readonly kind: 'requestReleased' }
