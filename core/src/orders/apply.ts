import { keepHolds } from '../account/holds.ts'
import { bookFill } from '../account/positions.ts'
import { type AgendaItem, schedule, unschedule } from '../agenda.ts'
import { add, NO_QUANTITY } from '../amount.ts'
import { found } from '../result.ts'
import type { State } from '../state.ts'
import type { OrderAccepted, OrderEvent, OrderFilled, OrderRestated } from './events.ts'
import { isWholeFill } from './groups.ts'
import { keepPlace } from './matching/waiting-orders.ts'
import { joinGroup, leaveGroup } from './membership.ts'
import type { Order, Side } from './order.ts'
import { canceledRecord, filledRecord, withTrigger, workedRecord } from './record.ts'
import { keepOwn } from './self-trade-index.ts'
import { isOnItsWay, isOpen, statusAfter } from './transitions.ts'

/** Writes what happened to an order: its record, its holds, its place in the book and on the agenda. */
export function applyOrder(state: State, event: Exclude<OrderEvent, OrderRestated>): Order {
  if (event.kind === 'orderAccepted') return accept(state, event)
  if (event.kind === 'orderFilled') return fill(state, event)
  const { at } = event
  const before = found(state.orders.get(event.orderId), event.orderId)
  const { status } = before
  switch (event.kind) {
    case 'orderReleased':
      return change(state, before, {
        ...before,
        status: statusAfter(status, 'release'),
        submittedAt: at,
        updatedAt: at,
        dueAt: event.due,
      })
    case 'orderWorked':
      return change(state, before, workedRecord(before, at))
    case 'orderActivated':
      return change(state, before, { ...before, status: statusAfter(status, 'activate'), updatedAt: at })
    case 'orderArmed':
      return change(state, before, withTrigger(before, { armedAt: at }))
    case 'orderTrailed':
      return change(state, before, withTrigger(before, { highWater: event.highWater, stop: event.stop }))
    case 'orderElected':
      return change(state, before, {
        ...withTrigger(before, { electedAt: at }),
        status: status === 'held' ? statusAfter(status, 'activate') : status,
        updatedAt: at,
      })
    case 'orderResized':
      return change(state, before, { ...before, quantity: event.quantity, updatedAt: at })
    case 'orderReplaced':
      return change(state, before, {
        ...before,
        status: statusAfter(status, 'replace'),
        updatedAt: at,
        replacedAt: at,
        replacedBy: event.by,
      })
    case 'orderCanceled':
      return change(state, before, canceledRecord(before, at))
    case 'orderExpired':
      return change(state, before, {
        ...before,
        status: statusAfter(status, 'expire'),
        updatedAt: at,
        expiredAt: at,
      })
  }
}

function accept(state: State, { order, accountId }: OrderAccepted): Order {
  state.orders.set(order.id, order)
  let names = state.clientOrderIds.get(accountId)
  if (!names) state.clientOrderIds.set(accountId, (names = new Map()))
  names.set(order.clientOrderId, order.id)
  if (order.group) joinGroup(state, order)
  keepHolds(state, undefined, order)
  keepOwn(state.own, undefined, order)
  keepPlace(state, undefined, order)
  keepAgenda(state, undefined, order)
  return order
}

/** Every change of an order goes through here: old holds out, new holds in, book and agenda kept in step. */
function change(state: State, before: Order, after: Order): Order {
  const { id } = after
  keepHolds(state, before, after)
  state.orders.set(id, after)
  keepOwn(state.own, before, after)
  keepPlace(state, before, after)
  keepAgenda(state, before, after)
  if (isOpen(after)) return after
  if (after.group) leaveGroup(state, after)
  state.closed.ids.push(id)
  state.closed.seqs.push(state.seq)
  return after
}

/** What an order waits for: its next step towards the market, and its end. */
function keepAgenda(state: State, before: Order | undefined, after: Order): void {
  if (before && isOnItsWay(before)) unschedule(state.agenda, before.dueAt, itemOf('workOrder', after))
  if (isOnItsWay(after)) schedule(state.agenda, after.dueAt, itemOf('workOrder', after))
  if (!before) schedule(state.agenda, after.expiresAt, itemOf('expireOrder', after))
  else if (!isOpen(after)) unschedule(state.agenda, after.expiresAt, itemOf('expireOrder', after))
}

function fill(state: State, event: OrderFilled): Order {
  const order = found(state.orders.get(event.orderId), event.orderId)
  const after = change(state, order, filledRecord(order, event, isWholeFill(order, event)))
  bookFill(state, event, order.side)
  if (event.auction === undefined) takeShown(state, event, order.side)
  return after
}

function takeShown(state: State, { symbol, quote, quantity }: OrderFilled, side: Side): void {
  const taken = state.taken.get(symbol)
  if (taken?.quoteAt !== quote.at)
    state.taken.set(symbol, {
      quoteAt: quote.at,
      bought: side === 'buy' ? quantity : NO_QUANTITY,
      sold: side === 'sell' ? quantity : NO_QUANTITY,
    })
  else if (side === 'buy') taken.bought = add(taken.bought, quantity)
  else taken.sold = add(taken.sold, quantity)
}

const itemOf = (kind: 'workOrder' | 'expireOrder', { accountId, id }: Order): AgendaItem => ({
  kind,
  accountId,
  orderId: id,
})
