import { setTimeout as sleep } from 'node:timers/promises'
import { MAIN } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf, OpenSocketRecord } from '@quipu/contract'
import { lastOf } from '@quipu/core/values'
import { refuse } from '../../wire/refusal.ts'
import type { SocketInfo } from '../connection/open-sockets.ts'
import type { Context } from '../context.ts'
import { eventStream, type Sink, sseMessage } from '../event-stream.ts'
import { withWorld } from '../sim/world-named.ts'
import { isLive } from './formats.ts'
import { openReader } from './readers.ts'

export const socketHandlers = withWorld({
  listSockets({ world, query }, context) {
    if (isLive(context)) {
      openReader(context)
      return eventStream((sink) => sendChanges(() => socketsOf(context, world, query), sink))
    }
    const all = socketsOf(context, world, query)
    const from = startIndex(all, query)
    const sockets = all.slice(from, from + query.limit)
    const isEnd = from + query.limit >= all.length
    return { sockets, next_cursor: isEnd ? null : lastOf(sockets).id }
  },

  closeSocket({ world, params }, context) {
    const isInWorld = [...ofWorld(context, world)].some(({ id }) => id === params.socket_id)
    if (!isInWorld || !context.services.connections.sockets.close(params.socket_id))
      throw refuse({ code: 'socketNotFound', id: params.socket_id })
  },
})

type SocketsQuery = InputOf<'listSockets'>['query']

/** Oldest first. The next page begins after the last id, also if sockets were closed since. */
function startIndex(all: readonly OpenSocketRecord[], { cursor, last }: SocketsQuery): number {
  if (cursor === undefined) return last === undefined ? 0 : Math.max(0, all.length - last)
  const after = all.findIndex(({ id }) => Number(id) > Number(cursor))
  return after < 0 ? all.length : after
}

function* ofWorld({ services }: Context, world: World): Generator<SocketInfo> {
  for (const socket of services.connections.sockets.all())
    if ((socket.world ?? services.worlds.get(MAIN)) === world) yield socket
}

const socketsOf = (
  context: Context,
  world: World,
  { account_id, key_id }: SocketsQuery,
): OpenSocketRecord[] =>
  [...ofWorld(context, world)]
    .filter(
      ({ accountId, keyId }) =>
        (account_id === undefined || accountId === account_id) && (key_id === undefined || keyId === key_id),
    )
    .map(socketToWire)

const SYMBOLS_MAX = 100

function socketToWire(socket: SocketInfo): OpenSocketRecord {
  const { keyId, accountId } = socket
  const channels = Object.entries(socket.subscriptions)
  return {
    id: socket.id,
    endpoint: socket.endpoint,
    key_id: keyId,
    account_id: accountId,
    address: socket.address,
    opened_at: new Date(socket.openedMs).toISOString(),
    subscriptions: Object.fromEntries(
      channels.map(([channel, symbols]) => [channel, symbols.slice(0, SYMBOLS_MAX)]),
    ),
    symbols: channels.reduce((sum, [, symbols]) => sum + symbols.length, 0),
    sent_messages: socket.sentMessages,
    sent_bytes: socket.sentBytes,
    waiting_bytes: socket.waitingBytes,
    lag_ms: Math.round(socket.lagMs),
  }
}

/** Sockets change with every frame, so their changes are sent in this interval. */
const CHECK_MS = 500

/** Sends all open sockets as one message, then the changed and the closed ones. */
async function sendChanges(
  readSockets: () => readonly OpenSocketRecord[],
  { write, signal }: Sink,
): Promise<void> {
  const first = readSockets()
  await write(sseMessage('sockets', JSON.stringify(first)))
  let known = new Map(first.map((socket) => [socket.id, JSON.stringify(socket)]))
  while (!signal.aborted) {
    const now = new Map(readSockets().map((socket) => [socket.id, JSON.stringify(socket)]))
    const changed = [...now].filter(([id, text]) => known.get(id) !== text)
    const closed = [...known.keys()].filter((id) => !now.has(id))
    const messages = [
      ...changed.map(([, text]) => sseMessage('socket', text)),
      ...closed.map((id) => sseMessage('closed', JSON.stringify({ id }))),
    ]
    if (messages.length > 0) await write(messages.join(''))
    known = now
    await sleep(CHECK_MS, undefined, { signal }).catch(() => undefined)
  }
}
