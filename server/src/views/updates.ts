import {
  type AccountId,
  type ActivityPosition,
  type BrokerEvent,
  decode,
  encode,
  type Instant,
  type Order,
  type OrderId,
} from '@quipu/core'
import type { Committed } from '../journal/committed.ts'

/** An order event, with the order before and after it. */
export type Update = {
  readonly seq: number
  readonly event: OrderEvent
  readonly before: Order | undefined
  readonly after: Order
}

export type OrderEvent = Extract<BrokerEvent, { orderId: OrderId } | { order: Order }>

/**
 * Encodes updates of one account as one text: the orders after the last update, then each event with the previous
 * values of the changed fields. Decoding undoes the events one by one, so a row needs no other row.
 */
export function packUpdates(updates: readonly Update[], textOf: (order: Order) => string): string {
  const latest = new Map<OrderId, { readonly number: number; order: Order }>()
  let events = ''
  for (const { seq, event, before, after } of updates) {
    const previous = latest.get(after.id)
    // Between two events of an order, another order of its group may have changed its references.
    const earlier = previous?.order ?? before
    const number = previous?.number ?? latest.size
    if (previous) previous.order = after
    else latest.set(after.id, { number, order: after })
    const changed = earlier ? changedFrom(earlier, after) : 'null'
    events += `${events === '' ? '' : ','}[${seq},${number},${shortened(event)},${changed}]`
  }
  let orders = ''
  for (const { order } of latest.values()) orders += (orders === '' ? '' : ',') + textOf(order)
  return `{"orders":[${orders}],"events":[${events}]}`
}

/** Decodes updates in the form in which they were committed. Fields that clients never see are missing. */
export function unpackUpdates(accountId: AccountId, record: string): readonly Committed[] {
  const { orders, events } = decode(record) as Packed
  const now = [...orders]
  const committed: Committed[] = []
  for (const [seq, number, event, changed] of events.toReversed()) {
    const order = now[number]!
    committed.push({ seq, event: restored(accountId, event, order), order })
    if (changed) now[number] = undone(order, changed)
  }
  return committed.reverse()
}

/** The updates of a row up to a number, as a row, with the position of the last one; undefined if all are later. */
export function updatesUpTo(
  record: string,
  seq: number,
): { readonly record: string; readonly position: ActivityPosition } | undefined {
  const { orders, events } = decode(record) as Packed
  const included = events.filter(([number]) => number <= seq)
  const last = included.at(-1)
  if (!last) return undefined
  // A later order stays in the list, because updates refer to orders by their index.
  const then = [...orders]
  for (const [, number, , changed] of events.slice(included.length).toReversed())
    if (changed) then[number] = undone(then[number]!, changed)
  const [lastSeq, , event] = last
  const position = { at: event['at'] as Instant, seq: lastSeq, n: 0 }
  return { record: encode({ orders: then, events: included }), position }
}

type Packed = {
  readonly orders: readonly Order[]
  readonly events: readonly (readonly [
    seq: number,
    number: number,
    event: Record<string, unknown>,
    changed: Record<string, unknown> | null,
  ])[]
}

/** The previous values of the fields that an event changed; null for absent ones. */
function changedFrom(before: Order, after: Order): string {
  let changed = ''
  for (const name in after) {
    const was = before[name as keyof Order]
    if (was !== after[name as keyof Order])
      changed += `,"${name}":${was === undefined ? 'null' : encode(was)}`
  }
  for (const name in before)
    if (!(name in after)) changed += `,"${name}":${encode(before[name as keyof Order])}`
  return `{${changed.slice(1)}}`
}

function undone(order: Order, changed: Record<string, unknown>): Order {
  const before: Record<string, unknown> = { ...order, ...changed }
  for (const name in changed) if (changed[name] === null) delete before[name]
  return before as Order
}

/** Fields that clients never see or that the order contains. */
const omittedFields: ReadonlySet<string> = new Set([
  'accountId',
  'orderId',
  'order',
  'decidedWith',
  'posting',
  'quote',
])

/** Most events have only a kind and a time. */
function shortened(event: OrderEvent): string {
  let text = `{"kind":"${event.kind}","at":"~${event.at}"`
  if (event.kind === 'orderAccepted' || event.kind === 'orderAcknowledged') return `${text}}`
  for (const name in event) {
    if (name === 'kind' || name === 'at' || omittedFields.has(name)) continue
    const value = event[name as keyof OrderEvent] as unknown
    if (value !== undefined) text += `,"${name}":${encode(value)}`
  }
  return `${text}}`
}

function restored(accountId: AccountId, event: Record<string, unknown>, order: Order): BrokerEvent {
  if (event['kind'] === 'orderAccepted') return { ...event, accountId, order, decidedWith: {} } as BrokerEvent
  return { ...event, accountId, orderId: order.id } as BrokerEvent
}
