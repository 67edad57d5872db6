import type { Money, Quantity } from '../amount.ts'
import type { AccountId, RequestId, Ticker } from '../ids.ts'
import type { Job } from '../jobs/job.ts'
import type { Posting } from '../ledger/posting.ts'
import type { Instant } from '../time.ts'
import type { Issuer, Link, TokenizationRequest } from './request.ts'

export type TokenizationEvent =
  | IssuerRegistered
  | AccountLinked
  | MintRequested
  | MintAccepted
  | MintTransferred
  | MintConfirmed
  | MintCompleted
  | MintRejected

export type IssuerRegistered = {
  readonly kind: 'issuerRegistered'
  readonly at: Instant
  readonly accountId: AccountId
  readonly issuer: Issuer
}

export type AccountLinked = {
  readonly kind: 'accountLinked'
  readonly at: Instant
  readonly accountId: AccountId
  readonly link: Link
}

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

export type MintAccepted = OfRequest & { readonly kind: 'mintAccepted'; readonly issuerRequestId: string }

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

export type MintConfirmed = OfRequest & { readonly kind: 'mintConfirmed'; readonly job: Job }

export type MintCompleted = OfRequest & {
  readonly kind: 'mintCompleted'
  readonly txHash: string
  readonly posting: Posting
}

/** With the way back of the shares, if they had moved. */
export type MintRejected = OfRequest & {
  readonly kind: 'mintRejected'
  readonly reason: string
  readonly moved?: ShareMove
  readonly posting: Posting
}
