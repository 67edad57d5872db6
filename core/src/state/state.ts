import type { Account, Holds, Key, Partner, Position, Unsettled } from '../account/account.ts'
import type { Accrued } from '../account/fees/fees.ts'
import type { MarginCall } from '../account/margin-calls/events.ts'
import type { KeyedCall } from '../account/partner/movements.ts'
import type { CorporateAction } from '../actions/action.ts'
import { type AgendaView, emptyAgenda } from '../agenda.ts'
import type { Money, Quantity } from '../amount.ts'
import type { ChainFact } from '../chain/facts.ts'
import type { CivilDate } from '../civil-date.ts'
import type {
  AccountId,
  ActionId,
  AppId,
  ClientId,
  ClientOrderId,
  Digest,
  GrantId,
  IssuerCode,
  JobId,
  KeyId,
  OrderId,
  PartnerId,
  RequestId,
  RunId,
  Ticker,
  TokenId,
  UserId,
  WatchlistId,
} from '../ids.ts'
import type { Job } from '../jobs/job.ts'
import { emptyLedger, type LedgerView } from '../ledger/ledger.ts'
import type { AddedSymbol } from '../market/assets/added.ts'
import type { Followed } from '../market/followed.ts'
import type { ImportedSeries } from '../market/imported.ts'
import type { MarketEvent } from '../market/market-event.ts'
import type { App, Code, Grant, MachineToken, Token } from '../oauth/app.ts'
import type { Book, BookView } from '../orders/matching/book.ts'
import type { Triggers, TriggersView } from '../orders/matching/trigger-book.ts'
import type { Order } from '../orders/order.ts'
import { emptySelfTradeIndex, type SelfTradeEntry, type SelfTradeSide } from '../orders/self-trade-index.ts'
import type { StoredRun } from '../runs/run.ts'
import { EPOCH, type Instant } from '../time.ts'
import type { SigningKeyStored } from '../tokenization/events.ts'
import type { Issuer, Link, TokenizationRequest } from '../tokenization/request.ts'
import type { BrowserSession, SignInLink, User } from '../users/user.ts'
import type { Watchlist } from '../watchlists/watchlist.ts'
import type { WorldSettings } from '../world.ts'
import type { WorldDescription } from '../worlds/description.ts'

/** Displayed size of a quote that is used up, updated in place. */
export type UsedSize = {
  readonly quoteAt: Instant
  bought: Quantity
  sold: Quantity
  /** The volume of a minute that is used up, if fills are limited to a share of it. */
  readonly minuteAt?: Instant
  readonly taken?: Quantity
}

/** Closed orders, oldest first, and the journal sequence numbers at the same indexes. */
type Closed = { readonly ids: OrderId[]; readonly seqs: number[] }

/** A dividend owed to an account; negative if the account owes it. */
export type DividendOwed = { readonly quantity: Quantity; readonly amount: Money }

/** Values of an empty state, with the types of their later values. */
const listOf = <Item>(): Item[] => []
const readonlyListOf = <Item>(): readonly Item[] => []
const absent = <Value>(): Value | undefined => undefined
const emptyClosed = (): Closed => ({ ids: [], seqs: [] })

const emptyMarket = () => ({
  /** Custom symbols. */
  symbols: new Map<Ticker, AddedSymbol>(),
  /** Scheduled market events. */
  marketEvents: listOf<MarketEvent>(),
  /** Numbers of removed market events. */
  removedMarketEvents: new Set<number>(),
  /** The imported series that the market uses. */
  importedData: readonlyListOf<ImportedSeries>(),
  /** Corporate actions, past and scheduled; the tapes follow them. */
  actions: new Map<ActionId, CorporateAction>(),
  /** Sequence number of the last change of `actions`. */
  actionsSeq: 0,
  /** Dividends earned and not paid yet. */
  dividends: new Map<ActionId, Map<AccountId, DividendOwed>>(),
})

const emptyUsers = () => ({
  users: new Map<UserId, User>(),
  userNames: new Map<string, UserId>(),
  /** Expired sessions stay until a later sign-in removes them. */
  sessions: new Map<Digest, BrowserSession>(),
  signInLinks: new Map<Digest, SignInLink>(),
})

const emptyAccounts = () => ({
  partners: new Map<PartnerId, Partner>(),
  accounts: new Map<AccountId, Account>(),
  /** Accounts by the partner's client id. */
  accountNames: new Map<string, AccountId>(),
  keys: new Map<KeyId, Key>(),
  /** In a copy: the keys that each account or partner had in the original. They open nothing. */
  formerKeys: new Map<string, readonly KeyId[]>(),
  /**
   * Responses by idempotency key and responses to book transfers, oldest first, with the sequence number of the event; kept
   * until the query tables have them.
   */
  keyedCalls: new Map<string, { readonly seq: number; readonly call: KeyedCall }>(),
  /** How many calls with an idempotency key each account or partner has made. */
  callCounts: new Map<string, number>(),
  ledger: emptyLedger(),
  positions: new Map<AccountId, Map<Ticker, Position>>(),
  unsettled: new Map<AccountId, Map<CivilDate, Unsettled>>(),
  holds: new Map<AccountId, Holds>(),
  /** Accrued regulatory fees since the last close. */
  fees: new Map<AccountId, Accrued>(),
  /** Accrued margin interest since the last month. */
  interest: new Map<AccountId, Money>(),
  /** Open margin calls. */
  marginCalls: new Map<AccountId, MarginCall>(),
})

const emptyOrders = () => ({
  /** Open orders, and closed ones until the query tables have them. */
  orders: new Map<OrderId, Order>(),
  clientOrderIds: new Map<AccountId, Map<ClientOrderId, OrderId>>(),
  /** Counts of open orders by account, symbol and side. */
  selfTradeIndex: emptySelfTradeIndex(),
  /** Open members of each order group, by the parent's id; the parent itself may have ended. */
  groups: new Map<OrderId, Set<OrderId>>(),
  books: new Map<Ticker, Book>(),
  /** Orders that wait for a trade. */
  triggers: new Map<Ticker, Triggers>(),
  /** Orders that wait for an auction, by auction time. */
  auctions: new Map<Ticker, Map<Instant, Set<OrderId>>>(),
  usedSizes: new Map<Ticker, UsedSize>(),
  agenda: emptyAgenda(),
  /** Only orders still in memory. */
  closed: emptyClosed(),
  /** Accounts with closed orders that only the query tables have. */
  accountsWithDroppedOrders: new Set<AccountId>(),
})

const emptyApps = () => ({
  apps: new Map<AppId, App>(),
  clientIds: new Map<ClientId, AppId>(),
  grants: new Map<GrantId, Grant>(),
  /** Expired codes stay until a later code removes them; oldest first. */
  codes: new Map<Digest, Code>(),
  tokens: new Map<TokenId, Token>(),
  tokenDigests: new Map<Digest, TokenId>(),
  /** Tokens of partners' keys; oldest first. */
  machineTokens: new Map<Digest, MachineToken>(),
  /** Used client assertions, until they expire. */
  assertions: new Map<Digest, Instant>(),
})

const emptyTokenization = () => ({
  issuers: new Map<IssuerCode, Issuer>(),
  /** By account and issuer. */
  links: new Map<string, Link>(),
  /** Pending requests, and ended ones until the query tables have them. */
  requests: new Map<RequestId, TokenizationRequest>(),
  /** Issuers' own ids of redeems. */
  issuerRequestIds: new Map<string, RequestId>(),
  /** API keys of external issuers. */
  issuerKeys: new Map<IssuerCode, string>(),
  /** Signs calls to issuers; created on first use. */
  signingKey: absent<SigningKeyStored['sealed']>(),
  /** Ended requests in memory, oldest first, with the sequence number of the event that ended them. */
  closedRequests: new Map<RequestId, number>(),
})

/** Snapshots name the parts of a state in this order. */
export const emptyState = () => ({
  /** Journal sequence number of the last event. */
  seq: 0,
  /** Time of the last event; a world's time never decreases. */
  lastAt: EPOCH,
  /** Sequence number of the last regular close. */
  dayClosedSeq: 0,
  settings: absent<WorldSettings>(),
  ...emptyMarket(),
  ...emptyUsers(),
  ...emptyAccounts(),
  ...emptyOrders(),
  /** Accounts without watchlists have no entry. */
  watchlists: new Map<AccountId, Map<WatchlistId, Watchlist>>(),
  /** Stored runs of programs, oldest first. Only of `main`. */
  runs: new Map<RunId, StoredRun>(),
  /** The highest number of a run so far. */
  runNumber: 0,
  ...emptyApps(),
  ...emptyTokenization(),
  jobs: new Map<JobId, Job>(),
  /** Data about external chains. */
  chain: new Map<string, ChainFact>(),
  /** The followed world, if any. */
  followed: absent<Followed>(),
  description: absent<WorldDescription>(),
})

type StateParts = ReturnType<typeof emptyState>
/** The parts that are replaced; all others are updated in place. */
type Replaced =
  | 'seq'
  | 'lastAt'
  | 'dayClosedSeq'
  | 'settings'
  | 'importedData'
  | 'actionsSeq'
  | 'signingKey'
  | 'runNumber'
  | 'followed'
  | 'description'

/**
 * The complete state of a world. Only `apply` writes it, and `forget`, which drops data that the query tables have.
 */
export type State = Pick<StateParts, Replaced> & {
  readonly [Part in Exclude<keyof StateParts, Replaced>]: StateParts[Part]
}

type Readable<Part> =
  Part extends Map<infer K, infer V>
    ? ReadonlyMap<K, Readable<V>>
    : Part extends Set<infer V>
      ? ReadonlySet<V>
      : Part extends readonly (infer V)[]
        ? readonly V[]
        : Part extends
              | Account
              | Holds
              | Unsettled
              | SelfTradeEntry
              | SelfTradeSide
              | Accrued
              | UsedSize
              | Closed
          ? { readonly [Sum in keyof Part]: Readable<Part[Sum]> }
          : Part

/** Read-only state. */
export type View = {
  readonly [Part in keyof State]: Part extends 'agenda'
    ? AgendaView
    : Part extends 'ledger'
      ? LedgerView
      : Part extends 'books'
        ? ReadonlyMap<Ticker, BookView>
        : Part extends 'triggers'
          ? ReadonlyMap<Ticker, TriggersView>
          : Readable<State[Part]>
}

/** The settings exist from the first event on. */
export function settingsOf(view: View): WorldSettings {
  if (!view.settings) throw new Error('bug: this world was never opened')
  return view.settings
}

/** The order of a client order id, if it is in memory. */
export const orderIdOf = (
  view: View,
  accountId: AccountId,
  clientOrderId: ClientOrderId,
): OrderId | undefined => view.clientOrderIds.get(accountId)?.get(clientOrderId)
