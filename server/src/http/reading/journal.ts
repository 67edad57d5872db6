import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf } from '@quipu/contract'
import type { JournalQuery } from '../../history/journal-page.ts'
import { eventToWire, legsToWire } from '../../wire/event-wire.ts'
import { type Filter, isLegOf } from '../../wire/numbered-event.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { sseMessage } from '../event-stream.ts'
import { prebuiltOnce } from '../prebuilt.ts'
import { eventSource } from './event-source.ts'
import { formatTypes, isLive, readingFormat } from './formats.ts'
import { accountFor, type Reader, readerOf } from './reader.ts'
import { liveStream, positionIn } from './readers.ts'

export const journalHandlers = {
  async listEvents({ params, query, headers }, context) {
    const reader = readerOf(context, params.world)
    const { world } = reader
    const filter = filterOf(reader, query)
    const after = positionIn(world.storage.journal.head().seq, query, headers['last-event-id'])
    if (isLive(context))
      return liveStream(context, eventSource(world, after, filter), (events) =>
        events.map((event) => sseMessage('event', JSON.stringify(eventToWire(event)), `${event.seq}`)),
      )
    return pageOf(world, context, { list: 'events', format: 'json', after, limit: query.limit, filter })
  },

  async listPostings({ params, query, headers }, context) {
    const reader = readerOf(context, params.world)
    const { world } = reader
    const after = positionIn(world.storage.journal.head().seq, query, headers['last-event-id'])
    const leg = { asset: query.asset, accountId: accountFor(reader, query.account_id) }
    const filter = { ...filterOf(reader, query), isOwn: false, leg }
    if (isLive(context))
      return liveStream(context, eventSource(world, after, filter), (events) =>
        events
          .flatMap(legsToWire)
          .filter(({ asset, account_id }) => isLegOf(leg, asset, account_id))
          .map((row) => sseMessage('posting', JSON.stringify(row), `${row.number}`)),
      )
    const format = readingFormat(context, query.format)
    return pageOf(world, context, { list: 'postings', format, after, limit: query.limit, filter })
  },
} satisfies SomeHandlers

async function pageOf<Output>(
  world: World,
  context: Context,
  query: Omit<JournalQuery, 'scanMax'>,
): Promise<Output> {
  const { market, limits } = context.services
  const { bytes, upTo, next } = await market.history.readJournal(world.storage.journal, {
    ...query,
    scanMax: limits.scanMax,
  })
  context.state.seq = upTo
  if (query.format === 'json') return prebuiltOnce(bytes)
  if (next !== null) context.header('X-Quipu-Next-Cursor', next)
  return prebuiltOnce(bytes, formatTypes[query.format])
}

type JournalFilter = InputOf<'listEvents'>['query']

const filterOf = (
  reader: Reader,
  { account_id, order_id, request_id, tokenization_request_id, kind }: JournalFilter,
): Filter => ({
  accountId: accountFor(reader, account_id),
  // An event of another account may have a posting on this one.
  isOwn: reader.limitedTo !== undefined,
  orderId: order_id,
  requestId: request_id,
  tokenizationRequestId: tokenization_request_id,
  kinds: kind && new Set(kind),
})
