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
import { REOPEN_MS } from './repeat.ts'
import { followShared } from './shared-stream.ts'

export type Position = Output<'listPositions'>[number]
export type Activity = Output<'listActivities'>[number]

const ACTIVITIES_MAX = 50
const OPEN_ORDERS_MAX = 500

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
  readonly #listeners = new Set<(updates: readonly TradeUpdate[]) => void>()
  #isReading = false
  #readAgain = false

  constructor(connection: Connection) {
    this.connection = connection
  }

  /** Reads everything and follows the streams, until `close`. */
  open(): void {
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
    stream.onGap(() => this.refresh())
    stream.subscribe().then(
      () => this.refresh(),
      (error) => this.#fail(error),
    )
  }

  close(): void {
    this.#closing.abort()
  }

  /** Calls back with the order updates of each frame. Returns a function that ends it. */
  onUpdates(listener: (updates: readonly TradeUpdate[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads everything again. Calls during a read cause one more read. */
  refresh(): void {
    if (this.#isReading) {
      this.#readAgain = true
      return
    }
    this.#isReading = true
    void this.#read().finally(() => {
      this.#isReading = false
      if (this.#readAgain && !this.#closing.signal.aborted) {
        this.#readAgain = false
        this.refresh()
      }
    })
  }

  async #read(): Promise<void> {
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
      this.openOrders.value = new Map(orders.map((order) => [order.id, order]))
      this.activities.value = activities
      this.problem.value = undefined
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #takeUpdates(updates: readonly TradeUpdate[]): void {
    const orders = new Map(this.openOrders.value)
    for (const { order } of updates) {
      if (isFinal(order)) orders.delete(order.id)
      else orders.set(order.id, order)
    }
    this.openOrders.value = orders
    for (const listener of this.#listeners) listener(updates)
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
      // The first read comes later, and includes everything.
      opened: () => {
        if (this.#isReading || this.account.peek() !== undefined) this.refresh()
      },
    })
  }

  #fail(error: Error): void {
    if (!this.#closing.signal.aborted) this.problem.value = error
  }
}
