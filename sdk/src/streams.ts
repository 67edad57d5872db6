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
import { type Places, prepare } from './request.ts'
import { transportOf } from './send.ts'
import type { SseMessage } from './sse.ts'

/** What each operation that can go on for ever tells. */
type Told = {
  readonly streamTradeEvents: TradeUpdate
  readonly streamActivityEvents: ActivityEvent
  readonly streamTokenizationEvents: TokenizationEvent
  readonly streamTokenizationEventsBroker: TokenizationEvent
  readonly listEvents: JournalEventRecord
  readonly listPostings: LedgerLegRecord
  readonly listAuditLog: AuditEntryRecord
}
type StreamName = keyof Told & OperationName
type MayBeEmpty<Part> = Record<never, never> extends Part ? true : false
type Arguments<Name extends StreamName> =
  MayBeEmpty<Call<Name>> extends true
    ? [call?: Call<Name>, options?: FollowOptions]
    : [call: Call<Name>, options?: FollowOptions]

/** One method per operation that streams, under its name: an iterator of what it tells. */
export type Streams = {
  readonly [Name in StreamName]: (...given: Arguments<Name>) => AsyncGenerator<Told[Name], undefined>
}

/**
 * Iterators over the server-sent streams of one server for one credential. They come back after a broken connection and
 * a restarted server, and go on after the last thing they told: each is told once, in order.
 */
export function createStreams(options: ClientOptions): Streams {
  const base = options.url.replace(/\/+$/, '')
  const transport = transportOf(options)
  const own = { ...credentialHeaders(options), accept: 'text/event-stream', 'user-agent': 'quipu-sdk' }
  const methods = (Object.keys(sources) as StreamName[]).map((name) => [
    name,
    (places: Places = {}, given: FollowOptions = {}) => {
      const ask = (from: Places) => {
        const { path, headers } = prepare(routes[name], from)
        return { url: base + path, headers: { ...own, ...headers } }
      }
      return follow(transport, sources[name](places, ask), given)
    },
  ])
  return Object.fromEntries(methods) as Streams
}

type Ask = (places: Places) => ReturnType<Source<unknown>['ask']>

/** Of an account: every message has an id of its own, and ids sort as the messages came. */
function accountSource(places: Places, ask: Ask): Source<unknown> {
  const { since: _, since_id: seen, until, ...query } = places.query ?? {}
  let last = seen as string | undefined
  let at: unknown
  return {
    hasEnd: until !== undefined || query['until_id'] !== undefined,
    ask() {
      if (last === undefined || (at === undefined && until !== undefined)) return ask(places)
      // An end that is an instant wants a beginning that is one; what was told before is then passed over.
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

/** Of a journal: the messages of one event have its number, and a connection may break between them. */
function journalSource(places: Places, ask: Ask): Source<unknown> {
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

const sources: Readonly<Record<StreamName, (places: Places, ask: Ask) => Source<unknown>>> = {
  streamTradeEvents: accountSource,
  streamActivityEvents: accountSource,
  streamTokenizationEvents: accountSource,
  streamTokenizationEventsBroker: accountSource,
  listEvents: journalSource,
  listPostings: journalSource,
  listAuditLog: journalSource,
}
