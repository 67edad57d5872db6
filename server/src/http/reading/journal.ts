import { type InputOf, LedgerLeg } from '@quipu/contract'
import type { OrderId, RequestId } from '@quipu/core'
import { mapWithPauses } from '../../process/long-work.ts'
import { eventToWire, legsToWire } from '../../wire/event-wire.ts'
import { type Filter, type NumberedEvent, ownerOf } from '../../wire/numbered-event.ts'
import type { SomeHandlers } from '../context.ts'
import { sseMessage } from '../event-stream.ts'
import { prebuilt } from '../prebuilt.ts'
import { eventSource } from './event-source.ts'
import { formatOf, isLive, rowsAs } from './formats.ts'
import { accountFor, type Reader, readerOf } from './reader.ts'
import { liveStream, positionIn } from './readers.ts'
import { scanPage } from './scan.ts'

/** Events per batch. */
const TURN_EVENTS = 10

export const journalHandlers = {
  async listEvents({ params, query, headers }, context) {
    const reader = readerOf(context, params.world)
    const { world } = reader
    const filter = filterOf(reader, query)
    const after = positionIn(world.journal.head().seq, query, headers['last-event-id'])
    if (isLive(context))
      return liveStream(context, eventSource(world, after, filter), (events) =>
        events.map((event) => sseMessage('event', JSON.stringify(eventToWire(event)), `${event.seq}`)),
      )
    const { found, next } = await scanPage(world, context, { after, limit: query.limit, filter })
    const texts = await mapWithPauses(found, TURN_EVENTS, (event) => JSON.stringify(eventToWire(event)))
    return prebuilt(`{"events":[${texts}],"next_cursor":${JSON.stringify(next)}}`)
  },

  async listPostings({ params, query, headers }, context) {
    const reader = readerOf(context, params.world)
    const { world } = reader
    const after = positionIn(world.journal.head().seq, query, headers['last-event-id'])
    const { asset } = query
    const accountId = accountFor(reader, query.account_id)
    const isOf = (legAsset: string, owner: string | undefined) =>
      (asset === undefined || legAsset === asset) && (accountId === undefined || owner === accountId)
    const filter: Filter = {
      ...filterOf(reader, query),
      isOwn: false,
      leg: (leg) => isOf(leg.asset, ownerOf(leg.account)),
    }
    const legsOf = (events: readonly NumberedEvent[]) =>
      events.flatMap(legsToWire).filter((leg) => isOf(leg.asset, leg.account_id))
    if (isLive(context))
      return liveStream(context, eventSource(world, after, filter), (events) =>
        legsOf(events).map((leg) => sseMessage('posting', JSON.stringify(leg), `${leg.number}`)),
      )
    const { found, next } = await scanPage(world, context, { after, limit: query.limit, filter })
    const legs = legsOf(found)
    const format = formatOf(context, query.format)
    if (format !== 'json') return rowsAs(context, format, LEG_COLUMNS, legs, next)
    return { postings: legs, next_cursor: next }
  },
} satisfies SomeHandlers

const LEG_COLUMNS = Object.keys(LedgerLeg.fields)

type Query = InputOf<'listEvents'>['query']

const filterOf = (
  reader: Reader,
  { account_id, order_id, request_id, tokenization_request_id, kind }: Query,
): Filter => ({
  accountId: accountFor(reader, account_id),
  // An event of another account may have a posting on this one.
  isOwn: reader.limitedTo !== undefined,
  orderId: order_id as OrderId | undefined,
  requestId: request_id,
  tokenizationRequestId: tokenization_request_id as RequestId | undefined,
  kinds: kind && new Set(kind),
})
