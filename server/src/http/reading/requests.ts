import type { InputOf, LoggedRequestRecord } from '@quipu/contract'
import type { OrderId } from '@quipu/core'
import type { Ring } from '../../process/ring.ts'
import { eventToWire, legsToWire } from '../../wire/event-wire.ts'
import { type NumberedEvent, orderOf } from '../../wire/numbered-event.ts'
import { refuse } from '../../wire/refusal.ts'
import type { World } from '../../world/world.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { sseMessage } from '../event-stream.ts'
import type { LoggedRequest } from '../request-log.ts'
import { worldNamed } from '../sim/world-named.ts'
import type { Source } from './follow.ts'
import { isLive } from './formats.ts'
import { liveStream, positionIn } from './readers.ts'
import { scan } from './scan.ts'

export const requestHandlers = {
  listRequests({ params, query, headers }, context) {
    const world = worldNamed(params.world, context)
    const ring = context.services.requests.of(world)
    const after = positionIn(ring.last, query, headers['last-event-id'])
    if (isLive(context))
      return liveStream(context, requestSource(world, ring, after, query), (rows) =>
        rows.map(({ message }) => message),
      )
    const requests: LoggedRequestRecord[] = []
    let upTo = after
    for (const [number, request] of ring.after(after)) {
      if (requests.length >= query.limit) break
      upTo = number
      if (isWanted(request, query)) requests.push(requestToWire(number, request))
    }
    return { requests, next_cursor: upTo < ring.last && requests.length > 0 ? `${upTo}` : null }
  },

  async getRequest({ params }, context) {
    const world = worldNamed(params.world, context)
    const requestId = params.request_id
    const logged = context.services.requests.of(world).findLast((request) => request.requestId === requestId)
    const events = await eventsOfRequest(world, context, requestId)
    if (!logged && events.length === 0) throw refuse({ code: 'requestNotFound', id: requestId })
    return {
      request: logged && requestToWire(...logged),
      events: events.map(eventToWire),
      postings: events.flatMap(legsToWire),
      order_ids: [...new Set(events.map(({ event }) => orderOf(event)))].filter(isId) as string[],
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
  const caused = world.outcomes.eventsOf(requestId)
  const { seq } = world.journal.head()
  const after = caused ? caused.first - 1 : Math.max(0, seq - limits.scanMax)
  const scanMax = caused ? caused.last - after : limits.scanMax
  const { found } = await scan(world, { after, limit: EVENTS_MAX, scanMax, filter: { requestId } })
  return found
}

type Query = InputOf<'listRequests'>['query']

const isWanted = (request: LoggedRequest, { account_id, key_id, operation, status }: Query): boolean =>
  (account_id === undefined || request.accountId === account_id) &&
  (key_id === undefined || request.keyId === key_id) &&
  (operation === undefined || request.operation === operation) &&
  (status === undefined || request.status === status)

export function requestToWire(number: number, request: LoggedRequest): LoggedRequestRecord {
  const { operation, code, reason, keyId, accountId, seq, fault } = request
  return {
    number,
    request_id: request.requestId,
    at: new Date(request.atMs).toISOString(),
    method: request.method,
    path: request.path,
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
  ring: Ring<LoggedRequest>,
  after: number,
  query: Query,
): Source<Row, number> {
  const rowsOf = (number: number, request: LoggedRequest): readonly Row[] =>
    isWanted(request, query)
      ? [
          {
            number,
            message: sseMessage('request', JSON.stringify(requestToWire(number, request)), `${number}`),
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
    attach: ({ closed: ended }) => world.attach({ flushed: async () => undefined, closed: ended }),
  }
}
