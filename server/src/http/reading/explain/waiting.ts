import {
  classOf,
  format,
  formatInstant,
  isOpen,
  isWorking,
  type Order,
  priceIn,
  remaining,
  type View,
} from '@quipu/core'
import { statuses } from '../../../wire/order-words.ts'
import type { World } from '../../../world/world.ts'
import { quoteNumbers, quoteText } from './acceptance.ts'
import { type Step, stepAt } from './step.ts'

/** The reason why an open order waits now, and the orders ahead of it. */
export function waitingSteps(world: World, order: Order): Step[] {
  if (!isOpen(order)) return []
  const now = world.latest
  const { trigger, limit } = order
  if (
    !isWorking(order) ||
    order.venue?.restsUntil !== undefined ||
    (trigger && trigger.electedAt === undefined)
  )
    return [stepAt(now, 'waiting', { status: statuses[order.status] }, waitText(order))]
  const quote = world.market.pricesAt(now).quote(order.symbol)
  const { orders, quantity } = queueAhead(world.view, order)
  const numbers = {
    limit_price: limit,
    ...quoteNumbers(quote),
    orders_ahead: orders,
    queue_ahead: quantity,
  }
  const far = quote && (order.side === 'buy' ? quote.ask : quote.bid)
  const side = order.side === 'buy' ? 'ask' : 'bid'
  const wait =
    limit === undefined || far === undefined
      ? 'It waits for a quote.'
      : `It waits until the ${side}, now ${format(far)}, reaches ${format(limit)}${quote ? ` (${quoteText(quote)})` : ''}.`
  const queue =
    orders === 0 ? 'No orders are ahead of it.' : `${orders} orders for ${format(quantity)} are ahead of it.`
  return [stepAt(now, 'waiting', numbers, `${wait} ${queue}`)]
}

function waitText({ status, dueAt, trigger, venue, replaces }: Order): string {
  if (status === 'accepted') return `It is queued until ${formatInstant(dueAt)}.`
  if (status === 'held' && trigger?.armedAt === undefined) return 'It waits for the order it belongs to.'
  if (trigger && trigger.electedAt === undefined) return `It waits for a trade at ${format(trigger.stop)}.`
  if (venue?.restsUntil !== undefined)
    return `It rests until ${formatInstant(venue.restsUntil)} after a partial fill.`
  if (status === 'doneForDay') return 'The market does not work it until its next session.'
  if (venue?.awaits)
    return `It replaces order ${replaces} when the market agrees, at ${formatInstant(dueAt)}.`
  return 'It is on its way to the market.'
}

/** Orders of the same symbol and side with priority: a better price, or the same price and earlier. */
function queueAhead(view: View, order: Order): { readonly orders: number; readonly quantity: bigint } {
  const levels = view.books.get(order.symbol)?.[classOf(order)][order.side]
  const own = priceIn(order)
  let [orders, quantity] = [0, 0n]
  for (const [level, price] of (levels?.prices ?? []).entries()) {
    if (order.side === 'buy' ? price < own : price > own) continue
    for (const id of levels!.orders[level]!) {
      if (id === order.id) break
      const other = view.orders.get(id)
      if (!other) continue
      orders += 1
      quantity += remaining(other)
    }
  }
  return { orders, quantity }
}
