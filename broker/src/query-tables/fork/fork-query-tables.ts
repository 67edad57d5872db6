import {
  type AccountId,
  type ClientOrderId,
  type Instant,
  type KeyedCall,
  later,
  type Order,
  type OrderId,
  type PartnerId,
  type RequestId,
  relatedOrderSide,
  type State,
  type TokenizationRequest,
} from '@quipu/core'
import type { Journal } from '../../journal/journal.ts'
import { boundsOf, type HistoryQuery, historyId, type UpdatesQuery } from '../history.ts'
import { MemoryQueryTables } from '../memory.ts'
import { openRows } from '../projection.ts'
import type { OrdersQuery, QueryTables, RequestsQuery } from '../query-tables.ts'
import { selectLegs, selectOrders, selectRequests } from '../select.ts'
import { updatesUpTo } from '../updates.ts'

export type ForkQueryTablesParts = {
  /** The fork's journal. */
  readonly journal: Journal
  /** The state at the fork, without closed orders and requests. The query tables modify it from now on. */
  readonly state: State
  /** The parent's query tables, which contain all events up to the fork. */
  readonly parent: () => QueryTables
}

/**
 * Query tables of a fork: its own rows in memory, and its parent's rows of orders and requests that were closed at the fork.
 */
export function openForkQueryTables(parts: ForkQueryTablesParts): QueryTables {
  return new ForkQueryTables(parts)
}

type OpenAtFork = { count: number; readonly parents: OrderId[] }

/**
 * A row of the parent is used if its order or request was closed at the fork, because such a row never changes.
 * Orders and requests that were open at the fork have their own row in the fork, with the same id. Later rows of the
 * parent have later times, because a fork is between two turns and time increases with each turn. The parent may
 * reuse ids of the fork.
 */
class ForkQueryTables implements QueryTables {
  readonly #forkQueryTables: MemoryQueryTables
  readonly #parent: () => QueryTables
  /** The last event before the fork. */
  readonly #at: Instant
  readonly #seq: number
  /** Parent rows before this time are usable. */
  readonly #parentUntil: Instant
  readonly #orders = new Map<AccountId, OpenAtFork>()
  readonly #requests = new Map<AccountId, number>()

  constructor({ journal, state, parent }: ForkQueryTablesParts) {
    this.#parent = parent
    this.#at = state.lastAt
    this.#seq = state.seq
    this.#parentUntil = later(state.lastAt, 1n)
    for (const { accountId } of openRows(state).requests)
      this.#requests.set(accountId, (this.#requests.get(accountId) ?? 0) + 1)
    for (const { accountId, id, group } of state.orders.values()) {
      const open = this.#orders.get(accountId) ?? { count: 0, parents: [] }
      this.#orders.set(accountId, open)
      open.count += 1
      if (group?.legIds) open.parents.push(id)
    }
    this.#forkQueryTables = new MemoryQueryTables(journal, state)
  }

  position(): number {
    return this.#forkQueryTables.position()
  }

  follow(seq: number): void {
    this.#forkQueryTables.follow(seq)
  }

  reached(seq: number): Promise<void> {
    return this.#forkQueryTables.reached(seq)
  }

  async orders(query: OrdersQuery): Promise<readonly Order[]> {
    const { accountId } = query
    const id = query.beforeOrderId ?? query.afterOrderId
    const cursor = query.cursor ?? (id === undefined ? undefined : await this.order(accountId, id))
    if (id !== undefined && !cursor) return []
    const parentQuery = cursor ? { ...query, cursor } : query
    if (query.status === 'open') return selectOrders(this.#forkQueryTables.ordersOf(accountId), parentQuery)
    const ended = await this.#closedInParent(parentQuery)
    const forkOrders = [...this.#forkQueryTables.ordersOf(accountId)].filter(
      (order) => !this.#isNestedInParent(order, query),
    )
    return selectOrders([...forkOrders, ...ended], parentQuery)
  }

  async legs(accountId: AccountId, parentIds: readonly OrderId[]): Promise<readonly Order[]> {
    const legs = await this.#parent().legs(accountId, parentIds)
    return selectLegs([...this.#forkQueryTables.ordersOf(accountId), ...this.#shared(legs)], parentIds)
  }

  order(accountId: AccountId, orderId: OrderId): Promise<Order | undefined> {
    return this.#find((queryTables) => queryTables.order(accountId, orderId))
  }

  orderByClientId(accountId: AccountId, clientOrderId: ClientOrderId): Promise<Order | undefined> {
    return this.#find((queryTables) => queryTables.orderByClientId(accountId, clientOrderId))
  }

  async requests(query: RequestsQuery): Promise<readonly TokenizationRequest[]> {
    const { accountId } = query
    const found = await this.#parent().requests({
      ...query,
      before: earlier(query.before, this.#parentUntil),
      limit: query.limit + (this.#requests.get(accountId) ?? 0),
    })
    const ended = found.filter(({ id }) => !this.#forkQueryTables.hasRequest(accountId, id))
    return selectRequests([...(await this.#forkQueryTables.requests(query)), ...ended], query)
  }

  request(accountId: AccountId, requestId: RequestId): Promise<TokenizationRequest | undefined> {
    return this.#find((queryTables) => queryTables.request(accountId, requestId))
  }

  async requestByLabel(accountId: AccountId, label: string): Promise<TokenizationRequest | undefined> {
    return (await this.requests({ accountId, label, limit: 1 }))[0]
  }

  async callByKey(partnerId: PartnerId, key: string): Promise<KeyedCall | undefined> {
    const forkRow = await this.#forkQueryTables.callByKey(partnerId, key)
    if (forkRow) return forkRow
    const call = await this.#parent().callByKey(partnerId, key)
    return call && this.#ifBeforeFork(createdBy(call)) && call
  }

  history(query: HistoryQuery): Promise<readonly string[]> {
    const ofParent = (rest: HistoryQuery) => this.#parent().history(this.#untilFork(rest))
    return inSequence(query, ofParent, (rest) => this.#forkQueryTables.history(rest))
  }

  updates(query: UpdatesQuery): Promise<readonly Uint8Array[]> {
    const ofParent = (rest: UpdatesQuery) => this.#parentUpdates(this.#untilFork(rest))
    return inSequence(query, ofParent, (rest) => this.#forkQueryTables.updates(rest))
  }

  close(): Promise<void> {
    return this.#forkQueryTables.close()
  }

  /**
   * The parent's closed orders that a list may show. The parent world may have changed parent orders after the fork,
   * so all legs of orders that were open at the fork are checked. Unusable rows do not count against the limit.
   */
  async #closedInParent(query: OrdersQuery): Promise<readonly Order[]> {
    const { accountId } = query
    const queryTables = this.#parent()
    const open = this.#orders.get(accountId) ?? { count: 0, parents: [] }
    const legs =
      query.nested && open.parents.length > 0 ? await queryTables.legs(accountId, open.parents) : []
    const closed = await queryTables.orders({
      ...query,
      status: 'closed',
      until: earlier(query.until, this.#parentUntil),
      limit: query.limit + open.count + legs.length,
    })
    const known = new Set(closed.map(({ id }) => id))
    return this.#shared([...closed, ...legs.filter(({ id }) => !known.has(id))])
  }

  /** Whether a list nests an order under a parent order that was closed at the fork. */
  #isNestedInParent({ accountId, side, group }: Order, query: OrdersQuery): boolean {
    if (!query.nested || !group?.parentId || this.#forkQueryTables.hasOrder(accountId, group.parentId))
      return false
    return query.side === undefined || query.side === relatedOrderSide(group.class, side)
  }

  #shared(orders: readonly Order[]): readonly Order[] {
    return orders.filter(
      ({ accountId, id, createdAt }) =>
        createdAt <= this.#at && !this.#forkQueryTables.hasOrder(accountId, id),
    )
  }

  /** The row of the fork, else the row of the parent from before the fork. */
  async #find<Row extends { readonly createdAt: Instant }>(
    find: (queryTables: QueryTables) => Promise<Row | undefined>,
  ): Promise<Row | undefined> {
    return (await find(this.#forkQueryTables)) ?? this.#ifBeforeFork(await find(this.#parent()))
  }

  #ifBeforeFork<Row extends { readonly createdAt: Instant }>(row: Row | undefined): Row | undefined {
    return row && row.createdAt <= this.#at ? row : undefined
  }

  #untilFork<Query extends UpdatesQuery>(query: Query): Query {
    return { ...query, until: earlier(query.until, this.#parentUntil) }
  }

  async #parentUpdates(query: UpdatesQuery): Promise<readonly Uint8Array[]> {
    const queryTables = this.#parent()
    const rows = await queryTables.updates(query)
    const last = await this.#lastUpdates(queryTables, query)
    if (last === undefined) return rows
    return (query.direction === 'asc' ? [...rows, last] : [last, ...rows]).slice(0, query.limit)
  }

  /** A row of updates may extend past the fork; only its updates before the fork are used. */
  async #lastUpdates(queryTables: QueryTables, query: UpdatesQuery): Promise<Uint8Array | undefined> {
    const { accountId } = query
    const [next] = await queryTables.updates({ accountId, after: this.#at, direction: 'asc', limit: 1 })
    const cut = next === undefined ? undefined : updatesUpTo(next, this.#seq)
    if (!cut) return undefined
    const { above, below } = boundsOf({ ...query, part: 'updates' })
    const id = historyId('updates', cut.position)
    return id > above && id < below ? cut.record : undefined
  }
}

/** The rows of the parent and of the fork. All rows of the parent are before the rows of the fork. */
async function inSequence<Query extends UpdatesQuery, Stored>(
  query: Query,
  ofParent: (query: Query) => Promise<readonly Stored[]>,
  ofFork: (query: Query) => Promise<readonly Stored[]>,
): Promise<readonly Stored[]> {
  const [first, second] = query.direction === 'asc' ? [ofParent, ofFork] : [ofFork, ofParent]
  const some = await first(query)
  if (query.limit === undefined) return [...some, ...(await second(query))]
  const left = query.limit - some.length
  return left > 0 ? [...some, ...(await second({ ...query, limit: left }))] : some
}

const earlier = (bound: Instant | undefined, until: Instant): Instant =>
  bound !== undefined && bound < until ? bound : until

/** The object that a call created. */
const createdBy = ({ led }: KeyedCall): { readonly createdAt: Instant } =>
  led.kind === 'bookTransfer' ? led.bookTransfer : led
