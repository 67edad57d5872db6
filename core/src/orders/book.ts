import type { Price } from '../amount.ts'
import type { OrderId } from '../ids.ts'
import { insert, remove } from '../sorted.ts'
import type { Order, Side } from './order.ts'

/**
 * Working orders of one side, found by price: levels in a sorted array, each with its orders in the order they
 * came. A quote touches only the levels it reaches.
 */
export type Levels = { readonly prices: Price[]; readonly orders: Map<Price, Set<OrderId>> }

/** Plain orders trade in regular hours, extended ones before and after too. */
export type BookClass = 'regular' | 'extended'
export type Book = Record<BookClass, Record<Side, Levels>>
export type BookView = Readonly<Record<BookClass, Readonly<Record<Side, LevelsView>>>>
export type LevelsView = {
  readonly prices: readonly Price[]
  readonly orders: ReadonlyMap<Price, ReadonlySet<OrderId>>
}

/** A market order takes any price: it stands before every limit. */
const ANY_ASK = (1n << 62n) as Price
const ANY_BID = 0n as Price

const emptyLevels = (): Levels => ({ prices: [], orders: new Map() })
export const emptyBook = (): Book => ({
  regular: { buy: emptyLevels(), sell: emptyLevels() },
  extended: { buy: emptyLevels(), sell: emptyLevels() },
})

export const classOf = (order: Order): BookClass => (order.extendedHours ? 'extended' : 'regular')
export const priceIn = (order: Order): Price => order.limit ?? (order.side === 'buy' ? ANY_ASK : ANY_BID)

export function enter(book: Book, order: Order): void {
  const levels = book[classOf(order)][order.side]
  const price = priceIn(order)
  const level = levels.orders.get(price)
  if (level) level.add(order.id)
  else {
    levels.orders.set(price, new Set([order.id]))
    insert(levels.prices, price)
  }
}

export function leave(book: Book, order: Order): void {
  const levels = book[classOf(order)][order.side]
  const price = priceIn(order)
  const level = levels.orders.get(price)
  if (!level?.delete(order.id)) return
  if (level.size > 0) return
  levels.orders.delete(price)
  remove(levels.prices, price)
}

/** Orders a quote reaches, best price first, then first come: buys from the highest, sells from the lowest. */
export function reached(levels: LevelsView, side: Side, quoted: Price): OrderId[] {
  const { prices, orders } = levels
  const found: OrderId[] = []
  for (let step = 0; step < prices.length; step++) {
    const price = prices[side === 'buy' ? prices.length - 1 - step : step]!
    if (side === 'buy' ? price < quoted : price > quoted) break
    for (const id of orders.get(price)!) found.push(id)
  }
  return found
}

/** The price the market must reach next on this side, if anyone waits there. */
export const nearest = (levels: LevelsView, side: Side): Price | undefined =>
  side === 'buy' ? levels.prices.at(-1) : levels.prices[0]
