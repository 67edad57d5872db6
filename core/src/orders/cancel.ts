import type { AccountId, OrderId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import type { CancelOrder } from './commands.ts'
import type { OrderCanceled, OrderExpired } from './events.ts'
import { isOpen, type OrderStatus } from './moves.ts'

export type CancelRefusal =
  | { readonly code: 'orderNotFound'; readonly id: string }
  | { readonly code: 'orderAlreadyTerminal'; readonly status: OrderStatus }

export function cancelOrder(
  view: View,
  { at }: Moment,
  { accountId, orderId }: CancelOrder,
): Result<[OrderCanceled], CancelRefusal> {
  const order = view.orders.get(orderId)
  // Another account's order is as good as none: that it exists is not ours to tell.
  if (!order || order.accountId !== accountId) return fail({ code: 'orderNotFound', id: orderId })
  if (!isOpen(order)) return fail({ code: 'orderAlreadyTerminal', status: order.status })
  return ok([{ kind: 'orderCanceled', at, accountId, orderId, why: 'asked' }])
}

/** Its time is up: a day order expires, one good till canceled is canceled by age. */
export function expireOrder(
  view: View,
  { at }: Moment,
  { accountId, orderId }: { readonly accountId: AccountId; readonly orderId: OrderId },
): Result<(OrderExpired | OrderCanceled)[], never> {
  const order = view.orders.get(orderId)
  if (!order || !isOpen(order)) return ok([])
  return ok([
    order.timeInForce === 'day'
      ? { kind: 'orderExpired', at, accountId, orderId }
      : { kind: 'orderCanceled', at, accountId, orderId, why: 'aged' },
  ])
}
