import type { Money, Quantity } from '../amount.ts'
import type { IdempotencyKey } from '../idempotency.ts'
import type { AccountId, IssuerCode, PartnerId, RequestId, Ticker } from '../ids.ts'
import type { Instant } from '../time.ts'
import type { RequestStatus } from './moves.ts'

/** So many shares stand behind so many tokens. Splits change it, and nothing else does. */
export type Multiplier = { readonly shares: bigint; readonly tokens: bigint }

/** A token of a share, and the networks it lives on. */
export type Listing = {
  readonly underlying: Ticker
  readonly tokenSymbol: string
  readonly networks: readonly string[]
  /** Absent: one share behind one token. */
  readonly multiplier?: Multiplier
}

/** Where an issuer outside is called; `{underlying_symbol}` stands in the last one. */
export type IssuerUrls = {
  readonly mint: string
  readonly confirm: string
  readonly connect?: string
  readonly tokens?: string
  readonly custody?: string
}

/** How calls to it say that they are ours: by a key of the issuer's, or by a signature of ours. */
export type IssuerAuth = 'apiKey' | 'signature'

/** What the built-in issuer does with a request: what it should, or what its user wants to see happen. */
export type Outcome = 'complete' | 'reject' | 'rejectLate' | 'hold' | 'never' | { readonly lateNs: bigint }

export type Behaviour = {
  /** From the transfer of the shares until the tokens are minted. */
  readonly delayNs: bigint
  readonly outcome: Outcome
  /** By wallet, where it is another. */
  readonly wallets: ReadonlyMap<string, Outcome>
}

export type Issuer = {
  readonly code: IssuerCode
  readonly name: string
  /** Where the shares behind its tokens are kept; nobody trades from it. */
  readonly accountId: AccountId
  readonly mode: 'builtin' | 'external'
  readonly listings: readonly Listing[]
  /** Whose credential it calls back with. */
  readonly partnerId?: PartnerId
  readonly urls?: IssuerUrls
  readonly auth?: IssuerAuth
  /** Accounts it named to keep the shares of some symbol, and until when that is known. */
  readonly custody?: ReadonlyMap<Ticker, { readonly accountId: AccountId; readonly until: Instant }>
  /** All accounts it ever named. */
  readonly keepers?: readonly AccountId[]
  /** Where tokens are sent to be redeemed, by network. */
  readonly redemptionWallets?: ReadonlyMap<string, string>
  readonly behaviour?: Behaviour
}

/** An account that may mint with an issuer, and how the issuer knows it: by an id of its own, or by ours. */
export type Link = {
  readonly accountId: AccountId
  readonly issuer: IssuerCode
  readonly kind: 'handshake' | 'affiliated'
  readonly externalId?: string
  /** Under which the issuer knows the account's owner. */
  readonly email?: string
  /** asked: the issuer has not answered; refused: it will not. Absent: it may mint. */
  readonly state?: 'asked' | 'refused'
  readonly reason?: string
}

export type RequestKind = 'mint' | 'redeem'

export type TokenizationRequest = {
  readonly id: RequestId
  readonly kind: RequestKind
  /** The participant's. */
  readonly accountId: AccountId
  /** By which its issuer knows the participant, where that is not our id. */
  readonly externalId?: string
  readonly issuer: IssuerCode
  readonly network: string
  readonly underlying: Ticker
  readonly tokenSymbol: string
  /** Shares. */
  readonly quantity: Quantity
  /** Tokens; absent where they are as many. */
  readonly tokens?: Quantity
  /** As the client wrote it, which is how it is told back. */
  readonly quantityText: string
  /** Where the tokens go, or where they came from. */
  readonly wallet: string
  /** The client's label; need not be unique. */
  readonly label?: string
  readonly idempotency?: IdempotencyKey
  readonly status: RequestStatus
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly issuerRequestId?: string
  /** Which of the issuer's accounts has the shares, or gives them. */
  readonly custodyId?: AccountId
  /** What had been paid for the shares that moved; it goes with them, and comes back with them. */
  readonly movedCost?: Money
  readonly txHash?: string
  /** Why it was rejected, in the issuer's words. */
  readonly reason?: string
  /** Somebody wants to see it wait: nothing is done with it until it is let go. */
  readonly held?: boolean
  /** When it is given up, or else (its shares moved) known to be late. */
  readonly deadline?: Instant
}

export const linkKey = (accountId: AccountId, issuer: string): string => `${accountId}/${issuer}`
export const idempotencyName = (accountId: AccountId, kind: RequestKind, key: string): string =>
  `${accountId}/${kind}/${key}`
/** An issuer uses each of its ids for one redeem. */
export const issuerRequestName = (issuer: IssuerCode, issuerRequestId: string): string =>
  `${issuer}/${issuerRequestId}`

export const listingOf = (issuer: Issuer, underlying: Ticker, network: string): Listing | undefined =>
  issuer.listings.find((listing) => listing.underlying === underlying && listing.networks.includes(network))

/** Everywhere an issuer keeps shares. */
export const custodyAccountsOf = ({ accountId, keepers = [] }: Issuer): readonly AccountId[] => [
  accountId,
  ...keepers,
]

/** What the built-in issuer does with the tokens of a wallet. */
export function outcomeFor({ behaviour }: Issuer, wallet: string): Outcome {
  if (!behaviour) return 'complete'
  return behaviour.wallets.get(wallet.toLowerCase()) ?? behaviour.outcome
}
