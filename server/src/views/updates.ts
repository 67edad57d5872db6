import { type AccountId, type BrokerEvent, decode, encode, type Order, type OrderId } from '@quipu/core'
import type { Committed } from '../engine.ts'

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
  const last = new Map<OrderId, Order>()
  for (const { after } of updates) last.set(after.id, after)
  const numbers = new Map([...last.keys()].map((id, number) => [id, number]))
  const seen = new Map<OrderId, Order>()
  const events = updates.map(({ seq, event, before, after }) => {
    // From its last event to this one another member of its group may have changed what it refers to.
    const earlier = seen.get(after.id) ?? before
    seen.set(after.id, after)
    const changed = earlier ? encode(changedFrom(earlier, after)) : 'null'
    return `[${seq},${numbers.get(after.id)},${encode(shortened(event))},${changed}]`
  })
  return `{"orders":[${[...last.values()].map(textOf).join()}],"events":[${events.join()}]}`
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
function changedFrom(before: Order, after: Order): Record<string, unknown> {
  const changed: Record<string, unknown> = {}
  for (const name of Object.keys(after) as (keyof Order)[])
    if (before[name] !== after[name]) changed[name] = before[name] ?? null
  for (const name of Object.keys(before) as (keyof Order)[])
    if (!(name in after)) changed[name] = before[name]
  return changed
}

function ledBack(order: Order, changed: Record<string, unknown>): Order {
  const before: Record<string, unknown> = { ...order, ...changed }
  for (const name in changed) if (changed[name] === null) delete before[name]
  return before as Order
}

/** Nobody is told of these, or they are known from the order. */
const leftOut = new Set(['accountId', 'orderId', 'order', 'decidedWith', 'posting', 'quote'])

const shortened = (event: OrderEvent): Record<string, unknown> =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !leftOut.has(name)))

function restored(accountId: AccountId, event: Record<string, unknown>, order: Order): BrokerEvent {
  if (event['kind'] === 'orderAccepted') return { ...event, accountId, order, decidedWith: {} } as BrokerEvent
  return { ...event, accountId, orderId: order.id } as BrokerEvent
}
