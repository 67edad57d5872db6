import { changeHolds, heldMoney, heldShares, updateHolds } from '../account/holds.ts'
import { bookFill } from '../account/positions.ts'
import { type AgendaItem, schedule, unschedule } from '../agenda.ts'
import { add, type Money, NO_MONEY, NO_QUANTITY, type Quantity } from '../amount.ts'
import type { OrderId } from '../ids.ts'
import { found } from '../result.ts'
import type { State } from '../state.ts'
import { type Instant, minuteOf } from '../time.ts'
import type { OrderAccepted, OrderEvent, OrderFilled, OrderRestated } from './events.ts'
import { groupOf, isWholeFill } from './groups.ts'
import { updateWaitingIndex } from './matching/waiting-orders.ts'
import type { Group, Order, Side, Trigger } from './order.ts'
import { updateSelfTradeIndex } from './self-trade-index.ts'
import { isOpen, statusAfter } from './transitions.ts'
import { venueRecordAfter, withVenue } from './venue/apply.ts'
import { stepAt } from './venue/steps.ts'

export function applyOrder(state: State, event: Exclude<OrderEvent, OrderRestated>): Order {
  if (event.kind === 'orderAccepted') return accept(state, event)
  if (event.kind === 'orderFilled') return fill(state, event)
  const before = found(state.orders.get(event.orderId), event.orderId)
  return change(state, before, recordAfter(before, event))
}

type RecordEvent = Exclude<OrderEvent, OrderAccepted | OrderFilled | OrderRestated>

/** The record of an order after an event. */
function recordAfter(before: Order, event: RecordEvent): Order {
  const { at } = event
  const { status } = before
  switch (event.kind) {
    case 'orderReleased':
      return {
        ...before,
        status: statusAfter(status, 'release'),
        submittedAt: at,
        updatedAt: at,
        dueAt: event.due,
      }
    case 'orderAcknowledged':
      return acknowledgedRecord(before, at)
    case 'orderActivated':
      return { ...before, status: statusAfter(status, 'activate'), updatedAt: at }
    case 'stopActivated':
      return withTrigger(before, { armedAt: at })
    case 'stopAdjusted':
      return withTrigger(before, { highWater: event.highWater, stop: event.stop })
    case 'orderElected':
      return {
        ...withTrigger(before, { electedAt: at }),
        status: status === 'held' ? statusAfter(status, 'activate') : status,
        updatedAt: at,
      }
    case 'orderResized':
      return { ...before, quantity: event.quantity, updatedAt: at }
    case 'orderReplaced':
      return {
        ...before,
        status: statusAfter(status, 'replace'),
        updatedAt: at,
        replacedAt: at,
        replacedBy: event.by,
      }
    case 'orderCanceled':
      return canceledRecord(before, at)
    case 'orderExpired':
      return { ...before, status: statusAfter(status, 'expire'), updatedAt: at, expiredAt: at }
    default:
      return venueRecordAfter(before, event)
  }
}

/** The order after the market accepted it. Trades before that do not count for its trigger. */
function acknowledgedRecord(order: Order, at: Instant): Order {
  const status = statusAfter(order.status, 'work')
  const known = order.venue ? withVenue(order, ACKNOWLEDGED) : order
  return { ...(known.trigger ? withTrigger(known, { armedAt: at }) : known), status, updatedAt: at }
}

const ACKNOWLEDGED = { unacknowledged: undefined, awaits: undefined }

function withTrigger(order: Order, changed: Partial<Trigger>): Order {
  return { ...order, trigger: { ...found(order.trigger, `the trigger of ${order.id}`), ...changed } }
}

/** The order after a complete or partial fill. */
function filledRecord(order: Order, event: OrderFilled, isWhole: boolean): Order {
  const { at, rest } = event
  const status = statusAfter(order.status, isWhole ? 'fillAll' : 'fillPart')
  const value = event.price * event.quantity
  // Most orders are filled at once; then no sum is needed.
  const filledQuantity =
    order.filledQuantity === NO_QUANTITY ? event.quantity : add(order.filledQuantity, event.quantity)
  const filledValue = order.filledValue === 0n ? value : order.filledValue + value
  const known = event.venue ? withVenue(order, restAfter(event.venue)) : order
  const base = rest === undefined ? known : withNotionalFill(known, event, rest)
  return isWhole
    ? { ...base, status, filledQuantity, filledValue, updatedAt: at, filledAt: at }
    : { ...base, status, filledQuantity, filledValue, updatedAt: at }
}

const restAfter = ({ piecesLeft, restsUntil }: NonNullable<OrderFilled['venue']>) => ({
  piecesLeft,
  restsUntil,
})

/** The order after its cancellation. */
const canceledRecord = (order: Order, at: Instant): Order => ({
  ...order,
  status: statusAfter(order.status, 'cancel'),
  updatedAt: at,
  canceledAt: at,
})

/** The quantity of a notional order: the bought quantity, plus the quantity that the rest buys at the last price. */
function withNotionalFill(order: Order, { quantity, cash }: OrderFilled, rest: Quantity): Order {
  return {
    ...order,
    quantity: (order.filledQuantity + quantity + rest) as Quantity,
    spent: add(order.spent ?? NO_MONEY, cash),
  }
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
  const after = change(state, order, filledRecord(order, event, isWholeFill(order, event)))
  bookFill(state, event, order.side)
  if (event.auction === undefined) useDisplayedSize(state, event, order.side)
  if (event.venue?.volume !== undefined) useVolume(state, event)
  return after
}

function useDisplayedSize(state: State, { symbol, quote, quantity }: OrderFilled, side: Side): void {
  const used = state.usedSizes.get(symbol)
  if (used?.quoteAt !== quote.at)
    state.usedSizes.set(symbol, {
      ...(used?.taken !== undefined && { minuteAt: used.minuteAt!, taken: used.taken }),
      quoteAt: quote.at,
      bought: side === 'buy' ? quantity : NO_QUANTITY,
      sold: side === 'sell' ? quantity : NO_QUANTITY,
    })
  else if (side === 'buy') used.bought = add(used.bought, quantity)
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
  const name = groupOf(order)!
  const { replaces } = order
  if (replaces !== undefined && name === order.id) replaceParent(state, order, replaces)
  else if (replaces !== undefined) replaceLegId(state, name, replaces, order.id)
  let members = state.groups.get(name)
  if (!members) state.groups.set(name, (members = new Set()))
  members.add(order.id)
}

export function leaveGroup(state: State, order: Order): void {
  const name = groupOf(order)!
  const members = state.groups.get(name)
  members?.delete(order.id)
  if (members?.size === 0) state.groups.delete(name)
}

/** The legs of a replaced parent move to the new parent. */
function replaceParent(state: State, parent: Order, before: OrderId): void {
  const legs = state.groups.get(before)
  state.groups.delete(before)
  for (const id of legs ?? []) {
    const leg = state.orders.get(id)
    if (leg?.group) state.orders.set(id, { ...leg, group: { ...leg.group, parentId: parent.id } })
  }
  if (legs) state.groups.set(parent.id, legs)
}

/** Updates a leg's id in its open parent. */
function replaceLegId(state: State, parentId: OrderId, before: OrderId, after: OrderId): void {
  const parent = state.orders.get(parentId)
  if (!parent?.group?.legIds || !isOpen(parent)) return
  const legIds = parent.group.legIds.map((id) => (id === before ? after : id))
  const group: Group = { ...parent.group, legIds }
  state.orders.set(parentId, { ...parent, group })
}

/** Changes an order's terms; releases and renews its holds and index entries. */
export function applyRestated(state: State, { at, orderId, changes }: OrderRestated): void {
  const before = found(state.orders.get(orderId), orderId)
  const { trigger, ...terms } = changes
  const after: Order = { ...(trigger ? withTrigger(before, trigger) : before), ...terms, updatedAt: at }
  const { accountId } = after
  changeHolds(state, accountId, -heldMoney(before) as Money, before.symbol, -heldShares(before) as Quantity)
  changeHolds(state, accountId, heldMoney(after), after.symbol, heldShares(after))
  updateSelfTradeIndex(state.selfTradeIndex, before, after)
  // Removes the order from its index, as if it had ended.
  updateWaitingIndex(state, before, { ...before, status: 'canceled' })
  state.orders.set(orderId, after)
  updateWaitingIndex(state, undefined, after)
}
