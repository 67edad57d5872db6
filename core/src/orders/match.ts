import { min, NO_QUANTITY, type Price, subtract } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import type { Quote } from '../market/prices.ts'
import type { Moment } from '../moment.ts'
import { found, ok, type Result } from '../result.ts'
import { settingsOf, type View } from '../state.ts'
import { BOOK_CLASSES, reached, worstPrice } from './book.ts'
import type { ObserveQuote } from './commands.ts'
import type { OrderEvent, OrderFilled } from './events.ts'
import { Filler, priceFor, shownTo, wantedAt } from './fill.ts'
import { withConsequences } from './groups.ts'
import type { Order, Side } from './order.ts'
import { tradesAt } from './session.ts'

/**
 * Fills whatever the quote of this instant reaches: buys at the ask, sells at the bid, best price first, then
 * first come. Sized by the world's setting: without limit, or by what the quote shows and has not given yet.
 */
export function observeQuote(
  view: View,
  moment: Moment,
  { symbol }: ObserveQuote,
): Result<readonly OrderEvent[], never> {
  const quote = view.books.has(symbol) ? moment.prices.quote(symbol) : undefined
  if (!quote) return ok([])
  const fills: OrderFilled[] = []
  const filler = new Filler(view, moment, quote)
  let isGrouped = false
  for (const side of SIDES) {
    const price = priceFor(side, quote)
    let left = shownTo(view, symbol, side, quote)
    for (const order of candidates(view, moment, symbol, side, quote)) {
      const wanted = wantedAt(order, price)
      const quantity = left === 'unlimited' ? wanted : min(wanted, left)
      if (quantity === NO_QUANTITY) break
      if (left !== 'unlimited') left = subtract(left, quantity)
      fills.push(filler.fill(order, quantity))
      isGrouped ||= order.group !== undefined
    }
  }
  return ok(isGrouped ? withConsequences(view, moment, fills) : fills)
}

const SIDES: readonly Side[] = ['buy', 'sell']

/** All classes of orders, merged by price and then by time, where they may trade now. */
function candidates(view: View, { at }: Moment, symbol: Ticker, side: Side, quote: Quote): readonly Order[] {
  const book = view.books.get(symbol)!
  const settings = settingsOf(view)
  const lists: Order[][] = []
  for (const kind of BOOK_CLASSES) {
    const levels = book[kind][side]
    if (levels.prices.length === 0 || !tradesAt(settings, kind, at)) continue
    const orders: Order[] = []
    for (const id of reached(levels, side, priceFor(side, quote))) orders.push(found(view.orders.get(id), id))
    if (orders.length > 0) lists.push(orders)
  }
  const [only, other] = lists
  if (!only || !other) return only ?? []
  return [...only, ...other].sort(
    (a, b) => before(worstPrice(b), worstPrice(a), side) || (a.createdAt < b.createdAt ? -1 : 1),
  )
}

/** Negative when `b` stands before `a`; a market order stands before all. */
function before(a: Price | undefined, b: Price | undefined, side: Side): number {
  if (a === b) return 0
  if (b === undefined) return -1
  if (a === undefined) return 1
  return (side === 'buy' ? b > a : b < a) ? -1 : 1
}
