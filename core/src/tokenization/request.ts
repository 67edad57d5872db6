import type { Money, Quantity } from '../amount.ts'
import type { IdempotencyKey } from '../idempotency.ts'
import type { AccountId, IssuerCode, PartnerId, RequestId, Ticker } from '../ids.ts'
import type { Instant } from '../time.ts'
import type { RequestStatus } from './moves.ts'

/** Ratio of shares to tokens. Only splits change it. */
export type Multiplier = { readonly shares: bigint; readonly tokens: bigint }

/** A tokenized share and its networks. */
export type Listing = {
  readonly underlying: Ticker
  readonly tokenSymbol: string
  readonly networks: readonly string[]
  /** Absent: one share per token. */
  readonly multiplier?: Multiplier
}

/** Addresses of an external issuer; the last may contain `{underlying_symbol}`. */
export type IssuerUrls = {
  readonly mint: string
  readonly confirm: string
  readonly connect?: string
  readonly tokens?: string
  readonly custody?: string
}

/** Authentication of our calls: the issuer's API key, or our signature. */
export type IssuerAuth = 'apiKey' | 'signature'

/** The simulated outcome of the built-in issuer. */
export type Outcome = 'complete' | 'reject' | 'rejectLate' | 'hold' | 'never' | { readonly lateNs: bigint }

export type Behaviour = {
  /** From the transfer of the shares until the tokens are minted. */
  readonly delayNs: bigint
  readonly outcome: Outcome
  /** Overrides by wallet. */
  readonly wallets: ReadonlyMap<string, Outcome>
}

export type Issuer = {
  readonly code: IssuerCode
  readonly name: string
  /** The custody account; it does not trade. */
  readonly accountId: AccountId
  readonly mode: 'builtin' | 'external'
  readonly listings: readonly Listing[]
  /** The partner whose credentials the issuer uses for callbacks. */
  readonly partnerId?: PartnerId
  readonly urls?: IssuerUrls
  readonly auth?: IssuerAuth
  /** Custody accounts by symbol, and until when they are valid. */
  readonly custody?: ReadonlyMap<Ticker, { readonly accountId: AccountId; readonly until: Instant }>
  /** All custody accounts ever named. */
  readonly custodyAccountIds?: readonly AccountId[]
  /** Wallets that receive tokens for redemption, by network. */
  readonly redemptionWallets?: ReadonlyMap<string, string>
  readonly behaviour?: Behaviour
}

/** An account that may mint with an issuer, and the id by which the issuer knows it. */
export type Link = {
  readonly accountId: AccountId
  readonly issuer: IssuerCode
  readonly kind: 'handshake' | 'affiliated'
  readonly externalId?: string
  /** The owner's e-mail address at the issuer. */
  readonly email?: string
  /** asked: no answer yet; refused: the issuer declined. Absent: linked. */
  readonly state?: 'asked' | 'refused'
  readonly reason?: string
}

export type RequestKind = 'mint' | 'redeem'

export type TokenizationRequest = {
  readonly id: RequestId
  readonly kind: RequestKind
  /** The participant's account. */
  readonly accountId: AccountId
  /** The issuer's id of the participant, if it is not our id. */
  readonly externalId?: string
  readonly issuer: IssuerCode
  readonly network: string
  readonly underlying: Ticker
  readonly tokenSymbol: string
  /** In shares. */
  readonly quantity: Quantity
  /** In tokens; absent if equal to the quantity. */
  readonly tokens?: Quantity
  /** As the client wrote it; returned unchanged. */
  readonly quantityText: string
  /** The wallet that receives or sent the tokens. */
  readonly wallet: string
  /** The client's label; need not be unique. */
  readonly label?: string
  readonly idempotency?: IdempotencyKey
  readonly status: RequestStatus
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly issuerRequestId?: string
  /** The custody account that receives or gives the shares. */
  readonly custodyId?: AccountId
  /** Cost basis of the moved shares; it is restored if they return. */
  readonly movedCost?: Money
  readonly txHash?: string
  /** The reason of a rejection, in the issuer's words. */
  readonly reason?: string
  /** On hold: nothing happens until the request is released. */
  readonly held?: boolean
  /** When the request is given up, or, once its shares have moved, late. */
  readonly deadline?: Instant
}

export const linkKey = (accountId: AccountId, issuer: string): string => `${accountId}/${issuer}`
export const idempotencyName = (accountId: AccountId, kind: RequestKind, key: string): string =>
  `${accountId}/${kind}/${key}`
/** An issuer uses each id for one redeem. */
export const issuerRequestName = (issuer: IssuerCode, issuerRequestId: string): string =>
  `${issuer}/${issuerRequestId}`

export const listingOf = (issuer: Issuer, underlying: Ticker, network: string): Listing | undefined =>
  issuer.listings.find((listing) => listing.underlying === underlying && listing.networks.includes(network))

export const custodyAccountsOf = ({ accountId, custodyAccountIds = [] }: Issuer): readonly AccountId[] => [
  accountId,
  ...custodyAccountIds,
]

/** The simulated outcome for a wallet. */
export function outcomeFor({ behaviour }: Issuer, wallet: string): Outcome {
  if (!behaviour) return 'complete'
  return behaviour.wallets.get(wallet.toLowerCase()) ?? behaviour.outcome
}
