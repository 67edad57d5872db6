import type { Money, Quantity } from '../amount.ts'
import type { AccountId, IssuerCode, PartnerId, RequestId, Ticker } from '../ids.ts'
import { jobSchema } from '../jobs/job.ts'
import { postingSchema } from '../ledger/ledger.ts'
import {
  amount,
  type EventIn,
  events,
  id,
  instant,
  list,
  map,
  optional,
  record,
  text,
  type ValueOf,
} from '../schema.ts'
import type { Instant } from '../time.ts'
import { behaviourSchema, issuerSchema, linkSchema, listingSchema, requestSchema } from './request.ts'

const ofIssuer = { issuer: id<IssuerCode>() }

const ofAccount = { accountId: id<AccountId>() }

export const issuerEvents = events({
  issuerRegistered: {
    accountId: id<AccountId>(),
    issuer: issuerSchema,
    /** Jobs of pending mints, if an external issuer becomes built-in. */
    jobs: optional(list(jobSchema)),
    sealed: optional(record({ apiKey: text() })),
  },
  behaviourSet: { ...ofIssuer, behaviour: behaviourSchema },
  signingKeyStored: { sealed: record({ keyId: id(), publicKey: text(), privateKey: text() }) },
  /** Caused by a split or a symbol change. */
  listingsChanged: {
    ...ofIssuer,
    listings: list(listingSchema),
    renamed: optional(record({ from: id<Ticker>(), to: id<Ticker>() })),
  },
  /** Restated tokens of an external issuer after a split; `tokens` lists those of pending mints. */
  tokensRestated: {
    ...ofIssuer,
    underlying: id<Ticker>(),
    tokens: map(id<RequestId>(), amount<Quantity>()),
    posting: postingSchema,
  },
  /** The issuer has named the custody account of a symbol. */
  custodyAccountSet: {
    ...ofAccount,
    issuer: id<IssuerCode>(),
    underlying: id<Ticker>(),
    until: instant<Instant>(),
  },
  linkRequested: { ...ofAccount, link: linkSchema, job: jobSchema },
  accountLinked: { ...ofAccount, link: linkSchema },
  linkRefused: { ...ofAccount, link: linkSchema },
  accountUnlinked: { ...ofAccount, issuer: id<IssuerCode>() },
  /** A reset ended the registration of an external issuer. Its partner stays, see `Partner`. */
  issuerUnregistered: { ...ofIssuer, partnerId: id<PartnerId>() },
})
export type SigningKeyStored = ValueOf<typeof issuerEvents.signingKeyStored>
export type ListingsChanged = ValueOf<typeof issuerEvents.listingsChanged>
export type TokensRestated = ValueOf<typeof issuerEvents.tokensRestated>
export type LinkRefused = ValueOf<typeof issuerEvents.linkRefused>

const ofRequest = { ...ofAccount, requestId: id<RequestId>() }

/** Shares that move between a participant and a custody account, with their cost. */
const shareMoveSchema = record({
  symbol: id<Ticker>(),
  quantity: amount<Quantity>(),
  cost: amount<Money>(),
  from: id<AccountId>(),
  to: id<AccountId>(),
})
export type ShareMove = ValueOf<typeof shareMoveSchema>

export const requestEvents = events({
  /** The request as created, the values it was decided with, and its first job. */
  mintRequested: {
    ...ofAccount,
    request: requestSchema,
    decidedWith: record({ position: amount<Quantity>(), available: amount<Quantity>() }),
    job: jobSchema,
  },
  /** `job` is set if the issuer must name a custody account first. */
  mintAccepted: { ...ofRequest, issuerRequestId: id(), job: optional(jobSchema) },
  mintTransferred: {
    ...ofRequest,
    moved: shareMoveSchema,
    posting: postingSchema,
    job: jobSchema,
  },
  /** `job` is set for the built-in issuer; an external issuer calls back. */
  mintConfirmed: { ...ofRequest, job: optional(jobSchema) },
  mintCompleted: { ...ofRequest, txHash: text(), posting: postingSchema },
  /** `moved` returns shares that had moved; `job` notifies the issuer. */
  mintRejected: {
    ...ofRequest,
    reason: text(),
    moved: optional(shareMoveSchema),
    posting: postingSchema,
    job: optional(jobSchema),
  },
  rejectionReported: {
    ...ofRequest,
    /** The last error, if the issuer could not be notified. */
    problem: optional(text()),
  },
  redeemRequested: {
    ...ofAccount,
    request: requestSchema,
    decidedWith: record({ custody: amount<Quantity>(), available: amount<Quantity>() }),
  },
  redeemCompleted: {
    ...ofRequest,
    moved: shareMoveSchema,
    posting: postingSchema,
  },
  redeemRejected: { ...ofRequest, reason: text() },
  requestHeld: ofRequest,
  requestReleased: ofRequest,
})
export type RequestEvent = EventIn<typeof requestEvents>
export type MintRequested = ValueOf<typeof requestEvents.mintRequested>
export type MintTransferred = ValueOf<typeof requestEvents.mintTransferred>
export type MintCompleted = ValueOf<typeof requestEvents.mintCompleted>
export type MintRejected = ValueOf<typeof requestEvents.mintRejected>
export type RedeemRequested = ValueOf<typeof requestEvents.redeemRequested>
export type RedeemCompleted = ValueOf<typeof requestEvents.redeemCompleted>
