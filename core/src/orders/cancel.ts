import type { Decider } from '../handlers.ts'
import { fail, ok } from '../result.ts'
import { withConsequences } from './groups.ts'
import { isOpen, type OrderStatus } from './transitions.ts'

export type CancelRefusal =
  | { readonly code: 'orderNotFound'; readonly id: string }
  | { readonly code: 'orderAlreadyTerminal'; readonly status: OrderStatus }

export const cancelOrder: Decider<'cancelOrder', CancelRefusal> = (view, moment, { accountId, orderId }) => {
  const order = view.orders.get(orderId)
  // Another account's order returns "not found", so that its existence is not revealed.
  if (!order || order.accountId !== accountId) return fail({ code: 'orderNotFound', id: orderId })
  if (!isOpen(order)) return fail({ code: 'orderAlreadyTerminal', status: order.status })
  const canceled = { kind: 'orderCanceled', at: moment.at, accountId, orderId, why: 'asked' } as const
  return ok(order.group ? withConsequences(view, moment, [canceled]) : [canceled])
}

/** Expires an order. A GTC order is canceled by age, all others expire. */
export const expireOrder: Decider<'expireOrder'> = (view, moment, { accountId, orderId }) => {
  const order = view.orders.get(orderId)
  if (!order || !isOpen(order)) return ok([])
  const common = { at: moment.at, accountId, orderId }
  return ok(
    withConsequences(view, moment, [
      order.timeInForce === 'gtc'
        ? { kind: 'orderCanceled', ...common, why: 'aged' }
        : { kind: 'orderExpired', ...common },
    ]),
  )
}
