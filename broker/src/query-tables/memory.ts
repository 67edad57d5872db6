import {
  type AccountId,
  type ClientOrderId,
  decode,
  emptyState,
  entryIn,
  isOpen,
  itemAt,
  type KeyedCall,
  type Order,
  type OrderId,
  openOrdersOf,
  orderIdOf,
  type PartnerId,
  type RequestId,
  type State,
  type TokenizationRequest,
} from '@quipu/core'
import type { Journal } from '../journal/journal.ts'
import {
  boundsOf,
  type HistoryQuery,
  type HistoryRow,
  keyId,
  type UpdatesQuery,
  type UpdatesRow,
} from './history.ts'
import { TablesProgress } from './progress.ts'
import { type Changes, openRows, Projection } from './projection.ts'
import type { OrdersQuery, QueryTables, RequestsQuery } from './query-tables.ts'
import { selectLegs, selectOrders, selectRequests } from './select.ts'

/** Events that new query tables leave unread until a caller waits: reading them takes less than a millisecond. */
const UNREAD_MAX = 32

/** Query tables in memory, for worlds without storage. Tests compare the databases with them. */
export async function openMemoryQueryTables(journal: Journal): Promise<QueryTables> {
  const queryTables = new MemoryQueryTables(journal)
  queryTables.follow(journal.head().seq)
  await queryTables.reached(journal.head().seq)
  return queryTables
}

/** Follows the journal once a caller waits or many events are unread. So a new world that nobody reads needs no rows. */
export class MemoryQueryTables implements QueryTables {
  readonly #journal: Journal
  readonly #projection: Projection
  readonly #progress: TablesProgress
  /** Closed orders. Open ones are in the state. */
  readonly #closed = new Map<AccountId, Map<OrderId, Order>>()
  readonly #closedByClientId = new Map<AccountId, Map<ClientOrderId, OrderId>>()
  readonly #requests = new Map<AccountId, Map<RequestId, TokenizationRequest>>()
  readonly #byLabel = new Map<string, Set<RequestId>>()
  readonly #calls = new Map<string, string>()
  readonly #history = new Map<string, HistoryRow[]>()
  readonly #updates = new Map<AccountId, UpdatesRow[]>()
  #target = 0
  #reading: Promise<void> | undefined
  #isReading = false
  /** Batches of many worlds would be due at the same time, so each later event is read at once. */
  #isFollowing = false
  #isOver = false

  /** With a state of the journal, the query tables start at that state with rows for its open orders and requests. */
  constructor(journal: Journal, state = emptyState()) {
    this.#journal = journal
    this.#projection = new Projection(state)
    this.#progress = new TablesProgress(state.seq)
    this.#store(openRows(state))
  }

  /** The state at the position of the rows. */
  get state(): State {
    return this.#projection.state
  }

  /** Every order of an account. */
  *ordersOf(accountId: AccountId): Generator<Order> {
    yield* this.#closed.get(accountId)?.values() ?? []
    yield* openOrdersOf(this.state, accountId)
  }

  hasOrder(accountId: AccountId, orderId: OrderId): boolean {
    return this.#orderOf(accountId, orderId) !== undefined
  }

  hasRequest(accountId: AccountId, requestId: RequestId): boolean {
    return this.#requests.get(accountId)?.has(requestId) ?? false
  }

  position(): number {
    return this.#progress.position
  }

  follow(seq: number): void {
    this.#target = Math.max(this.#target, seq)
    if (this.#isFollowing || this.#target - this.position() > UNREAD_MAX) this.#startReading()
  }

  reached(seq: number): Promise<void> {
    const reached = this.#progress.reached(seq)
    if (seq > this.position()) this.#startReading()
    return reached
  }

  async orders(query: OrdersQuery): Promise<readonly Order[]> {
    return selectOrders(this.ordersOf(query.accountId), query)
  }

  async legs(accountId: AccountId, parentIds: readonly OrderId[]): Promise<readonly Order[]> {
    return selectLegs(this.ordersOf(accountId), parentIds)
  }

  async order(accountId: AccountId, orderId: OrderId): Promise<Order | undefined> {
    return this.#orderOf(accountId, orderId)
  }

  async orderByClientId(accountId: AccountId, clientOrderId: ClientOrderId): Promise<Order | undefined> {
    const orderId =
      orderIdOf(this.state, accountId, clientOrderId) ??
      this.#closedByClientId.get(accountId)?.get(clientOrderId)
    return orderId && this.#orderOf(accountId, orderId)
  }

  async requests(query: RequestsQuery): Promise<readonly TokenizationRequest[]> {
    const { accountId, label } = query
    const mine = this.#requests.get(accountId)
    if (label === undefined) return selectRequests(mine?.values() ?? [], query)
    const labelled = [...(this.#byLabel.get(`${accountId}/${label}`) ?? [])].map((id) => entryIn(mine!, id))
    return selectRequests(labelled, query)
  }

  async request(accountId: AccountId, requestId: RequestId): Promise<TokenizationRequest | undefined> {
    return this.#requests.get(accountId)?.get(requestId)
  }

  async requestByLabel(accountId: AccountId, label: string): Promise<TokenizationRequest | undefined> {
    return (await this.requests({ accountId, label, limit: 1 }))[0]
  }

  async callByKey(partnerId: PartnerId, key: string): Promise<KeyedCall | undefined> {
    const record = this.#calls.get(`${partnerId}/${keyId(key)}`)
    return record === undefined ? undefined : (decode(record) as KeyedCall)
  }

  async history(query: HistoryQuery): Promise<readonly string[]> {
    const { accountId, part, kinds } = query
    const rows = this.#history.get(`${part}/${accountId}`) ?? []
    return recordsIn(rows, query, ({ kind }) => kinds?.includes(kind) ?? true)
  }

  async updates(query: UpdatesQuery): Promise<readonly Uint8Array[]> {
    return recordsIn(this.#updates.get(query.accountId) ?? [], { ...query, part: 'updates' })
  }

  async close(): Promise<void> {
    this.#isOver = true
    await this.#reading
  }

  #orderOf(accountId: AccountId, orderId: OrderId): Order | undefined {
    const open = this.state.orders.get(orderId)
    return open?.accountId === accountId ? open : this.#closed.get(accountId)?.get(orderId)
  }

  #startReading(): void {
    this.#isFollowing = true
    if (this.#isReading || this.#isOver) return
    this.#reading = this.#read().catch((error) => {
      this.#isOver = true
      this.#progress.fail(error)
    })
  }

  // The flag is cleared in the same tick as the last check of the target, so that no call is missed.
  async #read(): Promise<void> {
    this.#isReading = true
    while (!this.#isOver && this.position() < this.#target)
      for await (const entries of this.#journal.read(this.position())) {
        const changes = this.#projection.take(entries)
        this.#store(changes)
        this.#progress.advance(changes.seq)
      }
    this.#isReading = false
  }

  #store({ orders, requests, history, updates }: Changes): void {
    for (const row of updates) entryOf(this.#updates, row.accountId, () => []).push(row)
    for (const row of history)
      if (row.part === 'keys') this.#calls.set(`${row.accountId}/${row.id}`, row.record)
      else entryOf(this.#history, `${row.part}/${row.accountId}`, () => []).push(row)
    for (const order of orders) {
      if (isOpen(order)) continue
      entryOf(this.#closed, order.accountId, newMap).set(order.id, order)
      entryOf(this.#closedByClientId, order.accountId, newMap).set(order.clientOrderId, order.id)
    }
    for (const { accountId, request, label } of requests) {
      entryOf(this.#requests, accountId, newMap).set(request.id, request)
      if (label !== undefined)
        entryOf(this.#byLabel, `${accountId}/${label}`, () => new Set()).add(request.id)
    }
  }
}

const newMap = () => new Map()

/** The value of a key; a new one if there is none. */
function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = make()))
  return value
}

/** The records that a query selects. Rows are sorted by id, so those within its bounds are adjacent. */
function recordsIn<Row extends HistoryRow | UpdatesRow>(
  rows: readonly Row[],
  query: Parameters<typeof boundsOf>[0],
  isWanted: (row: Row) => boolean = () => true,
): readonly Row['record'][] {
  const { direction, limit = Number.POSITIVE_INFINITY } = query
  const { above, below } = boundsOf(query)
  const [from, to] = [firstIndex(rows, (id) => id > above), firstIndex(rows, (id) => id >= below)]
  const found: Row['record'][] = []
  for (let step = 0; from + step < to && found.length < limit; step++) {
    const row = itemAt(rows, direction === 'asc' ? from + step : to - 1 - step)
    if (isWanted(row)) found.push(row.record)
  }
  return found
}

/** The index of the first row whose id matches. */
function firstIndex(rows: readonly Pick<HistoryRow, 'id'>[], matches: (id: string) => boolean): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (matches(itemAt(rows, middle).id)) high = middle
    else low = middle + 1
  }
  return low
}
