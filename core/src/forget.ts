import type { State } from './state.ts'
import { keyHolder } from './tokenization/apply.ts'
import { idempotencyName, issuerRequestName, type TokenizationRequest } from './tokenization/request.ts'

/**
 * Removes closed orders and requests once the views have stored them, so that memory is bounded by open work,
 * not by history. Decisions must not change: the caller looks up a removed client order id or idempotency key
 * in the views and passes it with the command.
 */
export function forget(state: State, upTo: number): void {
  dropOrders(state, upTo)
  for (const [id, seq] of state.closedRequests) {
    if (seq > upTo) break
    const request = state.requests.get(id)
    if (request) dropKeys(state, request)
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
  while (count < ids.length && seqs[count]! <= upTo) {
    const id = ids[count++]!
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

function dropKeys(state: State, request: TokenizationRequest): void {
  const { kind, idempotency, issuer, issuerRequestId } = request
  if (idempotency)
    state.idempotencyKeys.delete(idempotencyName(keyHolder(state, request), kind, idempotency.key))
  if (kind === 'redeem' && issuerRequestId)
    state.issuerRequestIds.delete(issuerRequestName(issuer, issuerRequestId))
}
