import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { WireOrder as Order, SnapshotMessage } from '@quipu/sdk'
import type { Connection } from '../session/connections.ts'
import { clock } from './clock.ts'
import { OrderStream } from './order-stream.ts'
import { applied, CHANGED_MAX } from './snapshot-changes.ts'
import type { AsOf, Position, SnapshotState, SymbolPrices } from './snapshot-state.ts'
import { SnapshotStream } from './snapshot-stream.ts'

export type { Account, Activity, AsOf, Curve, Position, SymbolPrices } from './snapshot-state.ts'

/**
 * The live state of one account. One event stream sends it: first the whole, then what changed. All parts are always of one
 * instant, `asOf`, because each message replaces them together.
 */
export type AccountStore = SnapshotSignals & {
  readonly connection: Connection
  /** Follows the account, with the symbols and the curve that screens want. */
  readonly stream: SnapshotStream
  /** The orders that change. */
  readonly orderStream: OrderStream
  /** Whether the numbers cannot be current: the server is silent, or the connection broke. */
  readonly isStale: ReadonlySignal<boolean>
  /** The last problem with reading. */
  readonly problem: Signal<Error | undefined>
  /** The time of a stopped clock that the numbers have not reached yet. */
  readonly readingMs: ReadonlySignal<number | undefined>
  /** Reads everything again. */
  readonly refresh: () => void
}

export function createAccountStore(connection: Connection): AccountStore {
  const state = signal<SnapshotState | undefined>(undefined)
  const problem = signal<Error | undefined>(undefined)
  const orderStream = new OrderStream()
  const numbers = signalsOf(state)
  const stream = new SnapshotStream(connection, {
    take: (messages) =>
      batch(() => {
        takeMessages(state, orderStream, messages)
        problem.value = undefined
      }),
    broken: () => orderStream.broken(),
    failed: (error) => {
      problem.value = error
    },
  })
  return {
    ...numbers,
    connection,
    stream,
    orderStream,
    problem,
    isStale: orderStream.isStale,
    readingMs: computed(() => missingMs(numbers.asOf.value)),
    refresh: () => stream.restart(),
  }
}

type SnapshotSignals = ReturnType<typeof signalsOf>

/** The parts of a state. A part that a message did not change is the same object, so that nothing is drawn for it. */
function signalsOf(state: ReadonlySignal<SnapshotState | undefined>) {
  const moment = computed(() => state.value && `${state.value.time} ${state.value.event}`)
  const positions = computed(() => state.value?.positions)
  return {
    asOf: computed<AsOf | undefined>(() => {
      if (moment.value === undefined) return undefined
      const { time, event } = state.peek()!
      return { time, timeMs: Date.parse(time), event }
    }),
    account: computed(() => state.value?.account),
    positions: computed<readonly Position[] | undefined>(
      () => positions.value && [...positions.value.values()],
    ),
    /** Open orders by id, legs included: the newest 500. */
    openOrders: computed(() => state.value?.orders),
    /** The number of open orders as text. */
    openCount: computed(() => String(state.value?.open_orders ?? 0)),
    /** The newest activities first. */
    activities: computed(() => state.value?.activities),
    /** Quotes and last trades by symbol: of positions, open orders, and the symbols that are watched. */
    quotes: computed<ReadonlyMap<string, SymbolPrices>>(() => state.value?.prices ?? NO_PRICES),
    /** The equity curve of the period that a screen wants. */
    curve: computed(() => state.value?.curve),
    /** Gain since the previous close, without transfers. */
    gainToday: computed(() => state.value?.gain_today),
  }
}

const NO_PRICES: ReadonlyMap<string, SymbolPrices> = new Map()

function missingMs(asOf: AsOf | undefined): number | undefined {
  const state = clock.value
  const isStopped = asOf !== undefined && state?.isVirtual && state.speed === 0 && !state.advance
  return isStopped && Math.abs(asOf.timeMs - state.nowMs) > 1 ? state.nowMs : undefined
}

function takeMessages(
  state: Signal<SnapshotState | undefined>,
  orderStream: OrderStream,
  messages: readonly SnapshotMessage[],
): void {
  const changed: Order[] = []
  let isWhole = false
  let next = state.peek()
  for (const message of messages) {
    next = applied(next, message)
    if (message.event === 'snapshot') isWhole = true
    else {
      const { orders = [], orders_older: older = [], orders_final: final = [] } = message.data
      isWhole ||= Math.max(older.length, final.length) === CHANGED_MAX
      changed.push(...older, ...orders, ...final)
    }
  }
  state.value = next
  orderStream.live()
  if (isWhole) orderStream.readAgain()
  else if (changed.length > 0) orderStream.take(changed.map((order) => ({ order })))
}
