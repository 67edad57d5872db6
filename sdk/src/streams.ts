import {
  type ActivityEvent,
  type AuditEntryRecord,
  type JournalEventRecord,
  type LedgerLegRecord,
  type OperationName,
  routes,
  type TokenizationEvent,
  type TradeUpdate,
} from '@quipu/contract'
import type { Call, ClientOptions } from './client.ts'
import { credentialHeaders } from './credential.ts'
import { type FollowOptions, follow, type Source } from './follow.ts'
import { prepare, type RequestParts } from './request.ts'
import { transportOf } from './send.ts'
import type { SseMessage } from './sse.ts'

/** The message type of each streaming operation. */
type StreamMessages = {
  readonly streamTradeEvents: TradeUpdate
  readonly streamActivityEvents: ActivityEvent
  readonly streamTokenizationEvents: TokenizationEvent
  readonly streamTokenizationEventsBroker: TokenizationEvent
  readonly listEvents: JournalEventRecord
  readonly listPostings: LedgerLegRecord
  readonly listAuditLog: AuditEntryRecord
}
type StreamName = keyof StreamMessages & OperationName
type MayBeEmpty<Part> = Record<never, never> extends Part ? true : false
type Arguments<Name extends StreamName> =
  MayBeEmpty<Call<Name>> extends true
    ? [call?: Call<Name>, options?: FollowOptions]
    : [call: Call<Name>, options?: FollowOptions]

/** One method per streaming operation, with its name: an iterator over its messages. */
export type Streams = {
  readonly [Name in StreamName]: (
    ...given: Arguments<Name>
  ) => AsyncGenerator<StreamMessages[Name], undefined>
}

/**
 * Iterators over the server-sent streams of one server for one credential. They reconnect after a broken connection or a
 * restart of the server, and resume after the last message: each message is yielded once, in order.
 */
export function createStreams(options: ClientOptions): Streams {
  const base = options.url.replace(/\/+$/, '')
  const transport = transportOf(options)
  const own = { ...credentialHeaders(options), accept: 'text/event-stream', 'user-agent': 'quipu-sdk' }
  const methods = (Object.keys(sources) as StreamName[]).map((name) => [
    name,
    (places: RequestParts = {}, given: FollowOptions = {}) => {
      const ask = (from: RequestParts) => {
        const { path, headers } = prepare(routes[name], from)
        return { url: base + path, headers: { ...own, ...headers } }
      }
      return follow(transport, sources[name](places, ask), given)
    },
  ])
  return Object.fromEntries(methods) as Streams
}

type Ask = (places: RequestParts) => ReturnType<Source<unknown>['ask']>

/** Account streams: every message has a unique id, and ids sort in the order of the messages. */
function accountSource(places: RequestParts, ask: Ask): Source<unknown> {
  const { since: _, since_id: seen, until, ...query } = places.query ?? {}
  let last = seen as string | undefined
  let at: unknown
  return {
    hasEnd: until !== undefined || query['until_id'] !== undefined,
    ask() {
      if (last === undefined || (at === undefined && until !== undefined)) return ask(places)
      // An end that is an instant requires a start that is an instant; repeated messages are then skipped.
      const from = until === undefined ? { since_id: last } : { since: at, until }
      return ask({ ...places, query: { ...query, ...from } })
    },
    place(id) {
      last ??= id
    },
    take({ id, data }) {
      if (id !== undefined && last !== undefined && id <= last) return undefined
      const told = JSON.parse(data) as { readonly at: string }
      last = id
      at = told.at
      return told
    },
  }
}

/** Journal streams: all messages of an event have its number, and a connection may break between them. */
function journalSource(places: RequestParts, ask: Ask): Source<unknown> {
  let number: number | undefined
  let taken = 0
  let passedOver = 0
  return {
    hasEnd: false,
    ask() {
      passedOver = 0
      if (number === undefined) return ask(places)
      return ask({ ...places, headers: { ...places.headers, 'last-event-id': String(number - 1) } })
    },
    place: () => undefined,
    take({ id, data }: SseMessage) {
      const of = Number(id)
      if (number !== undefined && of === number && passedOver < taken) {
        passedOver += 1
        return undefined
      }
      taken = of === number ? taken + 1 : 1
      passedOver = taken
      number = of
      return JSON.parse(data)
    },
  }
}

const sources: Readonly<Record<StreamName, (places: RequestParts, ask: Ask) => Source<unknown>>> = {
  streamTradeEvents: accountSource,
  streamActivityEvents: accountSource,
  streamTokenizationEvents: accountSource,
  streamTokenizationEventsBroker: accountSource,
  listEvents: journalSource,
  listPostings: journalSource,
  listAuditLog: journalSource,
}
