import { heldShares } from '../account/holds.ts'
import { NO_QUANTITY, type Quantity } from '../amount.ts'
import type { View } from '../state.ts'
import type { OrderEvent } from './events.ts'
import { type Order, opens } from './order.ts'

/**
 * What of an entry's position nobody holds once the events of a decision have happened: an exit is not larger, since
 * some of what was bought may have been sold, or promised, before the entry was filled whole.
 */
export function roomFor(view: View, entry: Order, events: readonly OrderEvent[]): Quantity {
  const { accountId, symbol } = entry
  let position = view.positions.get(accountId)?.get(symbol)?.quantity ?? NO_QUANTITY
  let held: bigint = view.holds.get(accountId)?.shares.get(symbol) ?? NO_QUANTITY
  const sizes = new Map<Order['id'], Quantity>()
  for (const event of events) {
    if (event.kind === 'orderAccepted' || event.accountId !== accountId) continue
    const order = view.orders.get(event.orderId)
    if (order?.symbol !== symbol) continue
    if (event.kind === 'orderFilled') {
      position = event.positionAfter
      if (!opens(order.intent)) held -= event.quantity
    } else if (event.kind === 'orderCanceled' || event.kind === 'orderExpired') held -= heldShares(order)
    else if (event.kind === 'orderResized') sizes.set(order.id, event.quantity)
    // Exits that began in this decision hold from now on; of two siblings only one does.
    else if (event.kind === 'orderActivated' || (event.kind === 'orderArmed' && order.group?.class === 'oto'))
      held += sizes.get(order.id) ?? order.quantity
  }
  return ((position < NO_QUANTITY ? -position : position) - held) as Quantity
}
