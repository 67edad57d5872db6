import type { AccountId, IssuerCode, RequestId } from '../ids.ts'
import type { Instant } from '../time.ts'

/** What must be remembered of a network outside, beside what the books say of its tokens. */
export type ChainFact = TokenFact | SentFact | SeenFact | WalletFact | TransferFact | DustFact

/** Where a token lives; ours is the contract that takes every request id once. */
export type TokenFact = {
  readonly fact: 'token'
  readonly network: string
  readonly symbol: string
  readonly address: string
  readonly decimals: number
  readonly ours: boolean
}

/** A transaction that was signed, written down before it is sent: what is sent again is the same one. */
export type SentFact = {
  readonly fact: 'sent'
  readonly network: string
  readonly txHash: string
  readonly raw: string
  readonly nonce: bigint
}

/** Every block up to this one was looked through. */
export type SeenFact = {
  readonly fact: 'seen'
  readonly block: bigint
  /** Which chain it is, by its own number: another one under the same address is noticed. */
  readonly chainId: bigint
  /** Part of every id given to contracts, so that two worlds with one contract do not use the same. */
  readonly salt: string
}

/** Who minted to a wallet with an issuer; nobody is named where several did. */
export type WalletFact = { readonly fact: 'wallet'; readonly accountId?: AccountId }

/** Tokens that came to the redemption wallet. */
export type TransferFact = {
  readonly fact: 'transfer'
  readonly network: string
  readonly txHash: string
  readonly logIndex: number
  readonly block: bigint
  readonly address: string
  readonly symbol?: string
  readonly wallet: string
  /** The chain's smallest units. */
  readonly units: bigint
  /** What of them is less than a billionth of a token. */
  readonly dust: bigint
  /** The redeem they became, until they are burned. */
  readonly redeem?: {
    readonly issuer: IssuerCode
    readonly accountId: AccountId
    readonly requestId: RequestId
  }
  /** What came of trying to burn them. */
  readonly burn?: {
    readonly attempts: number
    /** When it is tried again. */
    readonly due: Instant
    readonly problem: string
  }
  /** Why somebody must look at them. */
  readonly trouble?: string
  readonly at: Instant
}

/** All dust of a token that came to the redemption wallet. */
export type DustFact = { readonly fact: 'dust'; readonly units: bigint }

/** Facts by name; null forgets one. */
export type NamedFact = readonly [name: string, fact: ChainFact | null]

export type NoteChain = { readonly kind: 'noteChain'; readonly facts: readonly NamedFact[] }

/** Somebody has looked at tokens that nobody could be given shares for, and says what came of it. */
export type ResolveArrival = {
  readonly kind: 'resolveArrival'
  readonly network: string
  readonly txHash: string
  readonly logIndex: number
  readonly note: string
}

export type ArrivalResolved = {
  readonly kind: 'arrivalResolved'
  readonly at: Instant
  readonly name: string
  /** As it was. */
  readonly arrival: TransferFact
  readonly note: string
}

export type ChainNoted = {
  readonly kind: 'chainNoted'
  readonly at: Instant
  readonly facts: readonly NamedFact[]
}
