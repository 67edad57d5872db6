import type { Journal } from '@quipu/broker/journal/journal.ts'
import { eventOf } from '@quipu/broker/journal/stored-event.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { tradeUpdatesChannel } from '@quipu/contract'
import type { AccountId, Instant } from '@quipu/core'
import { EPOCH } from '@quipu/core/values'
import { followReading } from '../http/reading/follow.ts'
import { accountSource, type EventMessage } from '../http/trading/events/account-source.ts'
import { tradeFormat } from '../http/trading/events.ts'
import { sendFaulty } from './faults.ts'
import { Message } from './frame.ts'
import type { StreamSocket } from './socket.ts'

type Resumed = {
  readonly world: World
  readonly accountId: AccountId
  readonly socket: StreamSocket
  /** The journal number of the last update that the client has received. */
  readonly after: number
  readonly failed: (error: unknown) => void
}

/** Sends the updates of an account after a number, past ones first, until the returned function is called. */
export function resumeUpdates(resumed: Resumed): () => void {
  const stop = new AbortController()
  const { world, socket, after, failed } = resumed
  // The journal has lost updates that the client has received: it must read its orders again.
  if (after > world.storage.journal.head().seq) {
    socket.close('internal')
    return () => undefined
  }
  sendUpdates(resumed, stop.signal).catch((error) => {
    if (!stop.signal.aborted && world.status.ending !== 'released') failed(error)
    // The node of the client tries again.
    socket.close('notResumed')
  })
  return () => stop.abort()
}

async function sendUpdates({ world, accountId, socket, after }: Resumed, signal: AbortSignal): Promise<void> {
  const from = await timeOf(world.storage.journal, after)
  const source = accountSource({ world, accountId, format: tradeFormat({ accountId }), from })
  for await (const some of followReading(source, { signal })) {
    for (const update of some) if (update.seq > after) send(world, socket, update)
    await socket.connection.outbox.drained()
  }
}

/** The time of an event. Later events do not have earlier times. */
async function timeOf(journal: Journal, seq: number): Promise<Instant> {
  if (seq > 0) for await (const [entry] of journal.read(seq - 1)) if (entry) return eventOf(entry).at
  return EPOCH
}

function send({ clients: { faults } }: World, socket: StreamSocket, { data }: EventMessage): void {
  const value = () => JSON.parse(data)
  const message = new Message(
    () => ({ stream: tradeUpdatesChannel, data: value() }),
    `{"stream":"${tradeUpdatesChannel}","data":${data}}`,
  )
  if (faults === undefined) return socket.connection.send(message)
  const { event, order } = value()
  const about = { type: event, symbol: order.symbol, clientOrderId: order.client_order_id }
  sendFaulty(faults, socket, message, about)
}
