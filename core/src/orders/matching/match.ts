import { min, NO_QUANTITY, type Price, subtract } from '../../amount.ts'
import type { Decider } from '../../handlers.ts'
import type { OrderId } from '../../ids.ts'
import type { LastTrade } from '../../market/prices.ts'
import type { Moment } from '../../moment.ts'
import { entryIn, found, ok } from '../../result.ts'
import { settingsOf, type View } from '../../state/state.ts'
import type { OrderElected, OrderFilled, StopAdjusted } from '../events.ts'
import { hasConsequences, withConsequences } from '../groups.ts'
import { type Order, SIDES, type Side } from '../order.ts'
import { tradesAt } from '../session.ts'
import { fillModelOf } from '../venue/fill-model.ts'
import { BOOK_CLASSES, type BookView, levelsOf, precedence, reachedOrders, worstPrice } from './book.ts'
import { Filler, priceFor, quantityAt, remainingSize } from './fill.ts'
import { electedBy, trailedBy } from './trigger-book.ts'
import { trailingStopPrice } from './trigger-prices.ts'

/**
 * Fills the orders that the current quote reaches: buys at the ask, sells at the bid, best price first, then
 * by time. The size is unlimited or the remaining displayed size, depending on the world's settings.
 */
export const observeQuote: Decider<'observeQuote'> = (view, moment, { symbol }) => {
  const book = view.books.get(symbol)
  const quote = book && moment.prices.quote(symbol)
  if (!quote) return ok([])
  const fills: OrderFilled[] = []
  const filler = new Filler(view, moment, quote)
  const model = fillModelOf(view, moment, { symbol, quote, filler })
  let hasEffects = false
  for (const side of SIDES) {
    const price = priceFor(side, quote)
    let left = remainingSize(view, symbol, side, quote)
    for (const order of candidates(view, moment, book, side, price)) {
      const wanted = quantityAt(order, price)
      const most = left === 'unlimited' ? wanted : min(wanted, left)
      if (most === NO_QUANTITY) break
      const fill = model ? model.fill(order, most, price) : filler.fill(order, most)
      if (!fill) continue
      if (left !== 'unlimited') left = subtract(left, fill.quantity)
      fills.push(fill)
      hasEffects ||= hasConsequences(order)
    }
  }
  return ok(hasEffects ? withConsequences(view, moment, fills) : fills)
}

/** Reached orders of all classes that may trade now, sorted by price and then by time. */
function candidates(view: View, { at }: Moment, book: BookView, side: Side, quoted: Price): readonly Order[] {
  let orders = NONE
  for (const kind of BOOK_CLASSES) {
    const levels = levelsOf(book, kind, side)
    if (levels.prices.length === 0 || !tradesAt(settingsOf(view), kind, at)) continue
    const more = reachedOrders(levels, side, quoted).map((id) => found(view.orders.get(id), id))
    if (more.length === 0) continue
    orders = orders.length === 0 ? more : [...orders, ...more].sort(byPrecedence(side))
  }
  return orders
}

const NONE: readonly Order[] = []

const byPrecedence = (side: Side) => (a: Order, b: Order) =>
  precedence(worstPrice(a), worstPrice(b), side) || (a.createdAt < b.createdAt ? -1 : 1)

/**
 * Applies the last trade to waiting stops: stops it reaches are elected, oldest first, and trailing stops
 * follow a new best price. Only a trade within an order's trading hours counts, and only for orders armed
 * before it.
 */
export const observeTrade: Decider<'observeTrade'> = (view, moment, { symbol, trade: reportedTrade }) => {
  const triggers = view.triggers.get(symbol)
  const trade = reportedTrade ?? moment.prices.trade(symbol)
  if (!triggers || !trade) return ok([])
  const settings = settingsOf(view)
  const [moved, elected]: [Order[], Order[]] = [[], []]
  for (const kind of BOOK_CLASSES) {
    if (!tradesAt(settings, kind, moment.at) || !tradesAt(settings, kind, trade.at)) continue
    for (const side of SIDES) {
      moved.push(...armedBefore(view, trade, trailedBy(triggers.trails[kind][side], side, trade.price)))
      elected.push(...armedBefore(view, trade, electedBy(triggers.stops[kind][side], side, trade.price)))
    }
  }
  const events = [
    ...moved.sort(byAge).map((order) => trailedEvent(moment, order, trade)),
    ...elected.sort(byAge).map((order) => electedEvent(moment, order, trade)),
  ]
  return ok(withConsequences(view, moment, events))
}

const armedBefore = (view: View, trade: LastTrade, ids: readonly OrderId[]): Order[] =>
  ids
    .map((id) => entryIn(view.orders, id))
    .filter(({ trigger }) => trigger?.armedAt !== undefined && trigger.armedAt < trade.at)

const byAge = (a: Order, b: Order): number =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id < b.id ? -1 : 1

const trailedEvent = ({ at }: Moment, order: Order, { price }: LastTrade): StopAdjusted => ({
  kind: 'stopAdjusted',
  at,
  accountId: order.accountId,
  orderId: order.id,
  highWater: price,
  stop: trailingStopPrice(order.side, price, found(order.trigger, 'the trigger')),
})

const electedEvent = ({ at }: Moment, order: Order, trade: LastTrade): OrderElected => ({
  kind: 'orderElected',
  at,
  accountId: order.accountId,
  orderId: order.id,
  trade: { at: trade.at, price: trade.price, size: trade.size },
})
