import {
  type AccountId,
  applyToRecords,
  applyWithoutOrders,
  type BrokerEvent,
  emptyState,
  type OrderId,
  type State,
} from '@quipu/core'
import type { Entry } from '../journal/journal.ts'
import { eventOf } from '../journal/stored-event.ts'
import { type Changes, type EventProjection, type OrderKey, rowsOf } from './projection.ts'
import type { WritableTables } from './writer.ts'

/**
 * Makes the rows of tables without a replica of the orders: it reads the orders that a batch changes from the tables.
 * So its memory does not grow with open orders. The rest of the state is small and stays in memory.
 */
export class TableProjection implements EventProjection {
  readonly #tables: WritableTables
  /** Its orders are those of the current batch. */
  readonly #state: State

  constructor(tables: WritableTables, state: State = emptyState()) {
    this.#tables = tables
    this.#state = state
  }

  get seq(): number {
    return this.#state.seq
  }

  /** A batch whose rows are already in the tables has no changes: only the state follows. */
  async take(entries: readonly Entry[]): Promise<Changes> {
    const state = this.#state
    const events = entries.map(eventOf)
    const isWritten = state.seq < this.#tables.position
    const keys = isWritten ? filledOrders(events) : changedOrders(events)
    for (const order of await this.#tables.orders(keys)) state.orders.set(order.id, order)
    if (isWritten) for (const event of events) applyWithoutOrders(state, event)
    const changes = rowsOf(state, isWritten ? [] : events, applyToRecords)
    state.orders.clear()
    return changes
  }
}

/** The orders of fills. */
const filledOrders = (events: readonly BrokerEvent[]): readonly OrderKey[] =>
  events.filter((event) => event.kind === 'orderFilled')

/** The orders that events change, without those that the events accept. */
function changedOrders(events: readonly BrokerEvent[]): readonly OrderKey[] {
  const accepted = new Set<OrderId>()
  const changed = new Map<OrderId, OrderKey>()
  const note = (accountId: AccountId, orderId: OrderId): void => {
    if (!accepted.has(orderId)) changed.set(orderId, { accountId, orderId })
  }
  for (const event of events)
    if ('orderId' in event) note(event.accountId, event.orderId)
    else if (event.kind === 'orderAccepted') {
      const { id, group, replaces } = event.order
      accepted.add(id)
      if (!group || replaces === undefined) continue
      for (const orderId of group.legIds ?? []) note(event.accountId, orderId)
      if (group.parentId !== undefined) note(event.accountId, group.parentId)
    }
  return [...changed.values()]
}
