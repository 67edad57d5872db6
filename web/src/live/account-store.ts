import { computed, signal } from '@preact/signals'
import {
  type Account,
  isFinal,
  type Order,
  type Output,
  type StreamState,
  type TradeUpdate,
} from '@quipu/sdk'
import type { Connection } from '../session/connections.ts'
import { collect } from './frames.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { REOPEN_MS } from './repeat.ts'
import { followShared } from './shared-stream.ts'

export type Position = Output<'listPositions'>[number]
export type Activity = Output<'listActivities'>[number]

/** Something that follows the orders of an account. */
export type OrderFollower = {
  /** The order updates of each frame. */
  take(updates: readonly TradeUpdate[]): void
  /** Updates may have been missed, because the stream has opened just now. */
  readAgain(): void
}

const ACTIVITIES_MAX = 50
const OPEN_ORDERS_MAX = 500
/** A busy account is read at most four times a second; its orders change at once. */
const PAUSE_MS = 250

/**
 * The live state of one account: read once, then changed by its streams. A fill or another activity makes it read the
 * account and the positions again, because only the server knows buying power.
 */
export class AccountStore {
  readonly account = signal<Account | undefined>(undefined)
  readonly positions = signal<readonly Position[] | undefined>(undefined)
  /** Open orders by id, legs included. */
  readonly openOrders = signal<ReadonlyMap<string, Order> | undefined>(undefined)
  /** The number of open orders as text: one read returns only the newest 500. */
  readonly openCount = computed(() => {
    const count = this.openOrders.value?.size ?? 0
    return this.#isPartial.value ? `${count}+` : `${count}`
  })
  readonly #isPartial = signal(false)
  /** The newest activities first. */
  readonly activities = signal<readonly Activity[] | undefined>(undefined)
  readonly streamState = signal<StreamState>('connecting')
  /** The last problem with reading. */
  readonly problem = signal<Error | undefined>(undefined)
  /** When the numbers became stale, by the machine's clock; undefined while the stream is open. */
  readonly staleSince = signal<number | undefined>(undefined)
  readonly isStale = computed(() => this.staleSince.value !== undefined)

  readonly connection: Connection
  readonly #closing = new AbortController()
  readonly #followers = new Set<OrderFollower>()
  /** Updates that came during a read, because the response may be older. */
  #newer: TradeUpdate[] | undefined

  constructor(connection: Connection) {
    this.connection = connection
  }

  /** Reads everything and follows the streams, until `close`. */
  open(): void {
    // The first numbers need not wait for the stream; they are read again when it is open.
    this.refresh()
    this.#openStream()
    void this.#followActivities()
  }

  /** A stream ends for good when its token is refused, as after a restart of the server. Then a new one follows. */
  #openStream(): void {
    const { signal: closing } = this.#closing
    if (closing.aborted) return
    const stream = this.connection.quipu.streams.tradeUpdates()
    const close = () => stream.close()
    closing.addEventListener('abort', close)
    stream.onMessage(collect((updates) => this.#takeUpdates(updates)))
    stream.onState((state) => {
      this.#takeState(state)
      if (state !== 'closed' || closing.aborted) return
      closing.removeEventListener('abort', close)
      this.connection.renew()
      setTimeout(() => this.#openStream(), REOPEN_MS)
    })
    stream.onGap(() => this.#readAgain())
    stream.subscribe().then(
      () => this.#readAgain(),
      (error) => this.#fail(error),
    )
  }

  close(): void {
    this.#closing.abort()
  }

  /** Sends updates to a follower, until the returned function ends it. */
  follow(follower: OrderFollower): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  #readAgain(): void {
    this.refresh()
    for (const follower of this.#followers) follower.readAgain()
  }

  /** Reads everything again. Calls during a read cause one more read. */
  readonly refresh = oneAtATime(() => this.#read(), PAUSE_MS)

  async #read(): Promise<void> {
    if (this.#closing.signal.aborted) return
    this.#newer = []
    const { client } = this.connection
    const options = { signal: this.#closing.signal }
    try {
      const [account, positions, orders, activities] = await Promise.all([
        client.getAccount({}, options),
        client.listPositions({}, options),
        client.listOrders({ query: { status: 'open', limit: OPEN_ORDERS_MAX, nested: false } }, options),
        client.listActivities({ query: { page_size: ACTIVITIES_MAX } }, options),
      ])
      this.account.value = account
      this.positions.value = positions
      this.#isPartial.value = orders.length === OPEN_ORDERS_MAX
      this.openOrders.value = changed(new Map(orders.map((order) => [order.id, order])), this.#newer)
      this.activities.value = activities
      this.problem.value = undefined
    } catch (error) {
      this.#fail(error as Error)
    }
    this.#newer = undefined
  }

  #takeUpdates(updates: readonly TradeUpdate[]): void {
    this.#newer?.push(...updates)
    this.openOrders.value = changed(new Map(this.openOrders.value), updates)
    for (const follower of this.#followers) follower.take(updates)
    this.refresh()
  }

  #takeState(state: StreamState): void {
    this.streamState.value = state
    if (state === 'open') this.staleSince.value = undefined
    else this.staleSince.value ??= Date.now()
  }

  /** Activities that no order causes, such as dividends and transfers. */
  #followActivities(): Promise<void> {
    return followShared(this.#closing.signal, {
      name: `activities ${this.connection.name}`,
      open: (options) => this.connection.events.streamActivityEvents({}, options),
      take: () => this.refresh(),
      opened: () => this.refresh(),
    })
  }

  #fail(error: Error): void {
    if (!this.#closing.signal.aborted) this.problem.value = error
  }
}

/** Open orders after some updates. */
function changed(orders: Map<string, Order>, updates: readonly TradeUpdate[]): ReadonlyMap<string, Order> {
  for (const { order } of updates) {
    if (isFinal(order)) orders.delete(order.id)
    else orders.set(order.id, order)
  }
  return orders
}
