import type { JournalEvent, LoggedRequest, WireOrder as Order } from '@quipu/sdk'
import { add, type Decimal, decimal, multiply, negate, signOf, subtract, ZERO } from '../format/decimal.ts'

const absolute = (value: Decimal): Decimal => (signOf(value) < 0 ? negate(value) : value)

export type Exposure = {
  /** Long and short added up, and their difference. */
  readonly gross: Decimal
  readonly net: Decimal
  /** The largest first. */
  readonly bySymbol: readonly { readonly symbol: string; readonly value: Decimal }[]
}

export function exposureOf(
  positions: readonly { readonly symbol: string; readonly market_value?: string | null }[],
): Exposure {
  const bySymbol = positions
    .map(({ symbol, market_value: value }) => ({ symbol, value: decimal(value ?? '0') }))
    .sort((a, b) => signOf(subtract(absolute(b.value), absolute(a.value))))
  return {
    gross: bySymbol.map(({ value }) => absolute(value)).reduce(add, ZERO),
    net: bySymbol.map(({ value }) => value).reduce(add, ZERO),
    bySymbol,
  }
}

/** The loss since the highest equity, now and at its deepest, in per cent: 0 or negative. */
export function drawdownOf(equity: readonly number[]): { readonly now: number; readonly deepest: number } {
  let [highest, now, deepest] = [0, 0, 0]
  for (const value of equity) {
    highest = Math.max(highest, value)
    now = highest === 0 ? 0 : (value / highest - 1) * 100
    deepest = Math.min(deepest, now)
  }
  return { now, deepest }
}

/** A fill against the middle of its quote; plus is a gain for the account. */
export type Slippage = {
  readonly orderId: string
  readonly symbol: string
  /** What was filled, and when by the clock of the world. */
  readonly fill: {
    readonly isBuy: boolean
    readonly quantity: string
    readonly price: string
    readonly at: string
  }
  readonly amount: Decimal
  readonly cash: Decimal
}

type FillFields = {
  readonly symbol: string
  readonly price: string
  readonly quantity: string
  readonly cash: string
  readonly quote: { readonly bid: string; readonly ask: string }
  readonly posting: readonly { readonly account: string; readonly asset: string; readonly amount: string }[]
}

const HALF = decimal('0.5')

/** Exact: fill minus middle of the quote at that instant, times quantity; for a buy with the opposite sign. */
export function slippageOf({ event, at, order_id: orderId = '' }: JournalEvent): Slippage {
  const { symbol, price, quantity, cash, quote, posting } = event as unknown as FillFields
  const middle = multiply(add(decimal(quote.bid), decimal(quote.ask)), HALF)
  const above = multiply(subtract(decimal(price), middle), decimal(quantity))
  const isBuy = posting.some(
    ({ account, asset, amount }) =>
      account.startsWith('customer:') && asset === 'USD' && amount.startsWith('-'),
  )
  const amount = isBuy ? negate(above) : above
  return { orderId, symbol, fill: { isBuy, quantity, price, at }, amount, cash: decimal(cash) }
}

export const totalOf = (amounts: readonly Decimal[]): Decimal => amounts.reduce(add, ZERO)

/** Of the orders that have ended: how many were filled, and the part of their quantity that was. */
export function fillRateOf(orders: readonly Pick<Order, 'status' | 'qty' | 'filled_qty'>[]) {
  const sized = orders.filter(({ qty }) => qty != null)
  const wanted = totalOf(sized.map(({ qty }) => decimal(qty ?? '0')))
  const filled = totalOf(sized.map(({ filled_qty: one }) => decimal(one)))
  return {
    count: orders.length,
    full: orders.filter(({ status }) => status === 'filled').length,
    wanted,
    filled,
  }
}

/**
 * The reaction times of programs in milliseconds, shortest first: from the end of the previous response of the same key to
 * the arrival of an order. A break of more than a minute is no reaction.
 */
export function reactionsOf(requests: readonly LoggedRequest[]): readonly number[] {
  const ended = new Map<string, number>()
  const times: number[] = []
  for (const { at, ms, key_id: key = '', operation, source } of requests) {
    if (source === 'dashboard') continue
    const began = Date.parse(at)
    const previous = ended.get(key)
    const wait = previous === undefined ? undefined : began - previous
    if (operation === 'placeOrder' && wait !== undefined && wait < REACTION_MAX_MS)
      times.push(Math.max(wait, 0))
    ended.set(key, began + ms)
  }
  return times.sort((a, b) => a - b)
}

const REACTION_MAX_MS = 60_000

/** Where requests came from, by id, as far as the log has them. */
export type Sources = ReadonlyMap<string, LoggedRequest['source']>

/**
 * The times of the world in milliseconds from the start of each market event to the next accepted order of a program,
 * shortest first. Events without such an order have none, and so have those whose next order has left the request log: it
 * may be an order of the dashboard.
 */
export function eventReactionsOf(
  startsMs: readonly number[],
  accepted: readonly Pick<JournalEvent, 'at' | 'request_id'>[],
  sources: Sources,
): readonly number[] {
  const ofPrograms = accepted.flatMap(({ at, request_id: id }) =>
    id === undefined || sources.get(id) === 'dashboard' ? [] : [{ id, atMs: Date.parse(at) }],
  )
  return startsMs
    .flatMap((startMs) => {
      const next = ofPrograms.find(({ atMs }) => atMs >= startMs)
      return next && sources.has(next.id) ? [next.atMs - startMs] : []
    })
    .sort((a, b) => a - b)
}

/** The value below which this share of sorted values is; undefined if there are none. */
export const valueAt = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
