import type { AccountId, IssuerAnswer, IssuerCode, RequestId, Ticker } from '@quipu/core'

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
}

/** The news that the shares are in the issuer's account. */
export type MintNews = {
  readonly requestId: RequestId
  readonly issuer: IssuerCode
  readonly issuerRequestId: string
  readonly participant: Participant
  /** The participant's own label, for issuers that know it by our id. */
  readonly label?: string
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
}
