import assert from 'node:assert/strict'
import type { BrokerEvent } from '@quipu/core'
import type { CheckerOrders, TrackedOrder } from './orders.ts'
import { cents } from './rules.ts'

// Requests that the market decides on later, implemented without code of the core.

type Of<Kind> = Extract<BrokerEvent, { kind: Kind }>
type Orders = Pick<CheckerOrders, 'get' | 'end' | 'requested'>

export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** An order that is to replace another one holds nothing until then. */
export const awaitsReplacement = (orders: Orders, { accepted }: TrackedOrder): boolean =>
  accepted.replaces !== undefined && orders.get(accepted.replaces).pending?.by === accepted.id

/** The quantity of the order that is to replace this one, less the fills since the request. */
export const pendingQuantity = (orders: Orders, { pending, filled }: TrackedOrder): bigint =>
  pending ? larger(orders.get(pending.by).accepted.quantity - (filled - pending.filled), 0n) : 0n

export const pendingMoney = (orders: Orders, tracked: TrackedOrder): bigint =>
  tracked.pending
    ? cents(orders.get(tracked.pending.by).accepted.reserve, pendingQuantity(orders, tracked), 'buy')
    : 0n

/** Reads holds without this order, and without an order that it is to replace. */
export function holdsWithout<Held>(orders: Orders, tracked: TrackedOrder, read: () => Held): Held {
  const { replaces } = tracked.accepted
  const old = replaces === undefined ? undefined : orders.get(replaces)
  const ignored = old?.pending ? [tracked, old] : [tracked]
  for (const order of ignored) order.isOpen = false
  const held = read()
  for (const order of ignored) order.isOpen = true
  return held
}

export const venueChecks = (
  orders: Orders,
): { readonly [Kind in BrokerEvent['kind']]?: (event: Of<Kind>) => void } => ({
  orderCancelRequested: ({ at, orderId, confirmAt }) => {
    const tracked = orders.get(orderId)
    assert(tracked.isOpen && !tracked.isHeld && tracked.cancelAt === undefined && !tracked.pending)
    assert(confirmAt >= at)
    tracked.cancelAt = confirmAt
  },
  orderCancelRejected: ({ at, orderId }) => {
    const tracked = orders.get(orderId)
    assert(tracked.isOpen && tracked.cancelAt !== undefined && at >= tracked.cancelAt)
    tracked.cancelAt = undefined
  },
  orderReplaceRequested: ({ orderId, by }) => {
    const tracked = orders.get(orderId)
    assert(tracked.isOpen && tracked.isWorking && tracked.cancelAt === undefined && !tracked.pending)
    tracked.pending = { by, filled: tracked.filled }
    orders.requested = { orderId, by }
  },
  orderReplaceRejected: ({ orderId, by }) => {
    const tracked = orders.get(orderId)
    assert(tracked.isOpen && tracked.pending?.by === by, 'a requested replacement is rejected')
    tracked.pending = undefined
  },
  orderDoneForDay: ({ orderId }) => {
    const tracked = orders.get(orderId)
    assert(tracked.isOpen && tracked.isWorking && !tracked.isDone && !tracked.pending)
    tracked.isDone = true
  },
  orderResumed: ({ orderId }) => {
    const tracked = orders.get(orderId)
    assert(tracked.isOpen && tracked.isDone)
    tracked.isDone = false
  },
  orderRequeued: ({ orderId }) => {
    const tracked = orders.get(orderId)
    assert(tracked.isOpen && tracked.isResting)
    tracked.isResting = false
  },
  orderRejected: ({ at, orderId, why }) => {
    const tracked = orders.end(orderId, at)
    assert.equal(tracked.filled, 0n, 'a rejected order has no fills')
    if (why === 'replacement') assert(tracked.accepted.replaces !== undefined, 'it was to replace an order')
  },
})
