import { batch, computed, type ReadonlySignal, signal } from '@preact/signals'
import type { AccountSnapshot, Order, SnapshotMessage } from '@quipu/sdk'
import type { Connection } from '../session/connections.ts'
import { clock } from './clock.ts'
import { OrderStream } from './order-stream.ts'
import { applied, ENDED_MAX } from './snapshot-changes.ts'
import { type CurvePeriod, SnapshotStream } from './snapshot-stream.ts'

export type Account = AccountSnapshot['account']
export type Position = AccountSnapshot['positions'][number]
export type Activity = AccountSnapshot['activities'][number]
export type SymbolPrices = AccountSnapshot['prices'][number]
export type Curve = NonNullable<AccountSnapshot['curve']>

/** The instant of every number on screen: the time of the world, and the last event of its journal. */
export type AsOf = { readonly time: string; readonly timeMs: number; readonly event: number }

/** What the parts of the store are made of: all of one instant. */
export type SnapshotState = Omit<AccountSnapshot, 'orders' | 'positions' | 'prices' | 'clock'> & {
  readonly positions: ReadonlyMap<string, Position>
  readonly orders: ReadonlyMap<string, Order>
  readonly prices: ReadonlyMap<string, SymbolPrices>
}

/**
 * The live state of one account. One event stream sends it: first the whole, then what changed. All parts are always of one
 * instant, `asOf`, because each message replaces them together.
 */
export class AccountStore {
  readonly #state = signal<SnapshotState | undefined>(undefined)
  readonly asOf: ReadonlySignal<AsOf | undefined>
  readonly account = computed(() => this.#state.value?.account)
  readonly positions = computed<readonly Position[] | undefined>(() => listOf(this.#state.value?.positions))
  /** Open orders by id, legs included: the newest 500. */
  readonly openOrders = computed(() => this.#state.value?.orders)
  /** The number of open orders as text. */
  readonly openCount = computed(() => String(this.#state.value?.open_orders ?? 0))
  /** The newest activities first. */
  readonly activities = computed(() => this.#state.value?.activities)
  /** Quotes and last trades by symbol: of positions, open orders, and the symbols that are watched. */
  readonly quotes = computed<ReadonlyMap<string, SymbolPrices>>(() => this.#state.value?.prices ?? NO_PRICES)
  /** The equity curve of the period that a screen wants. */
  readonly curve = computed(() => this.#state.value?.curve)
  /** Gain since the previous close, without transfers. */
  readonly gainToday = computed(() => this.#state.value?.gain_today)
  /** The last problem with reading. */
  readonly problem = signal<Error | undefined>(undefined)

  readonly connection: Connection
  readonly orderStream: OrderStream
  /** Whether the numbers cannot be current: the server is silent, or the connection broke. */
  readonly isStale: ReadonlySignal<boolean>
  /** The time of a stopped clock that the numbers have not reached yet. */
  readonly readingMs = computed(() => {
    const [asOf, state] = [this.asOf.value, clock.value]
    const isStopped = asOf !== undefined && state?.isVirtual && state.speed === 0 && !state.advance
    return isStopped && Math.abs(asOf.timeMs - state.nowMs) > 1 ? state.nowMs : undefined
  })
  readonly #stream: SnapshotStream

  constructor(connection: Connection) {
    this.connection = connection
    this.orderStream = new OrderStream()
    this.isStale = this.orderStream.isStale
    // A message that changes nothing else has a new time.
    const moment = computed(() => this.#state.value && `${this.#state.value.time} ${this.#state.value.event}`)
    this.asOf = computed(() => {
      if (moment.value === undefined) return undefined
      const { time, event } = this.#state.peek()!
      return { time, timeMs: Date.parse(time), event }
    })
    this.#stream = new SnapshotStream(connection, {
      take: (messages) => this.#take(messages),
      broken: () => this.orderStream.broken(),
      failed: (error) => {
        this.problem.value = error
      },
    })
  }

  /** Follows the account until `close`. */
  open(): void {
    this.#stream.open()
  }

  close(): void {
    this.#stream.close()
  }

  /** Reads everything again. */
  readonly refresh = (): void => this.#stream.restart()

  /** Adds symbols to `quotes` until the returned function is called. */
  watchPrices(symbols: readonly string[]): () => void {
    return this.#stream.watch(symbols)
  }

  /** Has the equity curve of a period in `curve` until the returned function is called. */
  watchCurve(period: CurvePeriod): () => void {
    return this.#stream.wantCurve(period)
  }

  #take(messages: readonly SnapshotMessage[]): void {
    batch(() => {
      const finals: Order[] = []
      let isWhole = false
      let state = this.#state.peek()
      for (const message of messages) {
        const missed = message.event === 'changes' && message.data.orders_final?.length === ENDED_MAX
        isWhole ||= message.event === 'snapshot' || missed
        if (message.event === 'changes')
          finals.push(...(message.data.orders ?? []), ...(message.data.orders_final ?? []))
        state = applied(state, message)
      }
      this.#state.value = state
      this.problem.value = undefined
      this.orderStream.live()
      if (isWhole) this.orderStream.readAgain()
      else if (finals.length > 0) this.orderStream.take(finals.map((order) => ({ order })))
    })
  }
}

const NO_PRICES: ReadonlyMap<string, SymbolPrices> = new Map()
const listOf = <Item>(map: ReadonlyMap<string, Item> | undefined): readonly Item[] | undefined =>
  map && [...map.values()]
