import { streamOwners } from '@quipu/broker/access/caller.ts'
import { type Refused, refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { eventStream } from '../event-stream.ts'
import { followReading, type ReadingSource } from './follow.ts'

/** Sends the items of a source as server-sent events, in batches. */
export function liveStream<Item, Position extends string | number, Output>(
  context: Context,
  source: ReadingSource<Item, Position>,
  messagesOf: (items: readonly Item[]) => readonly string[] | Promise<readonly string[]>,
): Output {
  openReader(context)
  return eventStream(async ({ write, signal }) => {
    for await (const items of followReading(source, { signal })) {
      const messages = await messagesOf(items)
      if (messages.length > 0) await write(messages.join(''))
    }
  })
}

/** Refuses a stream beyond the limit of the server, of the key or of the account. */
export function openReader(context: Context): void {
  const { eventStreams } = context.services.connections
  if (eventStreams.isFull) throw eventStreamsFull(context)
  if (eventStreams.isFullFor(streamOwners(context.caller)))
    throw refuse({ code: 'tooManyEventStreams', limit: eventStreams.perOwner }, ['Retry-After', '1'])
}

export const eventStreamsFull = ({ services: { connections } }: Context): Refused =>
  refuse({ code: 'eventStreamsFull', limit: connections.eventStreams.max }, ['Retry-After', '1'])

/** The number after which a list or stream begins, at most the newest one. */
export function positionIn(
  newest: number,
  { cursor, last }: { readonly cursor?: string | undefined; readonly last?: number | undefined },
  lastEventId?: string,
): number {
  const named = lastEventId === undefined || lastEventId === '' ? cursor : lastEventId
  if (named === undefined) return last === undefined ? 0 : Math.max(0, newest - last)
  const position = /^\d{1,15}$/.test(named) ? Number(named) : Number.NaN
  if (position <= newest) return position
  const problem = `cursor: expected a number up to ${newest}, received "${named.slice(0, 60)}"`
  throw refuse({ code: 'invalidParameter', problem })
}
