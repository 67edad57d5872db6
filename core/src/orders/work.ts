import type { AccountId, OrderId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { ok, type Result } from '../result.ts'
import { settingsOf, type View } from '../state.ts'
import type { Instant } from '../time.ts'
import type { OrderReleased, OrderWorked } from './events.ts'

/** One step towards the market: a queued order is released, a released one is worked. */
export function workOrder(
  view: View,
  { at }: Moment,
  { accountId, orderId }: { readonly accountId: AccountId; readonly orderId: OrderId },
): Result<(OrderReleased | OrderWorked)[], never> {
  const order = view.orders.get(orderId)
  if (order?.status === 'accepted')
    return ok([
      {
        kind: 'orderReleased',
        at,
        accountId,
        orderId,
        due: (at + settingsOf(view).latencyNs) as Instant,
      },
    ])
  if (order?.status === 'pendingNew') return ok([{ kind: 'orderWorked', at, accountId, orderId }])
  return ok([])
}
