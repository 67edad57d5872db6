import type { Quantity } from '../amount.ts'
import type { IdempotencyKey } from '../idempotency.ts'
import type { AccountId, IssuerCode, PartnerId, RequestId, Ticker } from '../ids.ts'
import type { FailJob } from '../jobs/run.ts'
import type { Instant } from '../time.ts'
import type { Behaviour, IssuerAuth, IssuerUrls, Link, Listing } from './request.ts'

export type TokenizationCommand =
  | RegisterIssuer
  | SetBehaviour
  | KeepSigningKey
  | LinkAccount
  | AskLink
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

/** An issuer known already gets the new name, addresses and listings; its account stays. */
export type RegisterIssuer = {
  readonly kind: 'registerIssuer'
  readonly code: IssuerCode
  readonly name: string
  readonly accountId: AccountId
  readonly listings: readonly Listing[]
  /** Absent for the issuer inside. */
  readonly outside?: Outside
  readonly redemptionWallets?: ReadonlyMap<string, string>
}

export type Outside = {
  readonly partnerId: PartnerId
  readonly urls: IssuerUrls
  readonly auth: IssuerAuth
  /** Sent with every call; kept sealed. */
  readonly apiKey?: string
}

export type SetBehaviour = {
  readonly kind: 'setBehaviour'
  readonly issuer: IssuerCode
  readonly behaviour: Behaviour
}

/** The pair of keys that calls to issuers are signed with, made outside. */
export type KeepSigningKey = {
  readonly kind: 'keepSigningKey'
  readonly keyId: string
  readonly publicKey: string
  readonly privateKey: string
}

/** Known to both sides already. */
export type LinkAccount = { readonly kind: 'linkAccount'; readonly link: Link }

/** The issuer is asked under which id it knows the owner of this e-mail address. */
export type AskLink = {
  readonly kind: 'askLink'
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
  /** What the views knew under this idempotency key, for requests that memory has let go. */
  readonly earlier?: EarlierRequest
}

export type EarlierRequest = {
  readonly requestId: RequestId
  readonly bodyHash: string
  readonly isRejected: boolean
}

/** What an issuer said: yes, or no and why. */
export type IssuerAnswer<Yes> =
  | ({ readonly ok: true } & Yes)
  | { readonly ok: false; readonly reason: string }

/** The issuer's answer to the first question: will it mint? */
export type AnswerMint = {
  readonly kind: 'answerMint'
  readonly requestId: RequestId
  readonly answer: IssuerAnswer<{ readonly issuerRequestId: string }>
}

/** Its answer to the second, where it has several accounts: which of them takes the shares? */
export type AnswerCustody = {
  readonly kind: 'answerCustody'
  readonly requestId: RequestId
  readonly answer: IssuerAnswer<{ readonly accountId: AccountId }>
  readonly until: Instant
}

/** Its answer to the news that the shares are there. */
export type AnswerConfirm = {
  readonly kind: 'answerConfirm'
  readonly requestId: RequestId
  readonly answer: IssuerAnswer<unknown>
}

/** It knows that nothing will come of a request. */
export type AnswerRejection = { readonly kind: 'answerRejection'; readonly requestId: RequestId }

/** The issuer calls back: the tokens are in the wallet. */
export type CompleteMint = {
  readonly kind: 'completeMint'
  readonly requestId: RequestId
  readonly txHash: string
}

/** How an issuer names a participant: by our id or by its own. */
export type ParticipantName = { readonly accountId: AccountId } | { readonly externalId: string }

/** The issuer has got tokens back and asks for their shares to go to the participant. */
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
  /** What the views knew under this idempotency key, and under this id of the issuer's. */
  readonly earlier?: EarlierRequest
  readonly earlierId?: RequestId
}

/** Somebody who steers the world decides what becomes of a request. */
export type ForceRequest = {
  readonly kind: 'forceRequest'
  readonly requestId: RequestId
  readonly outcome:
    | { readonly to: 'complete'; readonly txHash: string }
    | { readonly to: 'reject'; readonly reason: string }
    | { readonly to: 'hold' }
    | { readonly to: 'release' }
}
