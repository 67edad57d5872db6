import { clientKey, type State } from './state.ts'

/**
 * Lets closed orders go once the views have them, so that memory is bounded by open work, not by history.
 * Nothing a decision depends on may change by it: a client id that was let go comes back with the command, found
 * in the views.
 */
export function forget(state: State, upTo: number): void {
  for (const [id, closedAt] of state.closed) {
    if (closedAt > upTo) return
    const order = state.orders.get(id)
    if (order) {
      state.clientOrderIds.delete(clientKey(order.accountId, order.clientOrderId))
      state.letGo.add(order.accountId)
    }
    state.orders.delete(id)
    state.closed.delete(id)
  }
}
