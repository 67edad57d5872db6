import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { askNode } from '@quipu/broker/cluster/ask-node.ts'
import type { Cluster } from '@quipu/broker/cluster/cluster.ts'
import type { WorldId } from '@quipu/core'
import { fieldsIn } from '@quipu/core/values'
import { type Sink, writeText } from '../event-stream.ts'
import type { Exchange } from '../exchange.ts'
import { clusterOf, type Services } from '../services.ts'
import { ask, type ToForward } from './ask-holder.ts'
import { completeIn, lastIdIn } from './event-messages.ts'
import { NOT_HELD } from './peer.ts'

/** How long a client waits for the next node that holds its world; then its connection breaks, so that it reconnects. */
const HOLDER_MS = 30_000
const RETRY_MS = 100
/** Interval of checks whether another node holds the world by now, while the connection is still open. */
const CHECK_MS = 1_000

/** An event stream of another node, and how far the client has read it. */
type Relayed = {
  readonly services: Services
  readonly exchange: Exchange
  readonly toForward: ToForward
  readonly sink: Pick<Sink, 'signal' | 'write'>
  /** The name of the node that sent the last events. */
  holder: string
  /** The id of the last event that the client has received. */
  lastId: string | undefined
}

/** The response of a node, and the name of the node. */
export type Answered = { readonly holder: string; readonly response: IncomingMessage }

export const isEvents = ({ statusCode, headers }: IncomingMessage): boolean =>
  statusCode === 200 && headers['content-type'] === 'text/event-stream'

/**
 * Sends the event stream of another node to the client. When the node is lost or releases the world, the stream
 * continues at the next holder after the last event that the client has received. Never rejects.
 */
export async function relayEvents(
  services: Services,
  exchange: Exchange,
  toForward: ToForward,
  { holder, response: received }: Answered,
): Promise<void> {
  const { response } = exchange
  const closing = new AbortController()
  response.once('close', () => closing.abort())
  const { signal } = closing
  const sink = { signal, write: (text: string) => writeText(response, text, signal) }
  const relayed: Relayed = { services, exchange, toForward, sink, holder, lastId: undefined }
  try {
    if (!(await copyEvents(relayed, received))) await continueAtNext(relayed)
    response.end()
  } catch {
    exchange.request.socket.destroy()
  }
}

type Continued = Pick<Relayed, 'toForward' | 'sink' | 'lastId'>

/** Continues an event stream of this node at the node that took its world over. Fails if no node continues it. */
export async function continueEvents(
  services: Services,
  exchange: Exchange,
  continued: Continued,
): Promise<void> {
  const { name: holder } = clusterOf(services)
  await continueAtNext({ services, exchange, ...continued, holder })
}

async function continueAtNext(relayed: Relayed): Promise<void> {
  for (let isOver = false; !isOver; ) {
    const response = await reopen(relayed)
    if (!response) throw new Error('no node continues the event stream')
    isOver = await copyEvents(relayed, response)
  }
}

/** Sends the complete messages of a response. Returns whether the stream has ended; false if it broke. */
async function copyEvents(relayed: Relayed, response: IncomingMessage): Promise<boolean> {
  const { services, toForward, sink } = relayed
  const cluster = clusterOf(services)
  const abort = () => response.destroy()
  sink.signal.addEventListener('abort', abort)
  // The connection to a node that has stopped working may stay open.
  const checks = setInterval(() => {
    const holder = cluster.locations.holderOf(toForward.world)
    if (holder !== undefined && holder.name !== relayed.holder) abort()
  }, CHECK_MS).unref()
  try {
    for await (const text of completeIn(response)) {
      relayed.lastId = lastIdIn(text) ?? relayed.lastId
      await sink.write(text)
    }
    return response.complete
  } catch {
    return sink.signal.aborted
  } finally {
    clearInterval(checks)
    sink.signal.removeEventListener('abort', abort)
    response.destroy()
  }
}

/**
 * Opens the stream at the next holder, after the last event. Returns undefined if there is none in time, if it refuses,
 * or if the same node still holds the world: then that node has ended the stream for another reason.
 */
async function reopen(relayed: Relayed): Promise<IncomingMessage | undefined> {
  const { services, exchange, toForward, sink, lastId } = relayed
  const cluster = clusterOf(services)
  const deadlineMs = performance.now() + HOLDER_MS
  for (; performance.now() < deadlineMs && !sink.signal.aborted; await sleep(RETRY_MS)) {
    await cluster.view.refresh().catch(() => undefined)
    const holder = cluster.locations.holderOf(toForward.world)
    if (!holder) continue
    if (holder.name === relayed.holder) {
      if (await holds(cluster, holder.address, toForward.world)) return undefined
      continue
    }
    const asked = await ask(services, exchange, { ...toForward, lastId }, holder.address)
    if (asked.kind !== 'answered') continue
    const { response } = asked
    if (isEvents(response)) {
      relayed.holder = holder.name
      return response
    }
    response.destroy()
    if (NOT_HELD in response.headers || (response.statusCode ?? 0) >= 500) continue
    return undefined
  }
  return undefined
}

/** Whether a node holds a world, as the node says. False if it does not answer. */
async function holds({ secret }: Cluster, address: string, world: WorldId): Promise<boolean> {
  const asked = askNode({ address, secret, timeoutMs: CHECK_MS }, 'holds', { world })
  const response = await asked.catch(() => undefined)
  return fieldsIn(response)['holds'] === true
}
