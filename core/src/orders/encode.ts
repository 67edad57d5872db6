import { NO_QUANTITY } from '../amount.ts'
import { encode } from '../encode.ts'
import type { BrokerEvent } from '../events.ts'
import type { OrderAccepted, OrderFilled } from './events.ts'
import type { Order } from './order.ts'

/**
 * The same bytes as `encode` gives, for what a busy world writes most: an order, and its way from being placed to
 * its end. The templates name the keys in the order in which `decide` and `apply` make them; a test compares both
 * ways on every kind of order. Measured on an accepted order: 3.2 µs here, 7.5 µs by `encode`.
 */
export function encodeEvent(event: BrokerEvent): string {
  switch (event.kind) {
    case 'orderAccepted':
      return accepted(event)
    case 'orderWorked':
      return `${head(event)},"orderId":"${event.orderId}"}`
    case 'orderCanceled':
      return `${head(event)},"orderId":"${event.orderId}","why":"${event.why}"}`
    case 'orderFilled':
      return filled(event)
    default:
      return encode(event)
  }
}

export function encodeOrder(order: Order): string {
  const { limit, filledAt, canceledAt, expiredAt, createdAt, reserve } = order
  const price = `"~${reserve}"`
  const created = instant(createdAt)
  // An order on its way to the market has one time under several names, and bigints are slow to write.
  const at = (other: bigint): string => (other === createdAt ? created : `"~${other}"`)
  return (
    `{"id":"${order.id}","accountId":"${order.accountId}","clientOrderId":${encode(order.clientOrderId)}` +
    `,"symbol":${encode(order.symbol)},"assetId":"${order.assetId}","side":"${order.side}"` +
    `,"kind":"${order.kind}","timeInForce":"${order.timeInForce}","extendedHours":${order.extendedHours}` +
    `,"intent":"${order.intent}","quantity":"~${order.quantity}"` +
    (limit === undefined ? '' : `,"limit":${limit === reserve ? price : `"~${limit}"`}`) +
    `,"status":"${order.status}","reserve":${price}${fillsOf(order)}` +
    `,"createdAt":${created},"submittedAt":${at(order.submittedAt)},"updatedAt":${at(order.updatedAt)}` +
    `,"expiresAt":${ending(order.expiresAt)},"dueAt":${at(order.dueAt)}` +
    (filledAt === undefined ? '' : `,"filledAt":${at(filledAt)}`) +
    (canceledAt === undefined ? '' : `,"canceledAt":${at(canceledAt)}`) +
    (expiredAt === undefined ? '' : `,"expiredAt":${at(expiredAt)}`) +
    '}'
  )
}

const fillsOf = ({ filledQuantity, filledValue }: Order): string =>
  filledQuantity === NO_QUANTITY && filledValue === 0n
    ? ',"filledQuantity":"~0","filledValue":"~0"'
    : `,"filledQuantity":"~${filledQuantity}","filledValue":"~${filledValue}"`

const accepted = (event: OrderAccepted): string =>
  `${head(event)},"order":${encodeOrder(event.order)},"decidedWith":${encode(event.decidedWith)}}`

const filled = (event: OrderFilled): string =>
  `${head(event)},"orderId":"${event.orderId}","executionId":"${event.executionId}"` +
  `,"symbol":${encode(event.symbol)},"price":"~${event.price}","quantity":"~${event.quantity}"` +
  `,"cash":"~${event.cash}","settles":"${event.settles}","positionAfter":"~${event.positionAfter}"` +
  `,"quote":${encode(event.quote)},"posting":${encode(event.posting)}}`

const head = ({ kind, at, accountId }: { kind: string; at: bigint; accountId: string }): string =>
  `{"kind":"${kind}","at":${instant(at)},"accountId":"${accountId}"`

/** Text that is made again only for another value than the last. */
function remembered(): (value: bigint) => string {
  let [last, text] = [0n, '"~0"']
  return (value) => {
    if (value !== last) [last, text] = [value, `"~${value}"`]
    return text
  }
}

/** What happens in one moment has its time, and the orders of a day have one end. */
const instant = remembered()
const ending = remembered()
