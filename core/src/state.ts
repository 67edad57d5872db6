import type { Account, Holds, Key, Partner, Position, Unsettled } from './account/account.ts'
import type { Accrued } from './account/fees.ts'
import type { KeyedCall } from './account/partner/movements.ts'
import type { CorporateAction } from './actions/action.ts'
import { type Agenda, type AgendaView, emptyAgenda } from './agenda.ts'
import type { Money, Quantity } from './amount.ts'
import type { ChainFact } from './chain/facts.ts'
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
  Ticker,
  TokenId,
  UserId,
  WatchlistId,
} from './ids.ts'
import type { Job } from './jobs/job.ts'
import type { Ledger, LedgerView } from './ledger/ledger.ts'
import type { AddedSymbol } from './market/added.ts'
import type { ImportedSeries } from './market/imported.ts'
import type { MarketEvent } from './market/market-event.ts'
import type { App, Code, Grant, MachineToken, Token } from './oauth/app.ts'
import type { Book, BookView } from './orders/matching/book.ts'
import type { Triggers, TriggersView } from './orders/matching/trigger-book.ts'
import type { Order } from './orders/order.ts'
import type { SelfTradeEntry, SelfTradeIndex, SelfTradeSide } from './orders/self-trade-index.ts'
import type { CivilDate, Instant } from './time.ts'
import type { SigningKeyStored } from './tokenization/events.ts'
import type { Issuer, Link, TokenizationRequest } from './tokenization/request.ts'
import type { BrowserSession, SignInLink, User } from './users/user.ts'
import type { Watchlist } from './watchlists/watchlist.ts'
import type { WorldSettings } from './world.ts'

/** Displayed size of a quote that is used up, updated in place. */
export type UsedSize = { readonly quoteAt: Instant; bought: Quantity; sold: Quantity }

/** Closed orders, oldest first, and the journal sequence numbers at the same indexes. */
type Closed = { readonly ids: OrderId[]; readonly seqs: number[] }

/** A dividend owed to an account; negative if the account owes it. */
export type DividendOwed = { readonly quantity: Quantity; readonly amount: Money }

type SigningKey = SigningKeyStored['sealed']

/**
 * The complete state of a world. Only `apply` writes it, and `forget`, which drops data that the views have.
 */
export type State = {
  /** Journal sequence number of the last event. */
  seq: number
  /** Time of the last event; a world's time never decreases. */
  lastAt: Instant
  /** Sequence number of the last regular close. */
  dayClosedSeq: number
  settings: WorldSettings | undefined
  /** Custom symbols. */
  readonly symbols: Map<Ticker, AddedSymbol>
  /** Scheduled market events. */
  readonly marketEvents: MarketEvent[]
  /** The imported series that the market uses. */
  importedData: readonly ImportedSeries[]
  /** Corporate actions, past and scheduled; the tapes follow them. */
  readonly actions: Map<ActionId, CorporateAction>
  /** Sequence number of the last change of `actions`. */
  actionsSeq: number
  /** Dividends earned and not paid yet. */
  readonly dividends: Map<ActionId, Map<AccountId, DividendOwed>>
  readonly users: Map<UserId, User>
  readonly userNames: Map<string, UserId>
  /** Expired sessions stay until a later sign-in removes them. */
  readonly sessions: Map<Digest, BrowserSession>
  readonly signInLinks: Map<Digest, SignInLink>
  readonly partners: Map<PartnerId, Partner>
  readonly accounts: Map<AccountId, Account>
  /** Accounts by the partner's client id. */
  readonly accountNames: Map<string, AccountId>
  readonly keys: Map<KeyId, Key>
  /**
   * Partners' calls by idempotency key, oldest first, with the sequence number of the event; kept until the
   * views have them.
   */
  readonly keyedCalls: Map<string, { readonly seq: number; readonly call: KeyedCall }>
  readonly ledger: Ledger
  readonly positions: Map<AccountId, Map<Ticker, Position>>
  readonly unsettled: Map<AccountId, Map<CivilDate, Unsettled>>
  readonly holds: Map<AccountId, Holds>
  /** Accrued regulatory fees since the last close. */
  readonly fees: Map<AccountId, Accrued>
  /** Open orders, and closed ones until the views have them. */
  readonly orders: Map<OrderId, Order>
  readonly clientOrderIds: Map<AccountId, Map<ClientOrderId, OrderId>>
  /** Counts of open orders by account, symbol and side. */
  readonly selfTradeIndex: SelfTradeIndex
  /** Open members of each order group, by the parent's id; the parent itself may have ended. */
  readonly groups: Map<OrderId, Set<OrderId>>
  readonly books: Map<Ticker, Book>
  /** Orders that wait for a trade. */
  readonly triggers: Map<Ticker, Triggers>
  /** Orders that wait for an auction, by auction time. */
  readonly auctions: Map<Ticker, Map<Instant, Set<OrderId>>>
  readonly usedSizes: Map<Ticker, UsedSize>
  readonly agenda: Agenda
  /** Only orders still in memory. */
  readonly closed: Closed
  /** Accounts with closed orders that only the views have. */
  readonly accountsWithDroppedOrders: Set<AccountId>
  /** Accounts without watchlists have no entry. */
  readonly watchlists: Map<AccountId, Map<WatchlistId, Watchlist>>
  readonly apps: Map<AppId, App>
  readonly clientIds: Map<ClientId, AppId>
  readonly grants: Map<GrantId, Grant>
  /** Expired codes stay until a later code removes them; oldest first. */
  readonly codes: Map<Digest, Code>
  readonly tokens: Map<TokenId, Token>
  readonly tokenDigests: Map<Digest, TokenId>
  /** Tokens of partners' keys; oldest first. */
  readonly machineTokens: Map<Digest, MachineToken>
  /** Used client assertions, until they expire. */
  readonly assertions: Map<Digest, Instant>
  readonly issuers: Map<IssuerCode, Issuer>
  /** By account and issuer. */
  readonly links: Map<string, Link>
  /** Pending requests, and ended ones until the views have them. */
  readonly requests: Map<RequestId, TokenizationRequest>
  readonly idempotencyKeys: Map<string, RequestId>
  /** Issuers' own ids of redeems. */
  readonly issuerRequestIds: Map<string, RequestId>
  /** API keys of external issuers. */
  readonly issuerKeys: Map<IssuerCode, string>
  /** Signs calls to issuers; created on first use. */
  signingKey: SigningKey | undefined
  /** Ended requests in memory, oldest first, with the sequence number of the event that ended them. */
  readonly closedRequests: Map<RequestId, number>
  readonly jobs: Map<JobId, Job>
  /** Data about external chains. */
  readonly chain: Map<string, ChainFact>
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

export const emptyState = (): State => ({
  seq: 0,
  lastAt: 0n as Instant,
  dayClosedSeq: 0,
  settings: undefined,
  ...emptyMarket(),
  ...emptyUsers(),
  ...emptyAccounts(),
  ...emptyOrders(),
  watchlists: new Map(),
  ...emptyApps(),
  ...emptyTokenization(),
  jobs: new Map(),
  chain: new Map(),
})

const emptyMarket = () =>
  ({
    symbols: new Map(),
    marketEvents: [],
    importedData: [],
    actions: new Map(),
    actionsSeq: 0,
    dividends: new Map(),
  }) satisfies Partial<State>

const emptyUsers = () =>
  ({
    users: new Map(),
    userNames: new Map(),
    sessions: new Map(),
    signInLinks: new Map(),
  }) satisfies Partial<State>

const emptyAccounts = () =>
  ({
    partners: new Map(),
    accounts: new Map(),
    accountNames: new Map(),
    keys: new Map(),
    keyedCalls: new Map(),
    ledger: new Map(),
    positions: new Map(),
    unsettled: new Map(),
    holds: new Map(),
    fees: new Map(),
  }) satisfies Partial<State>

const emptyOrders = () =>
  ({
    orders: new Map(),
    clientOrderIds: new Map(),
    selfTradeIndex: new Map(),
    groups: new Map(),
    books: new Map(),
    triggers: new Map(),
    auctions: new Map(),
    usedSizes: new Map(),
    agenda: emptyAgenda(),
    closed: { ids: [], seqs: [] },
    accountsWithDroppedOrders: new Set(),
  }) satisfies Partial<State>

const emptyApps = () =>
  ({
    apps: new Map(),
    clientIds: new Map(),
    grants: new Map(),
    codes: new Map(),
    tokens: new Map(),
    tokenDigests: new Map(),
    machineTokens: new Map(),
    assertions: new Map(),
  }) satisfies Partial<State>

const emptyTokenization = () =>
  ({
    issuers: new Map(),
    links: new Map(),
    requests: new Map(),
    idempotencyKeys: new Map(),
    issuerRequestIds: new Map(),
    issuerKeys: new Map(),
    signingKey: undefined,
    closedRequests: new Map(),
  }) satisfies Partial<State>

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
