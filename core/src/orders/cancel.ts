import type { Decider } from '../handlers.ts'
import type { Moment } from '../moment.ts'
import { fail, found, ok } from '../result.ts'
import { settingsOf, type View } from '../state/state.ts'
import { later } from '../time.ts'
import type { OrderEvent } from './events.ts'
import { hasConsequences, withConsequences } from './groups.ts'
import type { Order } from './order.ts'
import { isOpen, isWorking, type OrderStatus } from './transitions.ts'
import { drawBelow, drawDelay } from './venue/draw.ts'

export type CancelRefusal =
  | { readonly code: 'orderNotFound'; readonly id: string }
  | { readonly code: 'orderAlreadyTerminal'; readonly status: OrderStatus }

export const cancelOrder: Decider<'cancelOrder', CancelRefusal> = (view, moment, { accountId, orderId }) => {
  const order = view.orders.get(orderId)
  // Another account's order returns "not found", so that its existence is not revealed.
  if (!order || order.accountId !== accountId) return fail({ code: 'orderNotFound', id: orderId })
  const { status } = order
  if (!isOpen(order) || status === 'pendingCancel' || status === 'pendingReplace')
    return fail({ code: 'orderAlreadyTerminal', status })
  const requested = cancelRequested(view, moment, order)
  if (requested) return ok([requested])
  const canceled = { kind: 'orderCanceled', at: moment.at, accountId, orderId, why: 'asked' } as const
  return ok(hasConsequences(order) ? withConsequences(view, moment, [canceled]) : [canceled])
}

/**
 * With venue settings for cancels, the market decides later on the cancel of an order that was sent to it. Until
 * then the order can fill.
 */
function cancelRequested(view: View, moment: Moment, order: Order): OrderEvent | undefined {
  const { venue } = settingsOf(view)
  if (venue?.cancelLatency === undefined && venue?.cancelRejectShare === undefined) return undefined
  const isSent = order.status === 'pendingNew' || isWorking(order)
  if (!isSent || order.venue?.awaits) return undefined
  const { accountId, id: orderId } = order
  const { events } = found(view.accounts.get(accountId), accountId)
  const delay = venue.cancelLatency
    ? drawDelay(moment, orderId, 'cancelLatency', venue.cancelLatency, events)
    : 0n
  const confirmAt = later(moment.at, delay)
  return { kind: 'orderCancelRequested', at: moment.at, accountId, orderId, confirmAt }
}

/** The market decides on a requested cancel. */
export function confirmCancel(view: View, moment: Moment, order: Order): readonly OrderEvent[] {
  const { accountId, id: orderId } = order
  const { events } = found(view.accounts.get(accountId), accountId)
  const share = settingsOf(view).venue?.cancelRejectShare
  const rejected = drawBelow(moment, orderId, 'cancelReject', share, events)
  const common = { at: moment.at, accountId, orderId }
  if (rejected) return [{ kind: 'orderCancelRejected', ...common, ...rejected }]
  return withConsequences(view, moment, [{ kind: 'orderCanceled', ...common, why: 'asked' }])
}

/** Expires an order. A GTC order is canceled by age, all others expire. */
export const expireOrder: Decider<'expireOrder'> = (view, moment, { orderId }) => {
  const order = view.orders.get(orderId)
  if (!order || !isOpen(order)) return ok([])
  const common = { at: moment.at, accountId: order.accountId, orderId }
  return ok(
    withConsequences(view, moment, [
      order.timeInForce === 'gtc'
        ? { kind: 'orderCanceled', ...common, why: 'aged' }
        : { kind: 'orderExpired', ...common },
    ]),
  )
}
