import type { Committed } from '@quipu/broker/journal/committed.ts'
import type { TradeEvent, TradeUpdate } from '@quipu/contract'
import {
  type BrokerEvent,
  format,
  formatInstant,
  type Instant,
  isOrderEvent,
  type Order,
  type OrderEvent,
  type OrderFilled,
} from '@quipu/core'
import { eventId } from './event-id.ts'
import { cacheLast, flat } from './json-text.ts'
import { orderText, orderToWire } from './order-wire.ts'

/** The trade update of a durable event; undefined if the event changes no order. */
export function tradeUpdateOf({ seq, event, order }: Committed): TradeUpdate | undefined {
  const name = order && nameOf(event, order)
  if (!name) return undefined
  const at = formatInstant(event.at)
  const update = {
    at,
    event_id: eventId(event.at, seq),
    event: name,
    timestamp: at,
    order: orderToWire(order),
  }
  if (event.kind !== 'orderFilled') return update
  return {
    ...update,
    execution_id: event.executionId,
    position_qty: format(event.positionAfter),
    price: format(event.price),
    qty: format(event.quantity),
  }
}

/** The trade update as JSON text, the same bytes as JSON.stringify of the record. */
export function tradeUpdateText({ seq, event, order }: Committed): string | undefined {
  const name = order && nameOf(event, order)
  if (!name) return undefined
  return (
    `${opening(event.at)}${eventId(event.at, seq)}","event":"${name}","timestamp":${closing(event.at)}` +
    `${orderText(order)}${event.kind === 'orderFilled' ? executionText(event) : '}'}`
  )
}

/** The protocol's name of a durable event; undefined if the event changes no order. */
export const tradeEventOf = ({ event, order }: Committed): TradeEvent | undefined =>
  order && nameOf(event, order)

/** Fills of one instant share the time, the price and often the size. */
const opening = cacheLast((at: Instant) => flat(`{"at":"${formatInstant(at)}","event_id":"`))
const closing = cacheLast((at: Instant) => flat(`"${formatInstant(at)}","order":`))
const traded = cacheLast(format)
const amount = cacheLast(format)

const executionText = ({ executionId, positionAfter, price, quantity }: OrderFilled): string =>
  `,"execution_id":"${executionId}","position_qty":"${format(positionAfter)}` +
  `","price":"${traded(price)}","qty":"${amount(quantity)}"}`

/** The protocol's name of an event; undefined for events that the protocol does not report. */
function nameOf(event: BrokerEvent, order: Order): TradeEvent | undefined {
  if (event.kind === 'orderAccepted') return entryNames[event.order.status]
  if (event.kind === 'orderFilled') return order.status === 'filled' ? 'fill' : 'partial_fill'
  // A single stop order was `new` before its election; a leg was `held`.
  if (event.kind === 'orderElected') return order.group?.parentId === undefined ? undefined : 'new'
  return isOrderEvent(event) ? names[event.kind] : undefined
}

const names: Readonly<Record<PlainKind, TradeEvent | undefined>> = {
  orderReleased: 'pending_new',
  orderAcknowledged: 'new',
  orderActivated: 'new',
  orderResumed: 'new',
  orderResized: 'restated',
  orderRestated: 'restated',
  orderReplaced: 'replaced',
  orderCanceled: 'canceled',
  orderExpired: 'expired',
  orderRejected: 'rejected',
  orderCancelRequested: 'pending_cancel',
  orderCancelRejected: 'order_cancel_rejected',
  orderReplaceRequested: 'pending_replace',
  orderReplaceRejected: 'order_replace_rejected',
  orderDoneForDay: 'done_for_day',
  orderRequeued: undefined,
  stopActivated: undefined,
  stopAdjusted: undefined,
}

type PlainKind = Exclude<OrderEvent['kind'], 'orderAccepted' | 'orderFilled' | 'orderElected'>

const entryNames: { readonly [Status in Order['status']]?: TradeEvent } = {
  accepted: 'accepted',
  pendingNew: 'pending_new',
  held: 'held',
}
