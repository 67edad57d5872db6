import type { AccountId, IssuerCode, RequestId } from '../ids.ts'
import type { ByKind } from '../kinds.ts'
import {
  amount,
  boolean,
  events,
  id,
  instant,
  integer,
  list,
  nullable,
  oneOf,
  optional,
  record,
  text,
  tuple,
  union,
  type ValueOf,
} from '../schema.ts'
import type { Instant } from '../time.ts'

const transferFields = {
  network: id(),
  txHash: text(),
  logIndex: integer(),
  block: amount(),
  address: text(),
  symbol: optional(id()),
  wallet: text(),
  /** In the chain's smallest units. */
  units: amount(),
  /** The part of the amount below a billionth of a token. */
  dust: amount(),
  /** The redemption created for this transfer, until the tokens are burned. */
  redeem: optional(
    record({ issuer: id<IssuerCode>(), accountId: id<AccountId>(), requestId: id<RequestId>() }),
  ),
  /** State of the burn transaction; `due` is the next attempt. */
  burn: optional(record({ attempts: integer(), due: instant<Instant>(), problem: text() })),
  /** Why the transfer needs manual review. */
  problem: optional(text()),
  at: instant<Instant>(),
}

/** Data about an external chain that must survive a restart, beside the ledger. */
const chainFactSchema = union('fact', {
  /** A token contract; the QuipuToken contract accepts every request id only once. */
  token: {
    network: id(),
    symbol: id(),
    address: text(),
    decimals: integer(),
    isQuipuToken: boolean(),
  },
  /** A signed transaction, stored before it is sent, so that a retry sends the same bytes. */
  sent: { network: id(), txHash: text(), raw: text(), nonce: amount() },
  /** All blocks up to this one have been processed. */
  processed: {
    block: amount(),
    /** The chain's id, so that a different chain at the same URL is noticed. */
    chainId: amount(),
    /** Part of every id sent to contracts, so that two worlds sharing a contract use different ids. */
    salt: text(),
  },
  /** The account that minted to a wallet; absent if several accounts did. */
  wallet: { accountId: optional(id<AccountId>()) },
  /** A transfer of tokens to the redemption wallet. */
  transfer: transferFields,
  /** Total dust of a token in the redemption wallet. */
  dust: { units: amount() },
})
export type ChainFact = ValueOf<typeof chainFactSchema>
export type TokenFact = Extract<ChainFact, { fact: 'token' }>
export type SentFact = Extract<ChainFact, { fact: 'sent' }>
export type ProcessedFact = Extract<ChainFact, { fact: 'processed' }>
export type TransferFact = Extract<ChainFact, { fact: 'transfer' }>

/** A name and its fact; null deletes the fact. */
const namedFactSchema = tuple(text(), nullable(chainFactSchema))
export type NamedFact = ValueOf<typeof namedFactSchema>

export type ChainCommand = ByKind<{
  recordChainFacts: { readonly facts: readonly NamedFact[] }
  /** Marks a transfer that could not be matched to an account as reviewed, with a note. */
  resolveUnmatchedTransfer: {
    readonly network: string
    readonly txHash: string
    readonly logIndex: number
    readonly note: string
  }
}>

export const chainEvents = events({
  chainFactsRecorded: { facts: list(namedFactSchema) },
  unmatchedTransferResolved: {
    name: text(),
    /** The transfer before its removal. */
    transfer: record({ fact: oneOf('transfer'), ...transferFields }),
    note: text(),
  },
})
