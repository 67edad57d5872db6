import type { Ring } from '@quipu/broker/world/requests/ring.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf, LoggedRequestRecord } from '@quipu/contract'
import type { OrderId } from '@quipu/core'
import { scan } from '../../history/scan.ts'
import { eventToWire, legsToWire } from '../../wire/event-wire.ts'
import { eventAccount, type NumberedEvent, orderOf } from '../../wire/numbered-event.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { sseMessage } from '../event-stream.ts'
import type { RequestEntry } from '../request-log.ts'
import type { ReadingSource } from './follow.ts'
import { isLive } from './formats.ts'
import { accountFor, readerOf } from './reader.ts'
import { liveStream, positionIn } from './readers.ts'

export const requestHandlers = {
  listRequests({ params, query, headers }, context) {
    const reader = readerOf(context, params.world)
    const { world } = reader
    const filter = { ...query, account_id: accountFor(reader, query.account_id) }
    const ring = context.services.monitoring.requests.of(world)
    const lastId = headers['last-event-id']
    // The numbers begin at 1 after a restart, so a reader of before has received none of these.
    const after = Number(lastId) > ring.last ? 0 : positionIn(ring.last, query, lastId)
    if (isLive(context))
      return liveStream(context, requestSource(world, ring, after, filter), (rows) =>
        rows.map(({ message }) => message),
      )
    const requests: LoggedRequestRecord[] = []
    let upTo = after
    for (const [number, request] of ring.after(after)) {
      if (requests.length >= query.limit) break
      upTo = number
      if (isWanted(request, filter)) requests.push(loggedRequestToWire(number, request))
    }
    return { requests, next_cursor: upTo < ring.last && requests.length > 0 ? `${upTo}` : null }
  },

  async getRequest({ params }, context) {
    const { world, limitedTo } = readerOf(context, params.world)
    const requestId = params.request_id
    const isVisible = (accountId: string | undefined) => limitedTo === undefined || accountId === limitedTo
    const logged = context.services.monitoring.requests
      .of(world)
      .findLast((request) => request.requestId === requestId && isVisible(request.accountId))
    const events = (await eventsOfRequest(world, context, requestId)).filter(({ event }) =>
      isVisible(eventAccount(event)),
    )
    if (!logged && events.length === 0) throw refuse({ code: 'requestNotFound', id: requestId })
    return {
      request: logged && loggedRequestToWire(...logged),
      events: events.map(eventToWire),
      postings: events.flatMap(legsToWire).filter((leg) => isVisible(leg.account_id)),
      order_ids: [...new Set(events.map(({ event }) => orderOf(event)))].filter(isId),
    }
  },
} satisfies SomeHandlers

const isId = (id: OrderId | undefined): id is OrderId => id !== undefined

const EVENTS_MAX = 10_000

/** The events of a request: by its event numbers while they are in memory, else by a scan of the last scanMax events. */
export async function eventsOfRequest(
  world: World,
  { services: { limits } }: Context,
  requestId: string,
): Promise<readonly NumberedEvent[]> {
  const caused = world.clients.outcomes.eventsOf(requestId)
  const { seq } = world.storage.journal.head()
  const after = caused ? caused.first - 1 : Math.max(0, seq - limits.scanMax)
  const scanMax = caused ? caused.last - after : limits.scanMax
  const { found } = await scan(world.storage.journal, {
    after,
    limit: EVENTS_MAX,
    scanMax,
    filter: { requestId },
  })
  return found
}

type RequestsQuery = Omit<InputOf<'listRequests'>['query'], 'account_id'> & {
  readonly account_id: string | undefined
}

const isWanted = (request: RequestEntry, query: RequestsQuery): boolean =>
  (query.account_id === undefined || request.accountId === query.account_id) &&
  (query.key_id === undefined || request.keyId === query.key_id) &&
  (query.operation === undefined || request.operation === query.operation) &&
  (query.source === undefined || request.source === query.source) &&
  (query.method === undefined || request.method === query.method) &&
  (query.path === undefined || request.path.startsWith(query.path)) &&
  (query.status === undefined || request.status === query.status) &&
  (query.status_min === undefined || (request.status ?? 0) >= query.status_min)

export function loggedRequestToWire(number: number, request: RequestEntry): LoggedRequestRecord {
  const { operation, code, reason, keyId, accountId, seq, fault } = request
  return {
    number,
    request_id: request.requestId,
    at: new Date(request.atMs).toISOString(),
    method: request.method,
    path: request.path,
    query: request.query,
    body: request.body,
    address: request.address,
    agent: request.agent,
    source: request.source,
    operation: operation === 'none' ? undefined : operation,
    status: request.status ?? null,
    code,
    reason,
    ms: request.ms,
    key_id: keyId,
    account_id: accountId,
    seq,
    fault,
  }
}

type Row = { readonly number: number; readonly message: string }

/** The logged requests, then new ones. A reader that is too slow receives the number of missed requests. */
function requestSource(
  world: World,
  ring: Ring<RequestEntry>,
  after: number,
  query: RequestsQuery,
): ReadingSource<Row, number> {
  const rowsOf = (number: number, request: RequestEntry): readonly Row[] =>
    isWanted(request, query)
      ? [
          {
            number,
            message: sseMessage('request', JSON.stringify(loggedRequestToWire(number, request)), `${number}`),
          },
        ]
      : []
  return {
    positionOf: ({ number }) => number,
    after,
    async *past(last) {
      const missed = ring.first - 1 - last
      if (missed > 0 && last > 0)
        yield [{ number: ring.first - 1, message: sseMessage('gap', JSON.stringify({ missed })) }]
      yield [...ring.after(last)].flatMap((row) => rowsOf(...row))
    },
    listen: (receive) => ring.listen((...row) => receive(rowsOf(...row))),
    attach: ({ closed: ended }) => world.publisher.attach({ flushed: async () => undefined, closed: ended }),
  }
}
