import type { Committed } from '@quipu/broker/journal/committed.ts'
import type { UpdatesQuery } from '@quipu/broker/query-tables/history.ts'
import type { QueryTables } from '@quipu/broker/query-tables/query-tables.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { AccountId, ActivityPosition, Instant } from '@quipu/core'
import { earlier, lastOf } from '@quipu/core/values'
import type { ReadingSource } from '../../reading/follow.ts'

/** One message of an event stream. Ids sort in the order of their events. */
export type EventMessage = {
  readonly id: string
  readonly at: Instant
  /** The journal number of the event. */
  readonly seq: number
  readonly data: string
}

/** The messages that a row of the query tables holds, and the row's position. */
export type EventRow = {
  readonly messages: readonly EventMessage[]
  readonly position: ActivityPosition
}

/** Converts committed events and rows of the query tables to messages. */
export type EventFormat = {
  readonly messagesOf: (committed: Committed) => readonly EventMessage[]
  readonly past: (queryTables: QueryTables, query: UpdatesQuery) => Promise<readonly EventRow[]>
}

/** `lastId` is the highest id of an event number; the ids of later events are greater. */
export type NumberedFormat = EventFormat & { readonly lastId: (at: Instant, seq: number) => string }

export type AccountSourceParts = {
  readonly world: World
  readonly accountId: AccountId
  readonly format: EventFormat
  /** The stream has no earlier messages. */
  readonly from: Instant
}

/** Rows per query. */
const ROWS = 16

/** The messages of one account from an instant on: from the query tables, then as their events become durable. */
export function accountSource({
  world,
  accountId,
  format,
  from,
}: AccountSourceParts): ReadingSource<EventMessage, string> {
  let query: UpdatesQuery = { accountId, after: earlier(from, 1n), direction: 'asc', limit: ROWS }
  return {
    positionOf: ({ id }) => id,
    after: '',
    async *past() {
      const { queryTables } = world.storage
      const { seq } = world.view
      await world.engine.untilDurable(seq)
      await world.storage.untilQueryTables(seq)
      for (let rows: readonly EventRow[]; ; ) {
        rows = await format.past(queryTables, query)
        yield rows.flatMap(({ messages }) => messages)
        if (rows.length > 0) query = { ...query, beyond: lastOf(rows).position }
        if (rows.length < ROWS) return
      }
    },
    listen: (receive) =>
      world.publisher.listen((events) =>
        receive(
          events.flatMap((committed) => (concerns(committed, accountId) ? format.messagesOf(committed) : [])),
        ),
      ),
    attach: (forwarder) => world.publisher.attach(forwarder),
  }
}

/** Whether an event may have messages for an account; the format then filters by posting. */
function concerns({ event, order, request }: Committed, accountId: AccountId): boolean {
  if (order) return order.accountId === accountId
  // The issuer of a request receives its events too.
  if (request) return true
  return 'posting' in event || ('accountId' in event && event.accountId === accountId)
}
