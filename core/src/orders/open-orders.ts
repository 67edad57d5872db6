import type { AccountId } from '../ids.ts'
import type { View } from '../state.ts'
import type { Order } from './order.ts'
import { isOpen } from './transitions.ts'

/**
 * An account's open orders, in the order they came: found by their names, among which those that have ended stand until
 * the views have them. No list is kept of the open ones alone: every order would have to enter and leave it.
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

export const hasOpenOrders = ({ own }: Pick<View, 'own'>, accountId: AccountId): boolean => own.has(accountId)

/** Of all accounts. */
export const openCount = ({ orders, closed }: Pick<View, 'orders' | 'closed'>): number =>
  orders.size - closed.ids.length
