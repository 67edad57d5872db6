import { changeHolds, heldMoney, heldShares } from '../account/holds.ts'
import type { Money, Quantity } from '../amount.ts'
import { found } from '../result.ts'
import type { State } from '../state.ts'
import type { OrderRestated } from './events.ts'
import { keepPlace } from './matching/waiting-orders.ts'
import type { Order } from './order.ts'
import { keepOwn } from './self-trade-index.ts'

/** Writes other terms into an order: what it holds and where it waits are given up and taken anew. */
export function applyRestated(state: State, { at, orderId, changes }: OrderRestated): void {
  const before = found(state.orders.get(orderId), orderId)
  const { trigger, ...terms } = changes
  const after: Order = {
    ...before,
    ...terms,
    ...(trigger && { trigger: { ...found(before.trigger, `the trigger of ${orderId}`), ...trigger } }),
    updatedAt: at,
  }
  const { accountId } = after
  changeHolds(state, accountId, -heldMoney(before) as Money, before.symbol, -heldShares(before) as Quantity)
  changeHolds(state, accountId, heldMoney(after), after.symbol, heldShares(after))
  keepOwn(state.own, before, after)
  // For a moment it waits nowhere, as one that has ended.
  keepPlace(state, before, { ...before, status: 'canceled' })
  state.orders.set(orderId, after)
  keepPlace(state, undefined, after)
}
