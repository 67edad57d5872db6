import type {
  AccountId,
  AssetClass,
  ClientOrderId,
  Instant,
  IssuerCode,
  KeyedCall,
  Order,
  OrderId,
  PartnerId,
  PublicStatus,
  RequestId,
  Side,
  State,
  Ticker,
  TokenizationRequest,
} from '@quipu/core'

import type { HistoryQuery, UpdatesQuery } from './history.ts'

/** Selects orders of one account, sorted by submission time. */
export type OrdersQuery = {
  readonly accountId: AccountId
  readonly status: 'open' | 'closed' | 'all'
  readonly limit: number
  readonly direction: 'asc' | 'desc'
  /** Both exclusive. */
  readonly after?: Instant
  readonly until?: Instant
  readonly symbols?: readonly Ticker[]
  /** At least one. */
  readonly classes?: readonly AssetClass[]
  readonly side?: Side
  /** Exclusive cursors: positions in the sorted list. If both are set, `beforeOrderId` is used. */
  readonly beforeOrderId?: OrderId
  readonly afterOrderId?: OrderId
  /** The position of the cursor's order, if the caller knows it. Saves the query tables a lookup. */
  readonly cursor?: OrderPosition
  /** Omit legs whose parents match the status and side, because the list shows them under their parents. */
  readonly nested?: boolean
}

/** The sort key of orders. It is unique. */
export type OrderPosition = Pick<Order, 'submittedAt' | 'createdAt' | 'id'>

/** Selects tokenization requests of one account, newest first. */
export type RequestsQuery = {
  readonly accountId: AccountId
  readonly limit: number
  readonly kind?: TokenizationRequest['kind']
  readonly status?: PublicStatus
  readonly underlying?: Ticker
  readonly issuer?: IssuerCode
  readonly network?: string
  /** The label that this side gave the request. */
  readonly label?: string
  /** Both exclusive. */
  readonly after?: Instant
  readonly before?: Instant
}

/**
 * Query tables built from the journal, for data that is no longer in memory. They may lag behind. Before a query,
 * wait until they have reached the last event of the account.
 */
export interface QueryTables {
  /** The number of the last event in the tables. */
  position(): number
  /** Reports a new last durable event, so that the query tables continue. */
  follow(seq: number): void
  /** The event at which these query tables need a copy of the state; absent if they need none. */
  readonly stateWantedAt?: number | undefined
  /** That state, which a replay of the journal passes. Without it, the query tables replay the journal themselves. */
  takeState?(state: State | undefined): void
  /** Resolves when the tables contain all events up to this number. */
  reached(seq: number): Promise<void>
  /** Also resolves while the tables wait for space on a full disk. Absent: they never do. */
  reachedOrFull?(seq: number): Promise<void>
  orders(query: OrdersQuery): Promise<readonly Order[]>
  /** The legs of these parents, oldest first, including replaced ones. */
  legs(accountId: AccountId, parentIds: readonly OrderId[]): Promise<readonly Order[]>
  order(accountId: AccountId, orderId: OrderId): Promise<Order | undefined>
  orderByClientId(accountId: AccountId, clientOrderId: ClientOrderId): Promise<Order | undefined>
  requests(query: RequestsQuery): Promise<readonly TokenizationRequest[]>
  request(accountId: AccountId, requestId: RequestId): Promise<TokenizationRequest | undefined>
  /** The newest request with this label. */
  requestByLabel(accountId: AccountId, label: string): Promise<TokenizationRequest | undefined>
  /** What is stored under a key: the response to a call of a credential, or a journal between two worlds. */
  callByKey(owner: PartnerId, key: string): Promise<KeyedCall | undefined>
  /** Records of an account's history. Their content depends on the part. */
  history(query: HistoryQuery): Promise<readonly string[]>
  /** Rows of an account's order updates, for `unpackUpdates`. */
  updates(query: UpdatesQuery): Promise<readonly Uint8Array[]>
  close(): Promise<void>
  /** Closes the query tables after a failure of the journal, without waiting for its store. Absent: like `close`. */
  abandon?(): Promise<void>
}

/** The query tables are damaged. Closing the query tables deletes the tables, and the next opening rebuilds them. */
export class QueryTablesDamaged extends Error {
  constructor(cause: unknown) {
    super(`the query tables are damaged: ${cause instanceof Error ? cause.message : cause}`, { cause })
    this.name = 'QueryTablesDamaged'
  }
}
