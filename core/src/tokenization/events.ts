import type { Money, Quantity } from '../amount.ts'
import type { AccountId, IssuerCode, RequestId, Ticker } from '../ids.ts'
import { jobSchema } from '../jobs/job.ts'
import { postingSchema } from '../ledger/posting.ts'
import { amount, event, id, instant, list, map, optional, record, text, type ValueOf } from '../schema.ts'
import type { Instant } from '../time.ts'
import { behaviourSchema, issuerSchema, linkSchema, listingSchema, requestSchema } from './request.ts'

const issuerRegistered = event('issuerRegistered', {
  at: instant<Instant>(),
  accountId: id<AccountId>(),
  issuer: issuerSchema,
  /** Jobs of pending mints, if an external issuer becomes built-in. */
  jobs: optional(list(jobSchema)),
  sealed: optional(record({ apiKey: text() })),
})
export type IssuerRegistered = ValueOf<typeof issuerRegistered>

const ofIssuer = { at: instant<Instant>(), issuer: id<IssuerCode>() }

const behaviourSet = event('behaviourSet', { ...ofIssuer, behaviour: behaviourSchema })
export type BehaviourSet = ValueOf<typeof behaviourSet>

const signingKeyStored = event('signingKeyStored', {
  at: instant<Instant>(),
  sealed: record({ keyId: id(), publicKey: text(), privateKey: text() }),
})
export type SigningKeyStored = ValueOf<typeof signingKeyStored>

/** Caused by a split or a symbol change. */
const listingsChanged = event('listingsChanged', {
  ...ofIssuer,
  listings: list(listingSchema),
  renamed: optional(record({ from: id<Ticker>(), to: id<Ticker>() })),
})
export type ListingsChanged = ValueOf<typeof listingsChanged>

/** Restated tokens of an external issuer after a split; `tokens` lists those of pending mints. */
const tokensRestated = event('tokensRestated', {
  ...ofIssuer,
  underlying: id<Ticker>(),
  tokens: map(id<RequestId>(), amount<Quantity>()),
  posting: postingSchema,
})
export type TokensRestated = ValueOf<typeof tokensRestated>

const ofAccount = { at: instant<Instant>(), accountId: id<AccountId>() }

/** The issuer has named the custody account of a symbol. */
const custodyAccountSet = event('custodyAccountSet', {
  ...ofAccount,
  issuer: id<IssuerCode>(),
  underlying: id<Ticker>(),
  until: instant<Instant>(),
})
export type CustodyAccountSet = ValueOf<typeof custodyAccountSet>

const linkRequested = event('linkRequested', { ...ofAccount, link: linkSchema, job: jobSchema })
export type LinkRequested = ValueOf<typeof linkRequested>

const accountLinked = event('accountLinked', { ...ofAccount, link: linkSchema })
export type AccountLinked = ValueOf<typeof accountLinked>

const linkRefused = event('linkRefused', { ...ofAccount, link: linkSchema })
export type LinkRefused = ValueOf<typeof linkRefused>

const accountUnlinked = event('accountUnlinked', { ...ofAccount, issuer: id<IssuerCode>() })
export type AccountUnlinked = ValueOf<typeof accountUnlinked>

export const issuerEvents = [
  issuerRegistered,
  behaviourSet,
  signingKeyStored,
  listingsChanged,
  tokensRestated,
  custodyAccountSet,
  linkRequested,
  accountLinked,
  linkRefused,
  accountUnlinked,
] as const
export type IssuerEvent = ValueOf<(typeof issuerEvents)[number]>

/** The request as created, the values it was decided with, and its first job. */
const mintRequested = event('mintRequested', {
  ...ofAccount,
  request: requestSchema,
  decidedWith: record({ position: amount<Quantity>(), available: amount<Quantity>() }),
  job: jobSchema,
})
export type MintRequested = ValueOf<typeof mintRequested>

const ofRequest = { ...ofAccount, requestId: id<RequestId>() }

/** `job` is set if the issuer must name a custody account first. */
const mintAccepted = event('mintAccepted', { ...ofRequest, issuerRequestId: id(), job: optional(jobSchema) })
export type MintAccepted = ValueOf<typeof mintAccepted>

/** Shares that move between a participant and a custody account, with their cost. */
const shareMoveSchema = record({
  symbol: id<Ticker>(),
  quantity: amount<Quantity>(),
  cost: amount<Money>(),
  from: id<AccountId>(),
  to: id<AccountId>(),
})
export type ShareMove = ValueOf<typeof shareMoveSchema>

const mintTransferred = event('mintTransferred', {
  ...ofRequest,
  moved: shareMoveSchema,
  posting: postingSchema,
  job: jobSchema,
})
export type MintTransferred = ValueOf<typeof mintTransferred>

/** `job` is set for the built-in issuer; an external issuer calls back. */
const mintConfirmed = event('mintConfirmed', { ...ofRequest, job: optional(jobSchema) })
export type MintConfirmed = ValueOf<typeof mintConfirmed>

const mintCompleted = event('mintCompleted', { ...ofRequest, txHash: text(), posting: postingSchema })
export type MintCompleted = ValueOf<typeof mintCompleted>

/** `moved` returns shares that had moved; `job` notifies the issuer. */
const mintRejected = event('mintRejected', {
  ...ofRequest,
  reason: text(),
  moved: optional(shareMoveSchema),
  posting: postingSchema,
  job: optional(jobSchema),
})
export type MintRejected = ValueOf<typeof mintRejected>

const rejectionReported = event('rejectionReported', {
  ...ofRequest,
  /** The last error, if the issuer could not be notified. */
  problem: optional(text()),
})
export type RejectionReported = ValueOf<typeof rejectionReported>

const redeemRequested = event('redeemRequested', {
  ...ofAccount,
  request: requestSchema,
  decidedWith: record({ custody: amount<Quantity>(), available: amount<Quantity>() }),
})
export type RedeemRequested = ValueOf<typeof redeemRequested>

const redeemCompleted = event('redeemCompleted', {
  ...ofRequest,
  moved: shareMoveSchema,
  posting: postingSchema,
})
export type RedeemCompleted = ValueOf<typeof redeemCompleted>

const redeemRejected = event('redeemRejected', { ...ofRequest, reason: text() })
export type RedeemRejected = ValueOf<typeof redeemRejected>

const requestHeld = event('requestHeld', ofRequest)
export type RequestHeld = ValueOf<typeof requestHeld>

const requestReleased = event('requestReleased', ofRequest)
export type RequestReleased = ValueOf<typeof requestReleased>

export const requestEvents = [
  mintRequested,
  mintAccepted,
  mintTransferred,
  mintConfirmed,
  mintCompleted,
  mintRejected,
  rejectionReported,
  redeemRequested,
  redeemCompleted,
  redeemRejected,
  requestHeld,
  requestReleased,
] as const
export type RequestEvent = ValueOf<(typeof requestEvents)[number]>

export const tokenizationEvents = [...issuerEvents, ...requestEvents] as const
export type TokenizationEvent = IssuerEvent | RequestEvent
