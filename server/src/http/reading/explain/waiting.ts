import {
  classOf,
  formatInstant,
  isOpen,
  isWorking,
  type Order,
  priceIn,
  remaining,
  type View,
} from '@quipu/core'
import { statuses } from '../../../wire/order-words.ts'
import { quoteNumbers } from './acceptance.ts'
import { type ExplainedStep, type ExplainedWorld, explainStepAt, type Numbers } from './step.ts'

/** The reason why an open order waits now, and the orders ahead of it. */
export function waitingSteps(world: ExplainedWorld, order: Order): ExplainedStep[] {
  if (!isOpen(order)) return []
  const now = world.engine.latest
  const { trigger, limit } = order
  if (
    !isWorking(order) ||
    order.venue?.restsUntil !== undefined ||
    (trigger && trigger.electedAt === undefined)
  )
    return [explainStepAt(now, 'waiting', { status: statuses[order.status], ...reasonOf(order) })]
  const { orders, quantity } = queueAhead(world.view, order)
  const numbers = {
    for: 'quote',
    side: order.side,
    limit_price: limit,
    ...quoteNumbers(world.market.pricesAt(now).quote(order.symbol)),
    orders_ahead: orders,
    queue_ahead: quantity,
  }
  return [explainStepAt(now, 'waiting', numbers)]
}

/** What an order waits for that is not in the order book. */
function reasonOf({ status, side, dueAt, trigger, venue, replaces }: Order): Numbers {
  if (status === 'accepted') return { for: 'session', due_at: formatInstant(dueAt) }
  if (status === 'held' && trigger?.armedAt === undefined) return { for: 'parent' }
  if (trigger && trigger.electedAt === undefined) return { for: 'trade', side, stop_price: trigger.stop }
  if (venue?.restsUntil !== undefined) return { for: 'rest', rests_until: formatInstant(venue.restsUntil) }
  if (status === 'doneForDay') return { for: 'next_session' }
  const due = { due_at: formatInstant(dueAt) }
  return venue?.awaits ? { for: 'replacement', order_id: replaces, ...due } : { for: 'market', ...due }
}

/** Orders of the same symbol and side with priority: a better price, or the same price and earlier. */
function queueAhead(view: View, order: Order): { readonly orders: number; readonly quantity: bigint } {
  const levels = view.books.get(order.symbol)?.[classOf(order)][order.side]
  const own = priceIn(order)
  let [orders, quantity] = [0, 0n]
  for (const [level, price] of (levels?.prices ?? []).entries()) {
    if (order.side === 'buy' ? price < own : price > own) continue
    for (const id of levels?.orders[level] ?? []) {
      if (id === order.id) break
      const other = view.orders.get(id)
      if (!other) continue
      orders += 1
      quantity += remaining(other)
    }
  }
  return { orders, quantity }
}
