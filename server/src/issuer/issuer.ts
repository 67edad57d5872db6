import type { AccountId, IssuerAnswer, IssuerCode, Outcome, RequestId, Ticker } from '@quipu/core'

/** How an issuer knows the participant: by an id of its own, or by ours. */
export type Participant = { readonly externalId: string } | { readonly accountId: AccountId }

/** What an issuer is asked when someone wants shares as tokens. */
export type MintQuestion = {
  readonly requestId: RequestId
  readonly issuer: IssuerCode
  readonly underlying: Ticker
  readonly tokenSymbol: string
  readonly network: string
  /** Shares, as the participant wrote them. */
  readonly quantityText: string
  readonly wallet: string
  readonly participant: Participant
  /** What the built-in issuer is to make of it; complete, where absent. */
  readonly outcome?: Outcome
}

/** The news that the shares are in the issuer's account, or that nothing comes of a request. */
export type MintNews = {
  readonly requestId: RequestId
  readonly issuer: IssuerCode
  /** Absent where the issuer's yes was lost. */
  readonly issuerRequestId?: string
  readonly participant: Participant
  /** The participant's own label, for issuers that know it by our id. */
  readonly label?: string
  readonly outcome?: Outcome
}

/**
 * Issuers, seen from the broker. Every call may come again under the same request id, and then gets the same answer.
 * A call that rejects was not answered: it is made again later. None may take longer than two minutes.
 */
export interface TokenIssuer {
  /** Will it mint? */
  mint(question: MintQuestion): Promise<IssuerAnswer<{ readonly issuerRequestId: string }>>
  /** It may mint now. A no at this point sends the shares back. */
  confirm(news: MintNews): Promise<IssuerAnswer<unknown>>
  /** It must not mint. Whatever it says, it knows. */
  reject(news: MintNews & { readonly reason: string }): Promise<void>
  /** Whom does it know by this e-mail address? */
  connect(question: {
    readonly email: string
    readonly accountNumber: string
  }): Promise<IssuerAnswer<{ readonly externalId: string }>>
  /** Which of its accounts keeps shares of this symbol? */
  custody(underlying: Ticker): Promise<IssuerAnswer<{ readonly accountId: AccountId }>>
}
