import type { Committed } from '@quipu/broker/journal/committed.ts'
import { type RequestChange, readRequestChange } from '@quipu/broker/query-tables/history-maker.ts'
import { unpackUpdates } from '@quipu/broker/query-tables/updates.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf } from '@quipu/contract'
import {
  type Account,
  type AccountId,
  activitiesOf,
  decodeActivity,
  definedFields,
  formatInstant,
  type Instant,
  lastOf,
  later,
  type TokenizationRequest,
} from '@quipu/core'
import { eventId, PARTS, partId, timeOfId } from '../../wire/event-id.ts'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import { requestToIssuer, requestToWire } from '../../wire/request-wire.ts'
import { tradeUpdateText } from '../../wire/trade-update.ts'
import { accessOf } from '../broker/partner-access.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { eventStream } from '../event-stream.ts'
import { followReading, type ReadingSource } from '../reading/follow.ts'
import { openReader } from '../reading/readers.ts'
import { tokenizationAccess } from '../tokenization/tokenization-access.ts'
import {
  accountSource,
  type EventMessage,
  type EventRow,
  type NumberedFormat,
} from './events/account-source.ts'
import { activityEventOf } from './events/activity-event.ts'
import { EventConnection } from './events/event-connection.ts'
import { partnerSource } from './events/partner-source.ts'

type Input = InputOf<'streamTradeEvents'>
/** The account whose events are sent. */
type AccountRef = { readonly world: World; readonly accountId: AccountId }

/** The interval in which a stream with `until` checks whether it has ended. */
const CHECK_MS = 50

export const accountEventHandlers = {
  streamTradeEvents: (input, context) => accountStream(input, context, context.account, tradeFormat),
  streamTradeEventsBroker: ({ query, headers }, context) => {
    const { account_id: only, since_ulid, until_ulid, ...span } = query
    const access = accessOf(context, headers)
    const owns = (account: Account) =>
      (only === undefined || account.id === only) &&
      (access.limitedTo ?? account.partnerId) === account.partnerId
    if (only !== undefined && ![...access.world.view.accounts.values()].some(owns))
      throw refuse({ code: 'accountNotFound' })
    const spanQuery = definedFields({
      ...span,
      since_id: span.since_id ?? since_ulid,
      until_id: span.until_id ?? until_ulid,
    })
    const { world } = access
    const sourceFrom = (from: Instant) => partnerSource({ world, owns, from, formatOf: namedTrades })
    return streamFrom({ query: spanQuery, headers }, context, { world, lastId: eventId, sourceFrom })
  },
  streamActivityEvents: (input, context) => accountStream(input, context, context.account, activities),
  streamTokenizationEvents: (input, context) => accountStream(input, context, context.account, requestFormat),
  streamTokenizationEventsBroker: ({ query, headers }, context) => {
    const { account_id, ...span } = query
    const access = tokenizationAccess({ headers, params: { account_id } }, context)
    return accountStream({ query: span, headers }, context, access, requestFormat)
  },
} satisfies SomeHandlers

/** Trade updates, as the stream of one account sends them. */
export const tradeFormat = ({ accountId }: Pick<AccountRef, 'accountId'>): NumberedFormat => {
  const messagesOf = (committed: Committed): readonly EventMessage[] => {
    const data = tradeUpdateText(committed)
    if (data === undefined) return []
    const { event, seq } = committed
    return [{ id: eventId(event.at, seq), at: event.at, seq, data }]
  }
  const read = (record: Uint8Array): EventRow => {
    const committed = unpackUpdates(accountId, record)
    const { seq, event } = lastOf(committed)
    return { messages: committed.flatMap(messagesOf), position: { at: event.at, seq, n: 0 } }
  }
  return {
    lastId: eventId,
    messagesOf,
    past: async (queryTables, query) => (await queryTables.updates(query)).map(read),
  }
}

/** The same with the account id in each message. */
function namedTrades(accountId: AccountId): NumberedFormat {
  const { messagesOf, past, ...rest } = tradeFormat({ accountId })
  const named = (message: EventMessage): EventMessage => ({
    ...message,
    data: `{"account_id":"${accountId}",${message.data.slice(1)}`,
  })
  return {
    ...rest,
    messagesOf: (committed) => messagesOf(committed).map(named),
    past: async (queryTables, query) =>
      (await past(queryTables, query)).map(({ messages, position }) => ({
        messages: messages.map(named),
        position,
      })),
  }
}

const activities = ({ world, accountId }: AccountRef): NumberedFormat => {
  const messageOf = (activity: Parameters<typeof activityEventOf>[0]): EventMessage => {
    const event = activityEventOf(activity, world.market.assets())
    const { at, seq } = activity
    return { id: event.event_id, at, seq, data: JSON.stringify(event) }
  }
  return {
    lastId: (at, seq) => partId(at, seq, PARTS - 1),
    messagesOf: ({ event, seq, order }) =>
      activitiesOf(event, seq, order)
        .filter((activity) => activity.accountId === accountId)
        .map(messageOf),
    past: async (queryTables, query) =>
      (await queryTables.history({ ...query, part: 'activity' })).map((record) => {
        const activity = decodeActivity(accountId, record)
        return { messages: [messageOf(activity)], position: activity }
      }),
  }
}

/** The events of tokenization requests, for the participant or the issuer of each request. */
function requestFormat({ world, accountId }: AccountRef): NumberedFormat {
  const messageOf = ({ seq, request }: RequestChange): EventMessage => {
    const at = request.updatedAt
    const id = eventId(at, seq)
    const data = { event_id: id, at: formatInstant(at), ...requestFor(world, accountId, request) }
    return { id, at, seq, data: JSON.stringify(data) }
  }
  return {
    lastId: eventId,
    messagesOf: ({ seq, request }) =>
      request && concerns(world, accountId, request) ? [messageOf({ seq, request })] : [],
    past: async (queryTables, query) =>
      (await queryTables.history({ ...query, part: 'requests' })).map(readRequestChange).map((change) => ({
        messages: [messageOf(change)],
        position: { at: change.request.updatedAt, seq: change.seq, n: 0 },
      })),
  }
}

const concerns = (world: World, accountId: AccountId, request: TokenizationRequest): boolean =>
  request.accountId === accountId || isIssuer(world, accountId, request)

const requestFor = (world: World, accountId: AccountId, request: TokenizationRequest) =>
  isIssuer(world, accountId, request) ? requestToIssuer(world.view, request) : requestToWire(request)

const isIssuer = ({ view }: World, accountId: AccountId, { issuer }: TokenizationRequest): boolean =>
  view.issuers.get(issuer)?.accountId === accountId

/** The requested range of events; without `end` the stream stays open. */
type Span = {
  readonly from: Instant
  readonly end: Instant | undefined
  /** The last wanted id, if the end is an id. */
  readonly endId: string | undefined
  /** The last event number before the stream, if the stream begins now. */
  readonly opening: number | undefined
  readonly isWanted: (message: EventMessage) => boolean
  readonly isBeyond: (message: EventMessage) => boolean
}

function accountStream(
  input: StreamInput,
  context: Context,
  account: AccountRef,
  formatOf: (account: AccountRef) => NumberedFormat,
): string {
  const { world, accountId } = account
  const format = formatOf(account)
  const sourceFrom = (from: Instant) => accountSource({ world, accountId, format, from })
  return streamFrom(input, context, { world, accountId, lastId: format.lastId, sourceFrom })
}

type StreamInput = Pick<Input, 'query' | 'headers'>

/** The world and the source of a stream. */
type StreamParts = {
  readonly world: World
  /** Absent if the stream has the events of several accounts. */
  readonly accountId?: AccountId
  readonly lastId: NumberedFormat['lastId']
  readonly sourceFrom: (from: Instant) => ReadingSource<EventMessage, string>
}

function streamFrom({ query, headers }: StreamInput, context: Context, parts: StreamParts): string {
  openReader(context)
  const { world, accountId } = parts
  const span = spanOf({ ...query, since_id: query.since_id ?? resumeId(query, headers) }, world)
  return eventStream(async (sink) => {
    const connection = new EventConnection(context, sink, world, accountId)
    await sendSpan(connection, sink.signal, span, parts).finally(() => connection.close())
  })
}

async function sendSpan(
  connection: EventConnection,
  signal: AbortSignal,
  span: Span,
  { world, lastId, sourceFrom }: StreamParts,
): Promise<void> {
  const { from, end, endId } = span
  const checkMs = end === undefined ? undefined : CHECK_MS
  // A new event has a higher id, so an end that is an id can be reached while the clock of the world is stopped.
  const isOver = () =>
    end !== undefined &&
    (world.engine.latest > end ||
      (endId !== undefined && lastId(world.engine.latest, world.view.seq) >= endId))
  // A client that disconnects before the first event resumes from this id.
  if (span.opening !== undefined) connection.send(`id: ${lastId(from, span.opening)}\n\n`)
  let isEnding = false
  for await (const some of followReading(sourceFrom(from), { signal, checkMs })) {
    const wanted = some.filter(span.isWanted)
    if (wanted.length > 0) await connection.sendAll(wanted)
    if (some.some(span.isBeyond) || (isEnding && some.length === 0)) return connection.finish()
    if (some.length > 0 || !isOver()) continue
    // Events that were decided before the end may not be durable yet.
    await world.engine.untilDurable(world.view.seq)
    isEnding = true
  }
}

/** A browser that reconnects sends the last id that it received in a header. */
function resumeId({ since }: Input['query'], headers: Input['headers']): string | undefined {
  return since === undefined ? headers['last-event-id'] : undefined
}

type SpanQuery = Omit<Input['query'], 'since_id'> & { readonly since_id?: string | undefined }

function spanOf({ since, since_id: sinceId, until, until_id: last }: SpanQuery, world: World): Span {
  const { view, engine } = world
  const { latest: now } = engine
  const { seq: before } = view
  const from = since ? instantOf(since) : sinceId === undefined ? now : timeOfId(sinceId)
  const end = until ? instantOf(until) : last === undefined ? undefined : endOfId(last)
  const isBeyond = ({ id, at }: EventMessage): boolean =>
    last === undefined ? end !== undefined && at > end : id > last
  const isBegun = ({ id, at, seq }: EventMessage): boolean =>
    sinceId === undefined ? (since ? at >= from : seq > before) : id > sinceId
  const opening = since || sinceId !== undefined ? undefined : before
  return {
    from,
    end,
    endId: last,
    opening,
    isBeyond,
    isWanted: (message) => isBegun(message) && !isBeyond(message),
  }
}

/** The last nanosecond of the millisecond in an id. */
const endOfId = (id: string): Instant => later(timeOfId(id), 999_999n)
