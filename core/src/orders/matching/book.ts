import { NO_PRICE, type Price, toPrice } from '../../amount.ts'
import type { OrderId } from '../../ids.ts'
import { isPair } from '../../market/assets/asset.ts'
import { found } from '../../result.ts'
import { indexFor, insertAt, removeAt } from '../../sorted.ts'
import { triggerRow } from '../kinds.ts'
import type { Order, Side } from '../order.ts'
import { buyStopMax } from './trigger-prices.ts'

/** Plain orders trade in regular hours, extended orders also before and after, crypto pairs at any hour. */
export type BookClass = 'regular' | 'extended' | 'pair'
export const BOOK_CLASSES: readonly BookClass[] = ['regular', 'extended', 'pair']
/** Open orders by class, side and price level. */
export type Book = Record<BookClass, Record<Side, Levels>>
export type BookView = Readonly<Record<BookClass, SidesView>>
export type SidesView = Readonly<Record<Side, LevelsView>>

/** Sorts market orders before every limit. */
const ANY_ASK = toPrice(1n << 62n)
const ANY_BID = NO_PRICE

const emptySides = (): Record<Side, Levels> => ({ buy: emptyLevels(), sell: emptyLevels() })
export const emptyBook = (): Book => ({ regular: emptySides(), extended: emptySides(), pair: emptySides() })

export const classOf = ({ symbol, extendedHours }: Pick<Order, 'symbol' | 'extendedHours'>): BookClass =>
  isPair(symbol) ? 'pair' : extendedHours ? 'extended' : 'regular'

/** The worst price an order accepts, if any; an elected buy stop has an implicit one. */
export function worstPrice({ kind, side, limit, trigger }: Order): Price | undefined {
  if (limit !== undefined || !triggerRow(kind).hasFixedStop || side === 'sell') return limit
  return trigger && buyStopMax(trigger.stop)
}

export const priceIn = (order: Order): Price =>
  order.limit ?? worstPrice(order) ?? (order.side === 'buy' ? ANY_ASK : ANY_BID)

export const enter = (book: Book, order: Order): void =>
  enterLevel(sideOf(book, order), priceIn(order), order.id)

export const leave = (book: Book, order: Order): void =>
  leaveLevel(sideOf(book, order), priceIn(order), order.id)

const sideOf = (book: Book, order: Order): Levels => levelsOf(book, classOf(order), order.side)

/** Without computed property keys, which are slow here. */
export function levelsOf<Value>(
  book: Readonly<Record<BookClass, Readonly<Record<Side, Value>>>>,
  kind: BookClass,
  side: Side,
): Value {
  const sides = kind === 'regular' ? book.regular : kind === 'extended' ? book.extended : book.pair
  return side === 'buy' ? sides.buy : sides.sell
}

/**
 * Orders that a quote reaches, best price first, then by time: buys from the highest, sells from the lowest.
 */
export function reachedOrders(levels: LevelsView, side: Side, quoted: Price): OrderId[] {
  const { prices, orders } = levels
  const ids: OrderId[] = []
  for (let step = 0; step < prices.length; step++) {
    const index = side === 'buy' ? prices.length - 1 - step : step
    const price = prices[index]
    if (price === undefined || (side === 'buy' ? price < quoted : price > quoted)) break
    for (const id of found(orders[index], 'a price level')) ids.push(id)
  }
  return ids
}

/** Negative if an order with limit `a` ranks before one with limit `b`; market orders rank first. */
export function precedence(a: Price | undefined, b: Price | undefined, side: Side): number {
  if (a === b) return 0
  if (a === undefined) return -1
  if (b === undefined) return 1
  return (side === 'buy' ? a > b : a < b) ? -1 : 1
}

/** The next price at which an order on this side can fill, if any. */
export const nearestPrice = (levels: LevelsView, side: Side): Price | undefined =>
  side === 'buy' ? levels.prices.at(-1) : levels.prices[0]

/** Orders by price: prices ascending, and the orders of each at the same index, oldest first. */
export type Levels = { readonly prices: Price[]; readonly orders: Set<OrderId>[] }
export type LevelsView = {
  readonly prices: readonly Price[]
  readonly orders: readonly ReadonlySet<OrderId>[]
}

export const emptyLevels = (): Levels => ({ prices: [], orders: [] })

export function enterLevel({ prices, orders }: Levels, price: Price, id: OrderId): void {
  const index = indexFor(prices, price)
  if (prices[index] === price) {
    found(orders[index], 'a price level').add(id)
    return
  }
  insertAt(prices, index, price)
  insertAt(orders, index, new Set([id]))
}

export function leaveLevel({ prices, orders }: Levels, price: Price, id: OrderId): void {
  const index = indexFor(prices, price)
  if (prices[index] !== price) return
  const level = found(orders[index], 'a price level')
  level.delete(id)
  if (level.size > 0) return
  removeAt(prices, index)
  removeAt(orders, index)
}
