import { clientKey, type State } from './state.ts'
import { idempotencyName } from './tokenization/request.ts'

/**
 * Lets ended work go once the views have it, so that memory is bounded by open work, not by history. Nothing a
 * decision depends on may change by it: a client order id or an idempotency key that was let go comes back with the
 * command, found in the views.
 */
export function forget(state: State, upTo: number): void {
  for (const id of endedBy(state.closed, upTo)) {
    const order = state.orders.get(id)
    if (order) {
      state.clientOrderIds.delete(clientKey(order.accountId, order.clientOrderId))
      state.letGo.add(order.accountId)
    }
    state.orders.delete(id)
    state.closed.delete(id)
  }
  for (const id of endedBy(state.closedRequests, upTo)) {
    const request = state.requests.get(id)
    if (request?.idempotency)
      state.idempotencyKeys.delete(idempotencyName(request.accountId, request.idempotency.key))
    state.requests.delete(id)
    state.closedRequests.delete(id)
  }
}

/** What ended no later than an event; the oldest stand first. */
function* endedBy<Id>(ended: ReadonlyMap<Id, number>, upTo: number): Generator<Id> {
  for (const [id, seq] of ended) {
    if (seq > upTo) return
    yield id
  }
}
