import { isOpen, type Order } from '@quipu/core'
import type { OrdersQuery } from './views.ts'

/**
 * The list a query asks for, by plain looking: by submission, then creation, then id, so that no two orders share
 * a place and a cursor loses none.
 */
export function selectOrders(orders: Iterable<Order>, query: OrdersQuery): readonly Order[] {
  const all = [...orders].sort(byPlace)
  const cursor = all.find(({ id }) => id === (query.beforeOrderId ?? query.afterOrderId))
  const chosen = all.filter((order) => matches(order, query) && isBeyond(order, cursor, query))
  if (query.direction === 'desc') chosen.reverse()
  return chosen.slice(0, query.limit)
}

function byPlace(a: Order, b: Order): number {
  if (a.submittedAt !== b.submittedAt) return a.submittedAt < b.submittedAt ? -1 : 1
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

function matches(order: Order, { status, after, until, symbols, side }: OrdersQuery): boolean {
  if (status !== 'all' && isOpen(order) !== (status === 'open')) return false
  if (after !== undefined && order.submittedAt <= after) return false
  if (until !== undefined && order.submittedAt >= until) return false
  if (symbols !== undefined && !symbols.includes(order.symbol)) return false
  return side === undefined || order.side === side
}

/** A cursor that names no order of this account matches nothing beyond it. */
function isBeyond(order: Order, cursor: Order | undefined, query: OrdersQuery): boolean {
  if (query.beforeOrderId === undefined && query.afterOrderId === undefined) return true
  if (!cursor) return false
  const place = byPlace(order, cursor)
  return query.beforeOrderId === undefined ? place > 0 : place < 0
}
