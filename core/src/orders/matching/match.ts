import { min, NO_QUANTITY, type Price, subtract } from '../../amount.ts'
import type { Decider } from '../../handlers.ts'
import type { Moment } from '../../moment.ts'
import { found, ok } from '../../result.ts'
import { settingsOf, type View } from '../../state/state.ts'
import type { OrderFilled } from '../events.ts'
import { hasConsequences, withConsequences } from '../groups.ts'
import { type Order, SIDES, type Side } from '../order.ts'
import { tradesAt } from '../session.ts'
import { fillModelOf } from '../venue/fill-model.ts'
import { BOOK_CLASSES, type BookView, levelsOf, precedence, reachedOrders, worstPrice } from './book.ts'
import { Filler, priceFor, quantityAt, remainingSize } from './fill.ts'

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
