import { issuerRequestName } from '../tokenization/request.ts'
import type { State } from './state.ts'

/**
 * Removes closed orders and requests once the query tables have stored them, so that memory is bounded by open work,
 * not by history. Decisions must not change: the caller looks up a removed client order id or idempotency key
 * in the query tables and passes it with the command.
 */
export function forget(state: State, upTo: number): void {
  dropOrders(state, upTo)
  for (const [id, seq] of state.closedRequests) {
    if (seq > upTo) break
    const request = state.requests.get(id)
    if (request?.kind === 'redeem' && request.issuerRequestId)
      state.issuerRequestIds.delete(issuerRequestName(request.issuer, request.issuerRequestId))
    state.requests.delete(id)
    state.closedRequests.delete(id)
  }
  for (const [name, { seq }] of state.keyedCalls) {
    if (seq > upTo) break
    state.keyedCalls.delete(name)
  }
}

function dropOrders(
  { closed, orders, clientOrderIds, accountsWithDroppedOrders }: State,
  upTo: number,
): void {
  const { ids, seqs } = closed
  let count = 0
  for (const id of ids) {
    const seq = seqs[count]
    if (seq === undefined || seq > upTo) break
    count += 1
    const order = orders.get(id)
    if (!order) continue
    clientOrderIds.get(order.accountId)?.delete(order.clientOrderId)
    accountsWithDroppedOrders.add(order.accountId)
    orders.delete(id)
  }
  if (count === 0) return
  ids.splice(0, count)
  seqs.splice(0, count)
}
