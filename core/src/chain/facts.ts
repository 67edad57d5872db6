import type { AccountId, IssuerCode, RequestId } from '../ids.ts'
import type { Instant } from '../time.ts'

/** Data about an external chain that must survive a restart, beside the ledger. */
export type ChainFact = TokenFact | SentFact | ProcessedFact | WalletFact | TransferFact | DustFact

/** A token contract; `isQuipuToken`: the contract accepts every request id only once. */
export type TokenFact = {
  readonly fact: 'token'
  readonly network: string
  readonly symbol: string
  readonly address: string
  readonly decimals: number
  readonly isQuipuToken: boolean
}

/** A signed transaction, stored before it is sent, so that a retry sends the same bytes. */
export type SentFact = {
  readonly fact: 'sent'
  readonly network: string
  readonly txHash: string
  readonly raw: string
  readonly nonce: bigint
}

/** All blocks up to this one have been processed. */
export type ProcessedFact = {
  readonly fact: 'processed'
  readonly block: bigint
  /** The chain's id, so that a different chain at the same URL is noticed. */
  readonly chainId: bigint
  /** Part of every id sent to contracts, so that two worlds sharing a contract use different ids. */
  readonly salt: string
}

/** The account that minted to a wallet; absent if several accounts did. */
export type WalletFact = { readonly fact: 'wallet'; readonly accountId?: AccountId }

/** A transfer of tokens to the redemption wallet. */
export type TransferFact = {
  readonly fact: 'transfer'
  readonly network: string
  readonly txHash: string
  readonly logIndex: number
  readonly block: bigint
  readonly address: string
  readonly symbol?: string
  readonly wallet: string
  /** In the chain's smallest units. */
  readonly units: bigint
  /** The part of the amount below a billionth of a token. */
  readonly dust: bigint
  /** The redemption created for this transfer, until the tokens are burned. */
  readonly redeem?: {
    readonly issuer: IssuerCode
    readonly accountId: AccountId
    readonly requestId: RequestId
  }
  /** State of the burn transaction. */
  readonly burn?: {
    readonly attempts: number
    /** Next attempt. */
    readonly due: Instant
    readonly problem: string
  }
  /** Why the transfer needs manual review. */
  readonly problem?: string
  readonly at: Instant
}

/** Total dust of a token in the redemption wallet. */
export type DustFact = { readonly fact: 'dust'; readonly units: bigint }

/** Facts by name; null deletes one. */
export type NamedFact = readonly [name: string, fact: ChainFact | null]

export type RecordChainFacts = { readonly kind: 'recordChainFacts'; readonly facts: readonly NamedFact[] }

/** Marks a transfer that could not be matched to an account as reviewed, with a note. */
export type ResolveUnmatchedTransfer = {
  readonly kind: 'resolveUnmatchedTransfer'
  readonly network: string
  readonly txHash: string
  readonly logIndex: number
  readonly note: string
}

export type UnmatchedTransferResolved = {
  readonly kind: 'unmatchedTransferResolved'
  readonly at: Instant
  readonly name: string
  /** The transfer before its removal. */
  readonly transfer: TransferFact
  readonly note: string
}

export type ChainFactsRecorded = {
  readonly kind: 'chainFactsRecorded'
  readonly at: Instant
  readonly facts: readonly NamedFact[]
}
