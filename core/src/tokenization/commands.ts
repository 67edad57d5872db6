import type { Quantity } from '../amount.ts'
import type { IdempotencyKey } from '../idempotency.ts'
import type { AccountId, IssuerCode, PartnerId, RequestId, Ticker } from '../ids.ts'
import type { FailJob } from '../jobs/run.ts'
import type { Instant } from '../time.ts'
import type { Behaviour, IssuerAuth, IssuerUrls, Link, Listing } from './request.ts'

export type TokenizationCommand =
  | RegisterIssuer
  | SetBehaviour
  | StoreSigningKey
  | LinkAccount
  | RequestLink
  | AnswerLink
  | UnlinkAccount
  | RequestMint
  | AnswerMint
  | AnswerCustody
  | AnswerConfirm
  | AnswerRejection
  | CompleteMint
  | RequestRedeem
  | ForceRequest
  | FailJob

/** Updates name, addresses and listings of an existing issuer; its account stays. */
export type RegisterIssuer = {
  readonly kind: 'registerIssuer'
  readonly code: IssuerCode
  readonly name: string
  readonly accountId: AccountId
  readonly listings: readonly Listing[]
  /** Absent for the built-in issuer. */
  readonly external?: ExternalIssuer
  readonly redemptionWallets?: ReadonlyMap<string, string>
}

export type ExternalIssuer = {
  readonly partnerId: PartnerId
  readonly urls: IssuerUrls
  readonly auth: IssuerAuth
  /** Sent with every call; stored sealed. */
  readonly apiKey?: string
}

export type SetBehaviour = {
  readonly kind: 'setBehaviour'
  readonly issuer: IssuerCode
  readonly behaviour: Behaviour
}

/** The key pair that signs calls to issuers. The caller generates it. */
export type StoreSigningKey = {
  readonly kind: 'storeSigningKey'
  readonly keyId: string
  readonly publicKey: string
  readonly privateKey: string
}

/** Links an account that both sides already know. */
export type LinkAccount = { readonly kind: 'linkAccount'; readonly link: Link }

/** Asks the issuer for its id of the owner of this e-mail address. */
export type RequestLink = {
  readonly kind: 'requestLink'
  readonly accountId: AccountId
  readonly issuer: IssuerCode
  readonly email: string
}

export type AnswerLink = {
  readonly kind: 'answerLink'
  readonly accountId: AccountId
  readonly issuer: IssuerCode
  readonly answer: IssuerAnswer<{ readonly externalId: string }>
}

export type UnlinkAccount = {
  readonly kind: 'unlinkAccount'
  readonly accountId: AccountId
  readonly issuer: IssuerCode
}

export type RequestMint = {
  readonly kind: 'requestMint'
  readonly accountId: AccountId
  readonly issuer: IssuerCode
  readonly network: string
  readonly underlying: Ticker
  readonly quantity: Quantity
  readonly quantityText: string
  readonly wallet: string
  readonly label?: string
  readonly idempotency?: IdempotencyKey
  /** The request that the views found under this idempotency key, if memory has dropped it. */
  readonly earlier?: EarlierRequest
}

export type EarlierRequest = {
  readonly requestId: RequestId
  readonly bodyHash: string
  readonly isRejected: boolean
}

export type IssuerAnswer<Yes> =
  | ({ readonly ok: true } & Yes)
  | { readonly ok: false; readonly reason: string }

/** The issuer's answer: will it mint? */
export type AnswerMint = {
  readonly kind: 'answerMint'
  readonly requestId: RequestId
  readonly answer: IssuerAnswer<{ readonly issuerRequestId: string }>
}

/** The issuer's answer: which custody account receives the shares? */
export type AnswerCustody = {
  readonly kind: 'answerCustody'
  readonly requestId: RequestId
  readonly answer: IssuerAnswer<{ readonly accountId: AccountId }>
  readonly until: Instant
}

/** The issuer's answer to the confirmation that the shares have moved. */
export type AnswerConfirm = {
  readonly kind: 'answerConfirm'
  readonly requestId: RequestId
  readonly answer: IssuerAnswer<unknown>
}

/** The issuer has been notified of a rejection. */
export type AnswerRejection = { readonly kind: 'answerRejection'; readonly requestId: RequestId }

/** The issuer's callback: the tokens are in the wallet. */
export type CompleteMint = {
  readonly kind: 'completeMint'
  readonly requestId: RequestId
  readonly txHash: string
}

/** A participant by our account id or by the issuer's id. */
export type ParticipantName = { readonly accountId: AccountId } | { readonly externalId: string }

/** The issuer has received tokens and asks to return their shares to the participant. */
export type RequestRedeem = {
  readonly kind: 'requestRedeem'
  readonly issuer: IssuerCode
  readonly participant: ParticipantName
  readonly network: string
  readonly underlying: Ticker
  readonly tokenSymbol: string
  readonly quantity: Quantity
  readonly quantityText: string
  readonly wallet: string
  readonly txHash: string
  readonly issuerRequestId: string
  readonly idempotency?: IdempotencyKey
  /** The requests that the views found under this idempotency key, and under this issuer's id. */
  readonly earlier?: EarlierRequest
  readonly earlierId?: RequestId
}

/** An operator decides the outcome of a request. */
export type ForceRequest = {
  readonly kind: 'forceRequest'
  readonly requestId: RequestId
  readonly outcome:
    | { readonly to: 'complete'; readonly txHash: string }
    | { readonly to: 'reject'; readonly reason: string }
    | { readonly to: 'hold' }
    | { readonly to: 'release' }
}
