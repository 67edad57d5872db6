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
  PersonId,
  RequestId,
  Ticker,
  TokenId,
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
import type { BrowserSession, Person, SignInLink } from './people/person.ts'
import type { CivilDate, Instant } from './time.ts'
import type { SigningKeyStored } from './tokenization/events.ts'
import type { Issuer, Link, TokenizationRequest } from './tokenization/request.ts'
import type { Watchlist } from './watchlists/watchlist.ts'
import type { WorldSettings } from './world.ts'

/** How much of a quote's shown size has been given away: sums, added to in place. */
export type Taken = { readonly quoteAt: Instant; bought: Quantity; sold: Quantity }

/** Closed orders, oldest first, and at the same places the numbers of the events that closed them. */
type Closed = { readonly ids: OrderId[]; readonly seqs: number[] }

/** A dividend that an account is owed; negative where it owes it. */
export type Earned = { readonly quantity: Quantity; readonly amount: Money }

type SigningKey = SigningKeyStored['sealed']

/** All a world knows. `apply` alone writes it (and `forget`, which drops what the views have). */
export type State = {
  /** The journal number of the last event. */
  seq: number
  /** When that was; time in a world only rises. */
  lastAt: Instant
  /** And of the last regular close. */
  dayClosedSeq: number
  settings: WorldSettings | undefined
  /** Listed beside the market's own. */
  readonly symbols: Map<Ticker, AddedSymbol>
  /** What happens to the market beside its ordinary course. */
  readonly marketEvents: MarketEvent[]
  /** The imported series that the market uses. */
  importedData: readonly ImportedSeries[]
  /** What issuers did, and will do, to their shares; the tapes follow it. */
  readonly actions: Map<ActionId, CorporateAction>
  /** The journal number of the last change of these. */
  actionsSeq: number
  /** Dividends that were earned and are not paid yet. */
  readonly dividends: Map<ActionId, Map<AccountId, Earned>>
  readonly people: Map<PersonId, Person>
  readonly personNames: Map<string, PersonId>
  /** Until a later sign-in finds them ended. */
  readonly sessions: Map<Digest, BrowserSession>
  readonly signInLinks: Map<Digest, SignInLink>
  readonly partners: Map<PartnerId, Partner>
  readonly accounts: Map<AccountId, Account>
  /** What partners call their accounts. */
  readonly accountNames: Map<string, AccountId>
  readonly keys: Map<KeyId, Key>
  /** What partners did under idempotency keys, oldest first, with the number of its event, until the views have it. */
  readonly keyedCalls: Map<string, { readonly seq: number; readonly call: KeyedCall }>
  readonly ledger: Ledger
  readonly positions: Map<AccountId, Map<Ticker, Position>>
  readonly unsettled: Map<AccountId, Map<CivilDate, Unsettled>>
  readonly holds: Map<AccountId, Holds>
  /** What regulators take of the fills since the last close. */
  readonly fees: Map<AccountId, Accrued>
  /** Open orders, and closed ones until the views have them. */
  readonly orders: Map<OrderId, Order>
  readonly clientOrderIds: Map<AccountId, Map<ClientOrderId, OrderId>>
  /** The same open orders, by account, symbol and side. */
  readonly own: SelfTradeIndex
  /** The open members of each group, by the parent's id; the parent itself may have ended. */
  readonly groups: Map<OrderId, Set<OrderId>>
  readonly books: Map<Ticker, Book>
  /** Those who wait for a trade. */
  readonly triggers: Map<Ticker, Triggers>
  /** Those who wait for an auction, by when it is held. */
  readonly auctions: Map<Ticker, Map<Instant, Set<OrderId>>>
  readonly taken: Map<Ticker, Taken>
  readonly agenda: Agenda
  /** As far as they are in memory. */
  readonly closed: Closed
  /** Accounts that have closed orders which only the views still hold. */
  readonly letGo: Set<AccountId>
  /** By account; an account without any is not there. */
  readonly watchlists: Map<AccountId, Map<WatchlistId, Watchlist>>
  readonly apps: Map<AppId, App>
  readonly clientIds: Map<ClientId, AppId>
  readonly grants: Map<GrantId, Grant>
  /** Until a later code finds them expired; oldest first. */
  readonly codes: Map<Digest, Code>
  readonly tokens: Map<TokenId, Token>
  readonly tokenDigests: Map<Digest, TokenId>
  /** Of partners' programs; oldest first. */
  readonly machineTokens: Map<Digest, MachineToken>
  /** Signed statements that have served, until they would have expired. */
  readonly assertions: Map<Digest, Instant>
  readonly issuers: Map<IssuerCode, Issuer>
  /** By account and issuer. */
  readonly links: Map<string, Link>
  /** Pending requests, and ended ones until the views have them. */
  readonly requests: Map<RequestId, TokenizationRequest>
  readonly idempotencyKeys: Map<string, RequestId>
  /** Ids that issuers gave their redeems. */
  readonly issuerRequestIds: Map<string, RequestId>
  /** What issuers outside want to see with every call. */
  readonly issuerKeys: Map<IssuerCode, string>
  /** What calls to issuers are signed with; made when the first one wants it. */
  signingKey: SigningKey | undefined
  /** Ended requests in memory, oldest first, with the number of the event that ended them. */
  readonly closedRequests: Map<RequestId, number>
  readonly jobs: Map<JobId, Job>
  /** What is known of networks outside. */
  readonly chain: Map<string, ChainFact>
}

type Readable<Part> =
  Part extends Map<infer K, infer V>
    ? ReadonlyMap<K, Readable<V>>
    : Part extends Set<infer V>
      ? ReadonlySet<V>
      : Part extends readonly (infer V)[]
        ? readonly V[]
        : Part extends Account | Holds | Unsettled | SelfTradeEntry | SelfTradeSide | Accrued | Taken | Closed
          ? { readonly [Sum in keyof Part]: Readable<Part[Sum]> }
          : Part

/** The state as everyone else sees it. */
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
  ...emptyPeople(),
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

const emptyPeople = () =>
  ({
    people: new Map(),
    personNames: new Map(),
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
    own: new Map(),
    groups: new Map(),
    books: new Map(),
    triggers: new Map(),
    auctions: new Map(),
    taken: new Map(),
    agenda: emptyAgenda(),
    closed: { ids: [], seqs: [] },
    letGo: new Set(),
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

/** A world's settings; they are there from its first event on. */
export function settingsOf(view: View): WorldSettings {
  if (!view.settings) throw new Error('bug: this world was never opened')
  return view.settings
}

/** The order an account knows by a client id, as far as memory reaches. */
export const orderIdOf = (
  view: View,
  accountId: AccountId,
  clientOrderId: ClientOrderId,
): OrderId | undefined => view.clientOrderIds.get(accountId)?.get(clientOrderId)
