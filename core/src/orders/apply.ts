import { changeHolds, heldMoney, heldShares, updateHolds } from '../account/holds.ts'
import { bookFill } from '../account/positions/positions.ts'
import { type AgendaItem, schedule, unschedule } from '../agenda.ts'
import { add, NO_QUANTITY, negate } from '../amount.ts'
import type { OrderId } from '../ids.ts'
import { found } from '../result.ts'
import type { State } from '../state/state.ts'
import { minuteOf } from '../time.ts'
import type { OrderAccepted, OrderEvent, OrderFilled, OrderRestated } from './events.ts'
import { groupOf } from './groups.ts'
import { updateWaitingIndex } from './matching/waiting-orders.ts'
import type { Order, Side } from './order.ts'
import { recordAfter, replaceInGroup } from './record.ts'
import { updateSelfTradeIndex } from './self-trade-index.ts'
import { isOpen } from './transitions.ts'
import { stepAt } from './venue/steps.ts'

export function applyOrder(state: State, event: Exclude<OrderEvent, OrderRestated>): Order {
  if (event.kind === 'orderAccepted') return accept(state, event)
  if (event.kind === 'orderFilled') return fill(state, event)
  const before = found(state.orders.get(event.orderId), event.orderId)
  return change(state, before, recordAfter(before, event))
}

function accept(state: State, { order, accountId }: OrderAccepted): Order {
  state.orders.set(order.id, order)
  let names = state.clientOrderIds.get(accountId)
  if (!names) state.clientOrderIds.set(accountId, (names = new Map()))
  names.set(order.clientOrderId, order.id)
  if (order.group) joinGroup(state, order)
  updateHolds(state, undefined, order)
  updateSelfTradeIndex(state.selfTradeIndex, undefined, order)
  updateWaitingIndex(state, undefined, order)
  updateAgenda(state, undefined, order)
  return order
}

/** Stores a changed order, and updates holds, indexes and agenda. */
function change(state: State, before: Order, after: Order): Order {
  const { id } = after
  updateHolds(state, before, after)
  state.orders.set(id, after)
  updateSelfTradeIndex(state.selfTradeIndex, before, after)
  updateWaitingIndex(state, before, after)
  updateAgenda(state, before, after)
  if (isOpen(after)) return after
  if (after.group) leaveGroup(state, after)
  state.closed.ids.push(id)
  state.closed.seqs.push(state.seq)
  return after
}

/** Schedules an order's next step, and its expiry. */
function updateAgenda(state: State, before: Order | undefined, after: Order): void {
  const from = before && stepAt(before)
  const to = stepAt(after)
  if (from !== undefined) unschedule(state.agenda, from, itemOf('workOrder', after))
  if (to !== undefined) schedule(state.agenda, to, itemOf('workOrder', after))
  if (!before) schedule(state.agenda, after.expiresAt, itemOf('expireOrder', after))
  else if (!isOpen(after)) unschedule(state.agenda, after.expiresAt, itemOf('expireOrder', after))
}

function fill(state: State, event: OrderFilled): Order {
  const order = found(state.orders.get(event.orderId), event.orderId)
  const after = change(state, order, recordAfter(order, event))
  bookFill(state, event, order.side)
  if (event.auction === undefined) useDisplayedSize(state, event, order.side)
  if (event.venue?.volume !== undefined) useVolume(state, event)
  return after
}

function useDisplayedSize(state: State, { symbol, quote, quantity }: OrderFilled, side: Side): void {
  const used = state.usedSizes.get(symbol)
  if (used?.quoteAt !== quote.at) {
    const { minuteAt, taken } = used ?? {}
    state.usedSizes.set(symbol, {
      ...(minuteAt !== undefined && taken !== undefined && { minuteAt, taken }),
      quoteAt: quote.at,
      bought: side === 'buy' ? quantity : NO_QUANTITY,
      sold: side === 'sell' ? quantity : NO_QUANTITY,
    })
  } else if (side === 'buy') used.bought = add(used.bought, quantity)
  else used.sold = add(used.sold, quantity)
}

/** Fills of both sides use the volume of a minute. */
function useVolume(state: State, { at, symbol, quantity }: OrderFilled): void {
  const used = found(state.usedSizes.get(symbol), symbol)
  const minuteAt = minuteOf(at)
  const taken = used.minuteAt === minuteAt ? (used.taken ?? NO_QUANTITY) : NO_QUANTITY
  state.usedSizes.set(symbol, { ...used, minuteAt, taken: add(taken, quantity) })
}

const itemOf = (kind: 'workOrder' | 'expireOrder', { id }: Order): AgendaItem => ({ kind, orderId: id })

/** Adds an accepted order to its group, or replaces a member. */
export function joinGroup(state: State, order: Order): void {
  const name = groupOf(order)
  const { replaces } = order
  replaceInGroup(state.orders, order)
  if (replaces !== undefined && name === order.id) renameGroup(state, replaces, name)
  let members = state.groups.get(name)
  if (!members) state.groups.set(name, (members = new Set()))
  members.add(order.id)
}

export function leaveGroup(state: State, order: Order): void {
  const name = groupOf(order)
  const members = state.groups.get(name)
  members?.delete(order.id)
  if (members?.size === 0) state.groups.delete(name)
}

/** A replaced parent gives its group a new name. */
function renameGroup({ groups }: State, before: OrderId, after: OrderId): void {
  const members = groups.get(before)
  groups.delete(before)
  if (members) groups.set(after, members)
}

/** Changes an order's terms; releases and renews its holds and index entries. */
export function applyRestated(state: State, event: OrderRestated): void {
  const { orderId } = event
  const before = found(state.orders.get(orderId), orderId)
  const after = recordAfter(before, event)
  const { accountId } = after
  changeHolds(state, accountId, negate(heldMoney(before)), before.symbol, negate(heldShares(before)))
  changeHolds(state, accountId, heldMoney(after), after.symbol, heldShares(after))
  updateSelfTradeIndex(state.selfTradeIndex, before, after)
  // Removes the order from its index, as if it had ended.
  updateWaitingIndex(state, before, { ...before, status: 'canceled' })
  state.orders.set(orderId, after)
  updateWaitingIndex(state, undefined, after)
}
