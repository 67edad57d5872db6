import { effect, signal } from '@preact/signals'
import type { JournalEvent, LoggedRequest, WireOrder as Order } from '@quipu/sdk'
import { current } from '../live/current.ts'
import { oneAtATime } from '../live/one-at-a-time.ts'
import { account, worldName } from '../session/selection.ts'
import { type Slippage, type Sources, slippageOf } from './risk-figures.ts'

export type Trading = {
  readonly slippages: readonly Slippage[]
  readonly orders: readonly Order[]
  readonly requests: readonly LoggedRequest[]
  /** The latest events `orderAccepted`, oldest first. */
  readonly accepted: readonly JournalEvent[]
  readonly sources: Sources
}

/** The latest fills, ended orders and requests of the account; undefined while they are read. */
export const trading = signal<Trading | undefined>(undefined)
export const tradingProblem = signal<Error | undefined>(undefined)

/** Rows of each list. */
export const ROWS_MAX = 1000
const ORDERS_MAX = 500

/** A request is in the log after its response, which is later than the message about its order. */
const LOGGED_AFTER_MS = 1000

/** Reads the lists, and again when an order of the account changes. Returns a function that ends it. */
export function followTrading(): () => void {
  return effect(() => {
    const live = current.value
    trading.value = undefined
    tradingProblem.value = undefined
    if (!live) return undefined
    const closing = new AbortController()
    const read = oneAtATime(() => readTrading(closing.signal))
    let timer: ReturnType<typeof setTimeout> | undefined
    const readTwice = () => {
      read()
      clearTimeout(timer)
      timer = setTimeout(read, LOGGED_AFTER_MS)
    }
    read()
    const end = live.store.orderStream.follow({ take: readTwice, readAgain: read })
    return () => {
      closing.abort()
      clearTimeout(timer)
      end()
    }
  })
}

/** Reads the lists again after an error. */
export const readAgain = (): void => void readTrading(new AbortController().signal)

async function readTrading(signal: AbortSignal): Promise<void> {
  const [live, chosen, world] = [current.peek(), account.peek(), worldName.peek()]
  if (!live || !chosen) return
  const { client } = live.store.connection
  const last = { last: ROWS_MAX, limit: ROWS_MAX, account_id: chosen.id }
  const params = { world }
  try {
    const eventsOf = (kind: string) =>
      client.listEvents({ params, query: { ...last, kind: [kind] } } as never, { signal })
    // A program that polls fills the log with reads, so requests that may place an order are read apart from the others.
    const [fills, { events: accepted }, orders, { requests }, changes] = await Promise.all([
      eventsOf('orderFilled'),
      eventsOf('orderAccepted'),
      client.listOrders({ query: { status: 'closed', limit: ORDERS_MAX } } as never, { signal }),
      client.listRequests({ params, query: last } as never, { signal }),
      client.listRequests({ params, query: { ...last, method: 'POST' } } as never, { signal }),
    ])
    if (signal.aborted) return
    const sources = new Map(
      [...requests, ...changes.requests].map(({ request_id: id, source }) => [id, source]),
    )
    trading.value = { slippages: fills.events.map(slippageOf), orders, requests, accepted, sources }
    tradingProblem.value = undefined
  } catch (error) {
    if (!signal.aborted) tradingProblem.value = error as Error
  }
}
