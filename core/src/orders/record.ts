import { add, NO_MONEY, NO_QUANTITY, type Quantity, toQuantity } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { OrderId } from '../ids.ts'
import { isOneOf } from '../kinds.ts'
import { found } from '../result.ts'
import type { Instant } from '../time.ts'
import type {
  OrderAccepted,
  OrderEvent,
  OrderFilled,
  OrderReleased,
  OrderRestated,
  VenueEvent,
} from './events.ts'
import { venueEventFields } from './events.ts'
import { isWholeFill } from './groups.ts'
import type { AtVenue, Order, Trigger } from './order.ts'
import { isBeforeMarket, isOpen, statusAfter } from './transitions.ts'

/** The record of an order after an event of this order. */
export function recordAfter(before: Order, event: Exclude<OrderEvent, OrderAccepted>): Order {
  if (isOneOf(venueEventFields, event)) return venueRecordAfter(before, event)
  const { at } = event
  const { status } = before
  switch (event.kind) {
    case 'orderReleased':
      return releasedRecord(before, event)
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
    case 'orderFilled':
      return filledRecord(before, event)
    case 'orderRestated':
      return restatedRecord(before, event)
  }
}

const releasedRecord = (order: Order, { at, due }: OrderReleased): Order => {
  const status = statusAfter(order.status, 'release')
  return { ...order, status, submittedAt: at, updatedAt: at, dueAt: due }
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
function filledRecord(order: Order, event: OrderFilled): Order {
  const { at, rest } = event
  const isWhole = isWholeFill(order, event)
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
    quantity: toQuantity(order.filledQuantity + quantity + rest),
    spent: add(order.spent ?? NO_MONEY, cash),
  }
}

/** The order with the terms that a corporate action changed. */
function restatedRecord(order: Order, { at, changes }: OrderRestated): Order {
  const { trigger, ...terms } = changes
  return { ...(trigger ? withTrigger(order, trigger) : order), ...terms, updatedAt: at }
}

/** An accepted order that replaces a member of its group changes the references of the other members. */
export function replaceInGroup(orders: Map<OrderId, Order>, { id, group, replaces }: Order): void {
  if (!group || replaces === undefined) return
  if (group.parentId === undefined) for (const legId of group.legIds ?? []) replaceParentId(orders, legId, id)
  else replaceLegId(orders, group.parentId, replaces, id)
}

/** An open leg of a replaced parent moves to the new parent. */
function replaceParentId(orders: Map<OrderId, Order>, legId: OrderId, parentId: OrderId): void {
  const leg = orders.get(legId)
  if (leg?.group && isOpen(leg)) orders.set(legId, { ...leg, group: { ...leg.group, parentId } })
}

/** Updates a leg's id in its open parent. */
function replaceLegId(orders: Map<OrderId, Order>, parentId: OrderId, before: OrderId, after: OrderId): void {
  const parent = orders.get(parentId)
  if (!parent?.group?.legIds || !isOpen(parent)) return
  const legIds = parent.group.legIds.map((id) => (id === before ? after : id))
  orders.set(parentId, { ...parent, group: { ...parent.group, legIds } })
}

/** The record of an order after an event that only venue settings cause. */
function venueRecordAfter(before: Order, event: VenueEvent): Order {
  const { at } = event
  const { status } = before
  switch (event.kind) {
    case 'orderRejected':
      return { ...before, status: statusAfter(status, 'reject'), updatedAt: at, failedAt: at }
    case 'orderCancelRequested': {
      const { confirmAt } = event
      const unacknowledged = isBeforeMarket(before) || undefined
      const after = { ...before, status: statusAfter(status, 'requestCancel'), updatedAt: at }
      return withVenue(after, { confirmAt, unacknowledged })
    }
    case 'orderReplaceRequested': {
      const { by: replacedBy, reserve, quantity } = event
      const total = add(before.filledQuantity, quantity)
      const after = { ...before, status: statusAfter(status, 'requestReplace'), updatedAt: at }
      return withVenue(after, { replacedBy, reserve, total })
    }
    case 'orderDoneForDay': {
      const after = { ...before, status: statusAfter(status, 'endDay'), updatedAt: at }
      return withVenue(after, { doneAt: undefined, resumesAt: event.resumesAt })
    }
    case 'orderRequeued':
      return withVenue(before, { restsUntil: undefined })
    case 'orderCancelRejected':
    case 'orderReplaceRejected':
    case 'orderResumed':
      return restored(before, at)
  }
}

/** The order before the requested cancel or replacement, or before the end of its day, with its fills since. */
function restored(order: Order, at: Instant): Order {
  const move = order.venue?.unacknowledged
    ? 'restorePending'
    : order.filledQuantity === 0n
      ? 'restoreNew'
      : 'restorePart'
  const status = statusAfter(order.status, move)
  return withVenue({ ...order, status, updatedAt: at }, NOTHING_PENDING)
}

const NOTHING_PENDING = {
  confirmAt: undefined,
  unacknowledged: undefined,
  replacedBy: undefined,
  reserve: undefined,
  total: undefined,
  resumesAt: undefined,
}

type Changes = { readonly [Name in keyof AtVenue]?: AtVenue[Name] | undefined }

/** Changes the venue state of an order. Absent fields have no key, and an empty state is absent. */
function withVenue({ venue: before, ...order }: Order, changes: Changes): Order {
  const venue = definedFields({ ...before, ...changes })
  return Object.keys(venue).length === 0 ? order : { ...order, venue }
}
