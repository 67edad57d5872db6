import type { Money, Quantity } from '../amount.ts'
import { idempotencyKeySchema } from '../earlier-keys.ts'
import type { AccountId, IssuerCode, PartnerId, RequestId, Ticker } from '../ids.ts'
import {
  amount,
  boolean,
  id,
  instant,
  list,
  map,
  oneOf,
  oneOfOr,
  optional,
  record,
  text,
  type ValueOf,
} from '../schema.ts'
import type { Instant } from '../time.ts'
import { requestStatusSchema } from './moves.ts'

/** Ratio of shares to tokens. Only splits change it. */
const multiplierSchema = record({ shares: amount(), tokens: amount() })
export type Multiplier = ValueOf<typeof multiplierSchema>

/** A tokenized share and its networks. */
export const listingSchema = record({
  underlying: id<Ticker>(),
  tokenSymbol: id(),
  networks: list(id()),
  /** Absent: one share per token. */
  multiplier: optional(multiplierSchema),
})
export type ListedToken = ValueOf<typeof listingSchema>

/** Addresses of an external issuer; the last may contain `{underlying_symbol}`. */
const issuerUrlsSchema = record({
  mint: text(),
  confirm: text(),
  connect: optional(text()),
  tokens: optional(text()),
  custody: optional(text()),
})
export type IssuerUrls = ValueOf<typeof issuerUrlsSchema>

/** Authentication of our calls: the issuer's API key, or our signature. */
const issuerAuthSchema = oneOf('apiKey', 'signature')
export type IssuerAuth = ValueOf<typeof issuerAuthSchema>

/** The simulated outcome of the built-in issuer. */
const outcomeSchema = oneOfOr(
  ['complete', 'reject', 'rejectLate', 'hold', 'never'],
  record({ lateNs: amount() }),
)
export type Outcome = ValueOf<typeof outcomeSchema>

export const behaviourSchema = record({
  /** From the transfer of the shares until the tokens are minted. */
  delayNs: amount(),
  outcome: outcomeSchema,
  /** Overrides by wallet. */
  wallets: map(text(), outcomeSchema),
})
export type Behaviour = ValueOf<typeof behaviourSchema>

export const issuerSchema = record({
  code: id<IssuerCode>(),
  name: text(),
  /** The custody account; it does not trade. */
  accountId: id<AccountId>(),
  mode: oneOf('builtin', 'external'),
  listings: list(listingSchema),
  /** The partner whose credentials the issuer uses for callbacks. */
  partnerId: optional(id<PartnerId>()),
  urls: optional(issuerUrlsSchema),
  auth: optional(issuerAuthSchema),
  /** Custody accounts by symbol, and until when they are valid. */
  custody: optional(map(id<Ticker>(), record({ accountId: id<AccountId>(), until: instant<Instant>() }))),
  /** All custody accounts ever named. */
  custodyAccountIds: optional(list(id<AccountId>())),
  /** Wallets that receive tokens for redemption, by network. */
  redemptionWallets: optional(map(id(), text())),
  behaviour: optional(behaviourSchema),
})
export type Issuer = ValueOf<typeof issuerSchema>

/** An account that may mint with an issuer, and the id by which the issuer knows it. */
export const linkSchema = record({
  accountId: id<AccountId>(),
  issuer: id<IssuerCode>(),
  kind: oneOf('handshake', 'affiliated'),
  externalId: optional(id()),
  /** The owner's e-mail address at the issuer. */
  email: optional(text()),
  /** asked: no response yet; refused: the issuer declined. Absent: linked. */
  state: optional(oneOf('asked', 'refused')),
  reason: optional(text()),
})
export type Link = ValueOf<typeof linkSchema>

const requestKindSchema = oneOf('mint', 'redeem')
export type RequestKind = ValueOf<typeof requestKindSchema>

export const requestSchema = record({
  id: id<RequestId>(),
  kind: requestKindSchema,
  /** The participant's account. */
  accountId: id<AccountId>(),
  /** The issuer's id of the participant, if it is not our id. */
  externalId: optional(id()),
  issuer: id<IssuerCode>(),
  network: id(),
  underlying: id<Ticker>(),
  tokenSymbol: id(),
  /** In shares. */
  quantity: amount<Quantity>(),
  /** In tokens; absent if equal to the quantity. */
  tokens: optional(amount<Quantity>()),
  /** As the client wrote it; returned unchanged. */
  quantityText: text(),
  /** The wallet that receives or sent the tokens. */
  wallet: text(),
  /** The client's label; need not be unique. */
  label: optional(text()),
  /** Stored by earlier versions. */
  idempotency: optional(idempotencyKeySchema),
  status: requestStatusSchema,
  createdAt: instant<Instant>(),
  updatedAt: instant<Instant>(),
  issuerRequestId: optional(id()),
  /** The custody account that receives or gives the shares. */
  custodyId: optional(id<AccountId>()),
  /** Cost basis of the moved shares; it is restored if they return. */
  movedCost: optional(amount<Money>()),
  txHash: optional(text()),
  /** The reason of a rejection, in the issuer's words. */
  reason: optional(text()),
  /** On hold: nothing happens until the request is released. */
  held: optional(boolean()),
  /** When the request is given up, or, once its shares have moved, late. */
  deadline: optional(instant<Instant>()),
})
export type TokenizationRequest = ValueOf<typeof requestSchema>

export const linkKey = (accountId: AccountId, issuer: string): string => `${accountId}/${issuer}`
/** An issuer uses each id for one redeem. */
export const issuerRequestName = (issuer: IssuerCode, issuerRequestId: string): string =>
  `${issuer}/${issuerRequestId}`

export const listingOf = (issuer: Issuer, underlying: Ticker, network: string): ListedToken | undefined =>
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
