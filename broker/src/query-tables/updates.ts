import {
  type AccountId,
  type ActivityPosition,
  type BrokerEvent,
  type Fields,
  integer,
  itemAt,
  keysOf,
  list,
  type Order,
  type OrderEvent,
  type OrderId,
  oneOf,
  optional,
  orderEvents,
  orderSchema,
  partial,
  record,
  type Schema,
  union,
  type ValueOf,
} from '@quipu/core'
import type { Committed } from '../journal/committed.ts'
import { recordsOf } from './records.ts'

/** An order event, with the order before and after it. */
export type Update = {
  readonly seq: number
  readonly event: OrderEvent
  readonly before: Order | undefined
  readonly after: Order
}

/** Fields of events that clients never see or that the order contains. */
const omittedFields: readonly string[] = ['accountId', 'orderId', 'order', 'decidedWith', 'posting', 'quote']

const withoutOmitted = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !omittedFields.includes(name)))

/** An order event without the omitted fields. */
type ShortEvent = Pick<OrderEvent, 'kind' | 'at'>
const eventSchema = union(
  'kind',
  Object.fromEntries(Object.entries(orderEvents).map(([kind, { fields }]) => [kind, withoutOmitted(fields)])),
) as Schema as Schema<ShortEvent>

/** The fields of an order that events may change. */
const { id, accountId, ...changeable } = orderSchema.fields
/** The previous values of the fields that an event changed, and the names of those that had no value. */
const beforeSchema = record({
  values: record(partial(changeable)),
  absent: list(oneOf(...keysOf(changeable))),
})
type Changeable = Exclude<keyof Order, 'id' | 'accountId'>
type Before = ValueOf<typeof beforeSchema>

/**
 * Updates of one account: the orders after the last update, and each event with the index of its order. Reading undoes
 * the events one by one, so a row needs no other row.
 */
const updatesSchema = record({
  orders: list(orderSchema),
  events: list(
    record({ seq: integer(), number: integer(), event: eventSchema, before: optional(beforeSchema) }),
  ),
})
const updatesRecords = recordsOf(updatesSchema)

/** Stores updates of one account in one record. */
export function packUpdates(updates: readonly Update[]): Buffer {
  const latest = new Map<OrderId, { readonly number: number; order: Order }>()
  const events = updates.map(({ seq, event, before, after }) => {
    const previous = latest.get(after.id)
    // Between two events of an order, another order of its group may have changed its references.
    const earlier = previous?.order ?? before
    const number = previous?.number ?? latest.size
    if (previous) previous.order = after
    else latest.set(after.id, { number, order: after })
    const update = { seq, number, event }
    return earlier ? { ...update, before: changedFrom(earlier, after) } : update
  })
  return updatesRecords.write({ orders: Array.from(latest.values(), ({ order }) => order), events })
}

/** Reads updates in the form in which they were committed. Fields that clients never see are missing. */
export function unpackUpdates(accountId: AccountId, bytes: Uint8Array): readonly Committed[] {
  const { orders, events } = updatesRecords.read(bytes)
  const now = [...orders]
  const committed: Committed[] = []
  for (const { seq, number, event, before } of events.toReversed()) {
    const order = itemAt(now, number)
    committed.push({ seq, event: restored(accountId, event, order), order })
    if (before) now[number] = undone(order, before)
  }
  return committed.reverse()
}

/** The updates of a row up to a number, as a row, with the position of the last one; undefined if all are later. */
export function updatesUpTo(
  bytes: Uint8Array,
  seq: number,
): { readonly record: Buffer; readonly position: ActivityPosition } | undefined {
  const { orders, events } = updatesRecords.read(bytes)
  const included = events.filter((one) => one.seq <= seq)
  const last = included.at(-1)
  if (!last) return undefined
  // A later order stays in the list, because updates refer to orders by their index.
  const then = [...orders]
  for (const { number, before } of events.slice(included.length).toReversed())
    if (before) then[number] = undone(itemAt(then, number), before)
  const position = { at: last.event.at, seq: last.seq, n: 0 }
  return { record: updatesRecords.write({ orders: then, events: included }), position }
}

function changedFrom(before: Order, after: Order): Before {
  const values: Record<string, unknown> = {}
  const absent: Changeable[] = []
  for (const name in after) {
    const was = before[name as keyof Order]
    if (was === after[name as keyof Order]) continue
    if (was === undefined) absent.push(name as Changeable)
    else values[name] = was
  }
  for (const name in before) if (!(name in after)) values[name] = before[name as keyof Order]
  return { values, absent }
}

function undone(order: Order, { values, absent }: Before): Order {
  const before: Record<string, unknown> = { ...order, ...values }
  for (const name of absent) delete before[name]
  return before as Order
}

function restored(accountId: AccountId, event: ShortEvent, order: Order): BrokerEvent {
  if (event.kind === 'orderAccepted') return { ...event, accountId, order, decidedWith: {} } as BrokerEvent
  return { ...event, accountId, orderId: order.id } as BrokerEvent
}
