import type { AccountId, OrderId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { ok, type Result } from '../result.ts'
import { settingsOf, type View } from '../state.ts'
import { expireOrder } from './cancel.ts'
import type { OrderEvent } from './events.ts'
import { withConsequences } from './groups.ts'
import { isImmediate, takeNow } from './immediate.ts'
import { arrival } from './session.ts'
import { isOnItsWay } from './transitions.ts'

/**
 * One step towards the market: a queued order is released, a released one is worked. One whose time was up by then,
 * because nobody was there when it was due, ends.
 */
export function workOrder(
  view: View,
  moment: Moment,
  { accountId, orderId }: { readonly accountId: AccountId; readonly orderId: OrderId },
): Result<readonly OrderEvent[], never> {
  const order = view.orders.get(orderId)
  const { at } = moment
  if (!order || !isOnItsWay(order)) return ok([])
  if (at >= order.expiresAt) return expireOrder(view, moment, { accountId, orderId })
  if (order.status === 'accepted')
    return ok([{ kind: 'orderReleased', at, accountId, orderId, due: arrival(settingsOf(view), order, at) }])
  const worked = { kind: 'orderWorked', at, accountId, orderId } as const
  if (isImmediate(order)) return ok([worked, ...takeNow(view, moment, order)])
  return ok(order.group ? withConsequences(view, moment, [worked]) : [worked])
}
