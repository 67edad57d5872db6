import type { Moment } from '../moment.ts'
import { fail, type Result } from '../result.ts'
import type { View } from '../state.ts'
import type { ReplaceOrder } from './commands.ts'
import type { OrderAccepted, OrderReplaced } from './events.ts'
import { isOpen, type OrderStatus } from './moves.ts'

export type ReplaceRefusal =
  | { readonly code: 'orderNotFound'; readonly id: string }
  | { readonly code: 'orderAlreadyTerminal'; readonly status: OrderStatus }
  | { readonly code: 'cannotReplaceIn'; readonly status: OrderStatus }

/** Puts another order in the place of an open one; the two stand in one decision. */
export function replaceOrder(
  view: View,
  _moment: Moment,
  { accountId, orderId }: ReplaceOrder,
): Result<[OrderReplaced, OrderAccepted], ReplaceRefusal> {
  const order = view.orders.get(orderId)
  if (!order || order.accountId !== accountId) return fail({ code: 'orderNotFound', id: orderId })
  if (!isOpen(order)) return fail({ code: 'orderAlreadyTerminal', status: order.status })
  return fail({ code: 'cannotReplaceIn', status: order.status })
}
