import type { Quantity } from '../amount.ts'
import type { AccountId, IssuerCode, JobId, PartnerId, RequestId, Ticker } from '../ids.ts'
import type { ByKind, OfKind } from '../kinds.ts'
import type { Instant } from '../time.ts'
import type { Behaviour, IssuerAuth, IssuerUrls, Link, ListedToken } from './request.ts'

export type TokenizationCommand = ByKind<{
  /** Updates name, addresses and listings of an existing issuer; its account stays. */
  registerIssuer: {
    readonly code: IssuerCode
    readonly name: string
    readonly accountId: AccountId
    readonly listings: readonly ListedToken[]
    /** Absent for the built-in issuer. */
    readonly external?: ExternalIssuer
    readonly redemptionWallets?: ReadonlyMap<string, string>
  }
  setBehaviour: { readonly issuer: IssuerCode; readonly behaviour: Behaviour }
  /** The key pair that signs calls to issuers. The caller generates it. */
  storeSigningKey: { readonly keyId: string; readonly publicKey: string; readonly privateKey: string }
  /** Links an account that both sides already know. */
  linkAccount: { readonly link: Link }
  /** Asks the issuer under which id it knows the owner of this e-mail address. */
  requestLink: OfLink & { readonly email: string }
  answerLink: OfLink & { readonly response: IssuerResponse<{ readonly externalId: string }> }
  unlinkAccount: OfLink
  requestMint: TokenTerms & { readonly accountId: AccountId; readonly label?: string }
  /** The issuer's response: will it mint? */
  answerMint: OfRequest & { readonly response: IssuerResponse<{ readonly issuerRequestId: string }> }
  /** The issuer's response: which custody account receives the shares? */
  answerCustody: OfRequest & {
    readonly response: IssuerResponse<{ readonly accountId: AccountId }>
    readonly until: Instant
  }
  /** The issuer's response to the confirmation that the shares have moved. */
  answerConfirm: OfRequest & { readonly response: IssuerResponse<unknown> }
  /** The issuer has been notified of a rejection. */
  answerRejection: OfRequest
  /** The issuer's callback: the tokens are in the wallet. */
  completeMint: OfRequest & { readonly txHash: string }
  /** The issuer has received tokens and asks to return their shares to the participant. */
  requestRedeem: TokenTerms & {
    readonly participant: ParticipantName
    readonly tokenSymbol: string
    readonly txHash: string
    readonly issuerRequestId: string
    /** The request that the query tables found under this issuer's id. */
    readonly earlierId?: RequestId
  }
  /** An operator decides the outcome of a request. */
  forceRequest: OfRequest & {
    readonly outcome:
      | { readonly to: 'complete'; readonly txHash: string }
      | { readonly to: 'reject'; readonly reason: string }
      | { readonly to: 'hold' }
      | { readonly to: 'release' }
  }
  failJob: { readonly jobId: JobId; readonly problem: string }
}>
export type RegisterIssuer = OfKind<TokenizationCommand, 'registerIssuer'>
export type StoreSigningKey = OfKind<TokenizationCommand, 'storeSigningKey'>
export type RequestMint = OfKind<TokenizationCommand, 'requestMint'>
export type RequestRedeem = OfKind<TokenizationCommand, 'requestRedeem'>
export type ForceRequest = OfKind<TokenizationCommand, 'forceRequest'>

type OfLink = { readonly accountId: AccountId; readonly issuer: IssuerCode }
type OfRequest = { readonly requestId: RequestId }

/** The terms of a mint or a redeem. */
type TokenTerms = {
  readonly issuer: IssuerCode
  readonly network: string
  readonly underlying: Ticker
  readonly quantity: Quantity
  readonly quantityText: string
  readonly wallet: string
}

export type ExternalIssuer = {
  readonly partnerId: PartnerId
  readonly urls: IssuerUrls
  readonly auth: IssuerAuth
  /** Sent with every call; stored sealed. */
  readonly apiKey?: string
}

export type IssuerResponse<Yes> =
  | ({ readonly ok: true } & Yes)
  | { readonly ok: false; readonly reason: string }

/** A participant by our account id or by the issuer's id. */
export type ParticipantName = { readonly accountId: AccountId } | { readonly externalId: string }
