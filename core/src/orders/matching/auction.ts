import { min, NO_QUANTITY, type Price, type Quantity, subtract } from '../../amount.ts'
import type { Decider } from '../../handlers.ts'
import type { OrderId } from '../../ids.ts'
import type { Quote } from '../../market/prices.ts'
import { found, ok } from '../../result.ts'
import { settingsOf, type View } from '../../state/state.ts'
import type { OrderFilled } from '../events.ts'
import { withConsequences } from '../groups.ts'
import { type Order, remaining, SIDES, type Side } from '../order.ts'
import { precedence } from './book.ts'
import { Filler } from './fill.ts'

/**
 * Fills the orders of an auction at its official price: all market orders, and limits that allow the price.
 * Unfilled orders expire soon after. If fills are limited by displayed size, each side gets the size of the
 * print: market orders first, then the best limit, then by time.
 */
export const holdAuction: Decider<'holdAuction'> = (view, moment, { symbol, due, print }) => {
  const waiting = view.auctions.get(symbol)?.get(due)
  // A print from before the auction does not belong to it.
  if (!waiting || print.at < due) return ok([])
  const { at, price, size } = print
  const quote: Quote = { at, bid: price, ask: price, bidSize: size, askSize: size }
  const fills: OrderFilled[] = []
  const filler = new Filler(view, moment, quote)
  for (const side of SIDES) {
    let left: Quantity | 'unlimited' = settingsOf(view).fillSize === 'unlimited' ? 'unlimited' : size
    for (const order of byPrecedence(view, waiting, side, price)) {
      const quantity: Quantity = left === 'unlimited' ? remaining(order) : min(remaining(order), left)
      if (quantity === NO_QUANTITY) break
      if (left !== 'unlimited') left = subtract(left, quantity)
      fills.push({ ...filler.fill(order, quantity), auction: auctionNameOf(order) })
    }
  }
  return ok(withConsequences(view, moment, fills))
}

const auctionNameOf = ({ timeInForce }: Order): 'open' | 'close' => (timeInForce === 'opg' ? 'open' : 'close')

function byPrecedence(view: View, waiting: ReadonlySet<OrderId>, side: Side, price: Price): readonly Order[] {
  const orders: Order[] = []
  for (const id of waiting) {
    const order = found(view.orders.get(id), id)
    if (order.side === side && takes(order, price)) orders.push(order)
  }
  // The sort is stable: equal orders keep their sequence.
  return orders.sort((a, b) => precedence(a.limit, b.limit, side))
}

const takes = ({ side, limit }: Order, price: Price): boolean =>
  limit === undefined || (side === 'buy' ? limit >= price : limit <= price)
