import type { AccountId, IssuerCode, IssuerResponse, Outcome, RequestId, Ticker } from '@quipu/core'

/** The participant's id at the issuer, or our account id. */
export type AuthorizedParticipant = { readonly externalId: string } | { readonly accountId: AccountId }

/** The request to mint shares as tokens. */
export type MintRequest = {
  readonly requestId: RequestId
  readonly issuer: IssuerCode
  readonly underlying: Ticker
  readonly tokenSymbol: string
  readonly network: string
  /** Shares, in the participant's spelling. */
  readonly quantityText: string
  readonly wallet: string
  readonly participant: AuthorizedParticipant
  /** The outcome at the built-in issuer. Default: complete. */
  readonly outcome?: Outcome
}

/** A notification that the shares are in the issuer's account, or that a request was rejected. */
export type MintNotification = {
  readonly requestId: RequestId
  readonly issuer: IssuerCode
  /** Absent if the issuer's acceptance was lost. */
  readonly issuerRequestId?: string
  readonly participant: AuthorizedParticipant
  /** The participant's label, for issuers that use our id. */
  readonly label?: string
  readonly outcome?: Outcome
}

/**
 * A token issuer. Any call may be repeated with the same request id, and then has the same result. A call that rejects
 * was not answered and is repeated later. No call may take longer than two minutes.
 */
export interface TokenIssuer {
  /** Requests the acceptance of a mint. */
  mint(request: MintRequest): Promise<IssuerResponse<{ readonly issuerRequestId: string }>>
  /** Confirms a mint. If the issuer rejects it now, the shares are returned. */
  confirm(notification: MintNotification): Promise<IssuerResponse<unknown>>
  /** Cancels a mint. The response is ignored. */
  reject(notification: MintNotification & { readonly reason: string }): Promise<void>
  /** Looks up a customer by e-mail address. */
  connect(request: {
    readonly email: string
    readonly accountNumber: string
  }): Promise<IssuerResponse<{ readonly externalId: string }>>
  /** Looks up the issuer's account that holds shares of this symbol. */
  custody(underlying: Ticker): Promise<IssuerResponse<{ readonly accountId: AccountId }>>
}
