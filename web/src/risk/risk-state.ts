import { effect, signal } from '@preact/signals'
import type { LoggedRequest, Order } from '@quipu/sdk'
import { current } from '../live/current.ts'
import { oneAtATime } from '../live/one-at-a-time.ts'
import { account, worldName } from '../session/selection.ts'
import { type Slippage, slippageOf } from './risk-figures.ts'

export type Trading = {
  readonly slippages: readonly Slippage[]
  readonly orders: readonly Order[]
  readonly requests: readonly LoggedRequest[]
}

/** The latest fills, ended orders and requests of the account; undefined while they are read. */
export const trading = signal<Trading | undefined>(undefined)
export const tradingProblem = signal<Error | undefined>(undefined)

/** Rows of each list. */
export const ROWS_MAX = 1000
const ORDERS_MAX = 500

/** Reads the lists, and again when an order of the account changes. Returns a function that ends it. */
export function followTrading(): () => void {
  return effect(() => {
    const live = current.value
    trading.value = undefined
    tradingProblem.value = undefined
    if (!live) return undefined
    const closing = new AbortController()
    const read = oneAtATime(() => readTrading(closing.signal))
    read()
    const end = live.store.orderStream.follow({ take: read, readAgain: read })
    return () => {
      closing.abort()
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
    const [{ events }, orders, { requests }] = await Promise.all([
      client.listEvents({ params, query: { ...last, kind: ['orderFilled'] } } as never, { signal }),
      client.listOrders({ query: { status: 'closed', limit: ORDERS_MAX } } as never, { signal }),
      client.listRequests({ params, query: last } as never, { signal }),
    ])
    if (signal.aborted) return
    trading.value = { slippages: events.map(slippageOf), orders, requests }
    tradingProblem.value = undefined
  } catch (error) {
    if (!signal.aborted) tradingProblem.value = error as Error
  }
}
