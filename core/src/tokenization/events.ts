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
  | SigningKeyKept
  | ListingsChanged
  | TokensRestated
  | CustodyNamed
  | LinkAsked
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
  | RejectionTold
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
  /** The calls of mints that wait, where a built-in issuer takes over from one outside. */
  readonly jobs?: readonly Job[]
  readonly sealed?: { readonly apiKey: string }
}

export type BehaviourSet = {
  readonly kind: 'behaviourSet'
  readonly at: Instant
  readonly issuer: IssuerCode
  readonly behaviour: Behaviour
}

export type SigningKeyKept = {
  readonly kind: 'signingKeyKept'
  readonly at: Instant
  readonly sealed: { readonly keyId: string; readonly publicKey: string; readonly privateKey: string }
}

/** By a split or a change of symbol. */
export type ListingsChanged = {
  readonly kind: 'listingsChanged'
  readonly at: Instant
  readonly issuer: IssuerCode
  readonly listings: readonly Listing[]
  readonly renamed?: { readonly from: Ticker; readonly to: Ticker }
}

/** The tokens of an external issuer after a split, which are counted in shares; `tokens` has those of pending mints. */
export type TokensRestated = {
  readonly kind: 'tokensRestated'
  readonly at: Instant
  readonly issuer: IssuerCode
  readonly underlying: Ticker
  readonly tokens: ReadonlyMap<RequestId, Quantity>
  readonly posting: Posting
}

/** The issuer has said which of its accounts keeps the shares of a symbol. */
export type CustodyNamed = {
  readonly kind: 'custodyNamed'
  readonly at: Instant
  readonly accountId: AccountId
  readonly issuer: IssuerCode
  readonly underlying: Ticker
  readonly until: Instant
}

type OfLink = { readonly at: Instant; readonly accountId: AccountId }

export type LinkAsked = OfLink & { readonly kind: 'linkAsked'; readonly link: Link; readonly job: Job }
export type AccountLinked = OfLink & { readonly kind: 'accountLinked'; readonly link: Link }
export type LinkRefused = OfLink & { readonly kind: 'linkRefused'; readonly link: Link }
export type AccountUnlinked = OfLink & { readonly kind: 'accountUnlinked'; readonly issuer: IssuerCode }

type OfRequest = { readonly at: Instant; readonly accountId: AccountId; readonly requestId: RequestId }

/** The request as made, with the numbers it was decided with, and the call it asks for. */
export type MintRequested = {
  readonly kind: 'mintRequested'
  readonly at: Instant
  readonly accountId: AccountId
  readonly request: TokenizationRequest
  readonly decidedWith: { readonly position: Quantity; readonly available: Quantity }
  readonly job: Job
}

/** Where the issuer has to name an account first, with the call that asks for it. */
export type MintAccepted = OfRequest & {
  readonly kind: 'mintAccepted'
  readonly issuerRequestId: string
  readonly job?: Job
}

/** Shares on their way between an account and an issuer's, with what was paid for them. */
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

/** The built-in issuer mints by a call of ours; another calls back. */
export type MintConfirmed = OfRequest & { readonly kind: 'mintConfirmed'; readonly job?: Job }

export type MintCompleted = OfRequest & {
  readonly kind: 'mintCompleted'
  readonly txHash: string
  readonly posting: Posting
}

/** With the way back of the shares, if they had moved, and the call that tells an issuer who knows of it. */
export type MintRejected = OfRequest & {
  readonly kind: 'mintRejected'
  readonly reason: string
  readonly moved?: ShareMove
  readonly posting: Posting
  readonly job?: Job
}

export type RejectionTold = OfRequest & {
  readonly kind: 'rejectionTold'
  /** Present where the issuer never heard it: what went wrong last. */
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
