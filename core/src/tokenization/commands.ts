import type { Quantity } from '../amount.ts'
import type { AccountId, IssuerCode, RequestId, Ticker } from '../ids.ts'
import type { FailJob } from '../jobs/run.ts'
import type { IdempotencyKey, Link, Listing } from './request.ts'

export type TokenizationCommand =
  | RegisterIssuer
  | LinkAccount
  | RequestMint
  | AnswerMint
  | AnswerConfirm
  | CompleteMint
  | FailJob

/** An issuer known already gets the new name and listings; its account stays. */
export type RegisterIssuer = {
  readonly kind: 'registerIssuer'
  readonly code: IssuerCode
  readonly name: string
  readonly accountId: AccountId
  readonly listings: readonly Listing[]
}

export type LinkAccount = { readonly kind: 'linkAccount'; readonly link: Link }

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
  readonly earlier?: EarlierMint
}

export type EarlierMint = {
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

/** Its answer to the news that the shares are there. */
export type AnswerConfirm = {
  readonly kind: 'answerConfirm'
  readonly requestId: RequestId
  readonly answer: IssuerAnswer<unknown>
}

/** The issuer calls back: the tokens are in the wallet. */
export type CompleteMint = {
  readonly kind: 'completeMint'
  readonly requestId: RequestId
  readonly txHash: string
}
