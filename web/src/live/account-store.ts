import { computed, signal } from '@preact/signals'
import { type Account, isFinal, type Order, type Output, type TradeUpdate } from '@quipu/sdk'
import type { Connection } from '../session/connections.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { OrderStream } from './order-stream.ts'
import { followShared } from './shared-stream.ts'

export type Position = Output<'listPositions'>[number]
export type Activity = Output<'listActivities'>[number]

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
  /** The last problem with reading. */
  readonly problem = signal<Error | undefined>(undefined)

  readonly connection: Connection
  readonly orderStream: OrderStream
  readonly #closing = new AbortController()
  /** Updates that came during a read, because the response may be older. */
  #newer: TradeUpdate[] | undefined

  constructor(connection: Connection) {
    this.connection = connection
    this.orderStream = new OrderStream(connection)
    this.orderStream.follow({
      take: (updates) => this.#takeUpdates(updates),
      readAgain: () => this.refresh(),
    })
  }

  /** Reads everything and follows the streams, until `close`. */
  open(): void {
    // The first numbers need not wait for the stream; they are read again when it is open.
    this.refresh()
    this.orderStream.open(this.#closing.signal, (error) => this.#fail(error))
    void this.#followActivities()
  }

  close(): void {
    this.#closing.abort()
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
    this.refresh()
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
