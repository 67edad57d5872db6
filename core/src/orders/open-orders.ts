import type { AccountId } from '../ids.ts'
import type { View } from '../state/state.ts'
import type { Order } from './order.ts'
import { isOpen } from './transitions.ts'

/**
 * An account's open orders, oldest first. Found through the client order ids, which include closed orders
 * until the query tables have them. There is no separate list of open orders, because every order would have to
 * enter and leave it.
 */
export function* openOrdersOf(
  { clientOrderIds, orders }: Pick<View, 'clientOrderIds' | 'orders'>,
  accountId: AccountId,
): Generator<Order> {
  for (const id of clientOrderIds.get(accountId)?.values() ?? []) {
    const order = orders.get(id)
    if (order && isOpen(order)) yield order
  }
}

export const hasOpenOrders = (
  { selfTradeIndex }: Pick<View, 'selfTradeIndex'>,
  accountId: AccountId,
): boolean => selfTradeIndex.has(accountId)

/** Number of open orders of all accounts. */
export const openCount = ({ orders, closed }: Pick<View, 'orders' | 'closed'>): number =>
  orders.size - closed.ids.length
