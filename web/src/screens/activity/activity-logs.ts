import { computed, effect, signal } from '@preact/signals'
import type { JournalEvent, LoggedRequest, OpenSocket, Output, RequestMessage } from '@quipu/sdk'
import { collect } from '../../live/frames.ts'
import { repeat } from '../../live/repeat.ts'
import { type Connection, operator } from '../../session/connections.ts'
import { api, worldName } from '../../session/selection.ts'
import { isOperator } from '../../session/session.ts'
import { eventsQuery, filters, requestsQuery } from './filters.ts'
import { LiveLog } from './live-log.ts'

export const requestLog = new LiveLog<LoggedRequest>()
export const eventLog = new LiveLog<JournalEvent>()
/** The number of requests that the server dropped before this page read them. */
export const missed = signal(0)
/** The last event that any response included. */
export const lastSeq = signal(0)

const ROWS = 1000

/** An operator reads the whole world; anyone else the own account. */
export const reader = computed<Connection | undefined>(() => (isOperator.value ? operator() : api.value))

/** Follows the request log while the screen shows it. */
export function followRequests(): () => void {
  return effect(() => {
    const [connection, world, query] = [reader.value, worldName.value, requestsQuery(filters.value)]
    if (!connection) return undefined
    const params = { world }
    missed.value = 0
    return requestLog.open(
      {
        read: async (signal) => {
          const call = { params, query: { ...query, last: ROWS, limit: ROWS } }
          return (await connection.client.listRequests(call, { signal })).requests
        },
        follow: (after, signal) => {
          const start = after === undefined ? { last: ROWS } : { cursor: `${after}` }
          const messages = connection.events.listRequests(
            { params, query: { ...query, ...start } as never },
            { signal },
          )
          return requestsOf(messages)
        },
      },
      (rows) => {
        lastSeq.value = Math.max(lastSeq.peek(), ...rows.map(({ seq }) => seq ?? 0))
      },
    )
  })
}

async function* requestsOf(messages: AsyncIterable<RequestMessage>): AsyncGenerator<LoggedRequest> {
  for await (const message of messages) {
    if (message.event === 'request') yield message.data
    else missed.value += message.data.missed
  }
}

/** Follows the journal while the screen shows it. */
export function followEvents(): () => void {
  return effect(() => {
    const [connection, world, query] = [reader.value, worldName.value, eventsQuery(filters.value)]
    if (!connection) return undefined
    const params = { world }
    return eventLog.open({
      read: async (signal) => {
        const call = { params, query: { ...query, last: ROWS, limit: ROWS } }
        return (await connection.client.listEvents(call, { signal })).events
      },
      follow: (after, signal) => {
        const start = after === undefined ? { last: ROWS } : { cursor: `${after}` }
        return connection.events.listEvents({ params, query: { ...query, ...start } as never }, { signal })
      },
    })
  })
}

/** Open streams by id; undefined while they are read. */
export const sockets = signal<ReadonlyMap<string, OpenSocket> | undefined>(undefined)
export const socketsProblem = signal<Error | undefined>(undefined)

/** Follows the open streams while the screen shows them. */
export function followSockets(): () => void {
  return effect(() => {
    const params = { world: worldName.value }
    sockets.value = undefined
    if (!isOperator.value) return undefined
    const closing = new AbortController()
    const { signal } = closing
    const take = collect<SocketsMessage>((messages) => {
      if (!signal.aborted) for (const message of messages) takeSocket(message)
    })
    void repeat(signal, async () => {
      try {
        for await (const message of operator().events.listSockets({ params }, { signal })) {
          socketsProblem.value = undefined
          take(message)
        }
      } catch (error) {
        if (!signal.aborted) socketsProblem.value = error as Error
      }
    })
    return () => closing.abort()
  })
}

type SocketsMessage =
  ReturnType<Connection['events']['listSockets']> extends AsyncGenerator<infer Message> ? Message : never

function takeSocket(message: SocketsMessage): void {
  const known = new Map(message.event === 'sockets' ? [] : sockets.peek())
  if (message.event === 'sockets') for (const socket of message.data) known.set(socket.id, socket)
  else if (message.event === 'socket') known.set(message.data.id, message.data)
  else known.delete(message.data.id)
  sockets.value = known
}

export type Job = Output<'listJobs'>[number]
export const jobs = signal<readonly Job[] | undefined>(undefined)
export const jobsProblem = signal<Error | undefined>(undefined)

/** Reads the jobs, and again with each event of the journal, because jobs begin and end with events. */
export function followJobs(): () => void {
  jobs.value = undefined
  const stop = followEvents()
  const end = effect(() => {
    void eventLog.rows.value?.[0]?.number
    void eventLog.waiting.value.length
    void readJobs()
  })
  return () => {
    stop()
    end()
  }
}

export async function readJobs(): Promise<void> {
  if (!isOperator.peek()) return
  try {
    jobs.value = await operator().client.listJobs({ params: { world: worldName.peek() } })
    jobsProblem.value = undefined
  } catch (error) {
    jobsProblem.value = error as Error
  }
}
