import {
  type AccountId,
  type ActivityPlace,
  type BrokerEvent,
  decode,
  encode,
  type Instant,
  type Order,
  type OrderId,
} from '@quipu/core'
import type { Committed } from '../journal/committed.ts'

/** What happened to an order, with the order as it was before and right after. */
export type Update = {
  readonly seq: number
  readonly event: OrderEvent
  readonly before: Order | undefined
  readonly after: Order
}

export type OrderEvent = Extract<BrokerEvent, { orderId: OrderId } | { order: Order }>

/**
 * Updates of one account as one text: the orders as they are after the last of them, then each event with what it
 * changed, so that the orders can be led back one by one. So a row is complete by itself, however old its orders are.
 */
export function packUpdates(updates: readonly Update[], textOf: (order: Order) => string): string {
  const latest = new Map<OrderId, { readonly number: number; order: Order }>()
  let events = ''
  for (const { seq, event, before, after } of updates) {
    const seen = latest.get(after.id)
    // From its last event to this one another member of its group may have changed what it refers to.
    const earlier = seen?.order ?? before
    const number = seen?.number ?? latest.size
    if (seen) seen.order = after
    else latest.set(after.id, { number, order: after })
    const changed = earlier ? changedFrom(earlier, after) : 'null'
    events += `${events === '' ? '' : ','}[${seq},${number},${shortened(event)},${changed}]`
  }
  let orders = ''
  for (const { order } of latest.values()) orders += (orders === '' ? '' : ',') + textOf(order)
  return `{"orders":[${orders}],"events":[${events}]}`
}

/** Updates again, as they were committed; what no update tells of is left out of their events. */
export function unpackUpdates(accountId: AccountId, record: string): readonly Committed[] {
  const { orders, events } = decode(record) as Packed
  const now = [...orders]
  const committed: Committed[] = []
  for (const [seq, number, event, changed] of events.toReversed()) {
    const order = now[number]!
    committed.push({ seq, event: restored(accountId, event, order), order })
    if (changed) now[number] = ledBack(order, changed)
  }
  return committed.reverse()
}

/** The updates of a row up to a number, as a row, and the place of the last of them; nothing where all are later. */
export function updatesUpTo(
  record: string,
  seq: number,
): { readonly record: string; readonly place: ActivityPlace } | undefined {
  const { orders, events } = decode(record) as Packed
  const kept = events.filter(([number]) => number <= seq)
  const last = kept.at(-1)
  if (!last) return undefined
  // An order that came later stays where it is, since updates name orders by their number in the row.
  const then = [...orders]
  for (const [, number, , changed] of events.slice(kept.length).toReversed())
    if (changed) then[number] = ledBack(then[number]!, changed)
  const [lastSeq, , event] = last
  const place = { at: event['at'] as Instant, seq: lastSeq, n: 0 }
  return { record: encode({ orders: then, events: kept }), place }
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

/** The fields that an event changed, as they were before; null where they were absent. */
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

function ledBack(order: Order, changed: Record<string, unknown>): Order {
  const before: Record<string, unknown> = { ...order, ...changed }
  for (const name in changed) if (changed[name] === null) delete before[name]
  return before as Order
}

/** Nobody is told of these, or they are known from the order. */
const leftOut: ReadonlySet<string> = new Set([
  'accountId',
  'orderId',
  'order',
  'decidedWith',
  'posting',
  'quote',
])

/** Most say nothing but what they are and when. */
function shortened(event: OrderEvent): string {
  let text = `{"kind":"${event.kind}","at":"~${event.at}"`
  if (event.kind === 'orderAccepted' || event.kind === 'orderWorked') return `${text}}`
  for (const name in event) {
    if (name === 'kind' || name === 'at' || leftOut.has(name)) continue
    const value = event[name as keyof OrderEvent] as unknown
    if (value !== undefined) text += `,"${name}":${encode(value)}`
  }
  return `${text}}`
}

function restored(accountId: AccountId, event: Record<string, unknown>, order: Order): BrokerEvent {
  if (event['kind'] === 'orderAccepted') return { ...event, accountId, order, decidedWith: {} } as BrokerEvent
  return { ...event, accountId, orderId: order.id } as BrokerEvent
}
