import type { ClientOptions } from './client.ts'
import {
  type ActivityEvent,
  type AuditEntry,
  type Call,
  type ClockMessage,
  type JournalEvent,
  type LedgerLeg,
  type LoggedRequest,
  type OpenSocket,
  type OperationName,
  routes,
  type SnapshotMessage,
  type TokenizationEvent,
  type TradeUpdate,
  type WorldOrder,
  type WorldsMessage,
} from './contract.ts'
import { type FollowOptions, type FollowSource, follow } from './follow.ts'
import { agentHeaders, credentialHeaders, prepare, type RequestParts } from './request.ts'
import { transportOf } from './send.ts'
import type { SseMessage } from './sse.ts'

/** The message type of each streaming operation. */
type StreamMessages = {
  readonly streamTradeEvents: TradeUpdate
  readonly streamActivityEvents: ActivityEvent
  readonly streamTokenizationEvents: TokenizationEvent
  readonly streamTokenizationEventsBroker: TokenizationEvent
  readonly listEvents: JournalEvent
  readonly listPostings: LedgerLeg
  readonly listAuditLog: AuditEntry
  readonly listRequests: RequestMessage
  readonly listSockets: SocketsMessage
  readonly listWorlds: WorldsMessage
  readonly getWorldClock: ClockMessage
  readonly getAccountSnapshot: SnapshotMessage
  /** The orders of the list, then each order that changes. */
  readonly listWorldOrders: WorldOrder
}
/** A logged request, or the number of requests that the log dropped before the reader got them. */
export type RequestMessage =
  | { readonly event: 'request'; readonly data: LoggedRequest }
  | { readonly event: 'gap'; readonly data: { readonly missed: number } }

/** All open streams, at the start of each connection; then each stream that was opened, changed or closed. */
export type SocketsMessage =
  | { readonly event: 'sockets'; readonly data: readonly OpenSocket[] }
  | { readonly event: 'socket'; readonly data: OpenSocket }
  | { readonly event: 'closed'; readonly data: { readonly id: string } }

type StreamName = keyof StreamMessages & OperationName
type MayBeEmpty<Part> = Record<never, never> extends Part ? true : false
type Arguments<Name extends StreamName> =
  MayBeEmpty<Call<Name>> extends true
    ? [call?: Call<Name>, options?: FollowOptions]
    : [call: Call<Name>, options?: FollowOptions]

/** One method per streaming operation, with its name: an iterator over its messages. */
export type Streams = {
  readonly [Name in StreamName]: (...args: Arguments<Name>) => AsyncGenerator<StreamMessages[Name], undefined>
}

/**
 * Iterators over the server-sent streams of one server for one credential. They reconnect after a broken connection or a
 * restart of the server, and resume after the last message: each message is yielded once, in order.
 */
export function createStreams(options: ClientOptions): Streams {
  const base = options.url.replace(/\/+$/, '')
  const transport = transportOf(options)
  const streamHeaders = {
    ...credentialHeaders(options),
    accept: 'text/event-stream',
    ...agentHeaders,
  }
  const methods = (Object.keys(sources) as StreamName[]).map((name) => [
    name,
    (parts: RequestParts = {}, followOptions: FollowOptions = {}) => {
      const requestOf = (parts: RequestParts) => {
        const { path, headers } = prepare(routes[name], parts)
        return { url: base + path, headers: { ...streamHeaders, ...headers } }
      }
      return follow(transport, sources[name](parts, requestOf), followOptions)
    },
  ])
  return Object.fromEntries(methods) as Streams
}

type RequestOf = (parts: RequestParts) => ReturnType<FollowSource<unknown>['request']>

/** Account streams: every message has a unique id, and ids sort in the order of the messages. */
function accountSource(parts: RequestParts, requestOf: RequestOf): FollowSource<unknown> {
  const { since: _, since_id: sinceId, until, ...query } = parts.query ?? {}
  let last = sinceId as string | undefined
  let at: unknown
  return {
    hasEnd: until !== undefined || query['until_id'] !== undefined,
    request() {
      if (last === undefined || (at === undefined && until !== undefined)) return requestOf(parts)
      // An end that is an instant requires a start that is an instant; repeated messages are then skipped.
      const from = until === undefined ? { since_id: last } : { since: at, until }
      return requestOf({ ...parts, query: { ...query, ...from } })
    },
    recordId(id) {
      last ??= id
    },
    take({ id, data }) {
      if (id !== undefined && last !== undefined && id <= last) return undefined
      const message = JSON.parse(data) as { readonly at: string }
      last = id
      at = message.at
      return message
    },
  }
}

/** Journal streams: all messages of an event have its number, and a connection may break between them. */
function journalSource(parts: RequestParts, requestOf: RequestOf): FollowSource<unknown> {
  let number: number | undefined
  let taken = 0
  let skipped = 0
  return {
    hasEnd: false,
    request() {
      skipped = 0
      if (number === undefined) return requestOf(parts)
      return requestOf({ ...parts, headers: { ...parts.headers, 'last-event-id': String(number - 1) } })
    },
    recordId: () => undefined,
    take({ id, data }: SseMessage) {
      const eventNumber = Number(id)
      if (number !== undefined && eventNumber === number && skipped < taken) {
        skipped += 1
        return undefined
      }
      taken = eventNumber === number ? taken + 1 : 1
      skipped = taken
      number = eventNumber
      return JSON.parse(data)
    },
  }
}

/** Streams of current state: a new connection begins with the whole state, so nothing is resumed. */
const stateSource = (parts: RequestParts, requestOf: RequestOf): FollowSource<unknown> => ({
  hasEnd: false,
  request: () => requestOf(parts),
  recordId: () => undefined,
  take: ({ event, data }) => ({ event, data: JSON.parse(data) }),
})

type Reading = (message: SseMessage) => unknown

/** A list, then its changes: the last message of the list has the first id. Without an id, the list is read again. */
const listSource = (parts: RequestParts, requestOf: RequestOf): FollowSource<unknown> =>
  resumedSource(parts, requestOf, ({ data }) => JSON.parse(data))

/** Messages of several kinds, resumed after the last id. */
const namedSource = (parts: RequestParts, requestOf: RequestOf): FollowSource<unknown> =>
  resumedSource(parts, requestOf, ({ event, data }) => ({ event, data: JSON.parse(data) }))

function resumedSource(parts: RequestParts, requestOf: RequestOf, read: Reading): FollowSource<unknown> {
  let last: string | undefined
  return {
    hasEnd: false,
    request: () =>
      requestOf(
        last === undefined ? parts : { ...parts, headers: { ...parts.headers, 'last-event-id': last } },
      ),
    recordId: () => undefined,
    take(message) {
      last = message.id ?? last
      return read(message)
    },
  }
}

const sources: Readonly<
  Record<StreamName, (parts: RequestParts, requestOf: RequestOf) => FollowSource<unknown>>
> = {
  streamTradeEvents: accountSource,
  streamActivityEvents: accountSource,
  streamTokenizationEvents: accountSource,
  streamTokenizationEventsBroker: accountSource,
  listEvents: journalSource,
  listPostings: journalSource,
  listAuditLog: journalSource,
  listRequests: namedSource,
  listSockets: stateSource,
  listWorlds: stateSource,
  getWorldClock: stateSource,
  getAccountSnapshot: stateSource,
  listWorldOrders: listSource,
}
