import { setTimeout as sleep } from 'node:timers/promises'
import { ClientDisconnected } from '@quipu/broker/clock/long-work.ts'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import { OutcomeUnknown } from '@quipu/broker/world/submitted.ts'
import { isEnding } from '../connection/host.ts'
import type { Exchange } from '../exchange.ts'
import { clusterOf, type Services } from '../services.ts'
import { type Asked, ask, endToEnd, type ToForward } from './ask-holder.ts'
import { countForwarded } from './cluster-metrics.ts'
import { type Answered, isEvents, relayEvents } from './event-relay.ts'
import { MOVING, NOT_HELD } from './peer.ts'

/** How long a request waits for a node that holds its world. */
const HOLDER_MS = 2_000
/** The same for a world that is being moved: some node will hold it soon. */
const MOVE_MS = 10_000
const LOOK_MS = 50
const BODY_TOO_LARGE = 413
/** Begins the request on this node, if it holds the world by now. */
export type WithBegin = { readonly begin: () => boolean }

/** 'here': this node holds the world by now. 'deleted': there is no such world any more. */
export type Forwarding = 'answered' | 'here' | 'deleted'

/**
 * Sends the request to the node that holds its world, and its response to the client. A request that was not sent, or
 * that the node refused because it does not hold the world, is sent again to the next holder, and so is a read. Another
 * request that may have been applied is never sent twice.
 */
export async function forward(
  services: Services,
  exchange: Exchange,
  toForward: ToForward & WithBegin,
): Promise<Forwarding> {
  const cluster = clusterOf(services)
  try {
    const outcome = await sendToHolder(services, exchange, toForward)
    if (outcome === 'answered') countForwarded(cluster, 'answered')
    return outcome
  } catch (error) {
    if (error instanceof NotApplied) countForwarded(cluster, 'unavailable')
    if (error instanceof OutcomeUnknown) countForwarded(cluster, 'unknown')
    throw error
  }
}

async function sendToHolder(
  services: Services,
  exchange: Exchange,
  toForward: ToForward & WithBegin,
): Promise<Forwarding> {
  const cluster = clusterOf(services)
  const { world } = toForward
  const isRead = exchange.request.method === 'GET'
  const startedMs = performance.now()
  for (let [isMoving, hasLooked] = [false, false]; ; hasLooked = true) {
    // It may have got a response: a request that arrives after its 408 is not applied.
    if (exchange.connection.isClosed) throw new ClientDisconnected()
    if (toForward.begin()) return 'here'
    isMoving ||= cluster.moves.isMoving(world)
    const holder = cluster.locations.holderOf(world)
    if (holder) {
      const asked = await ask(services, exchange, toForward, holder.address)
      if (asked.kind === 'answered' && !(NOT_HELD in asked.response.headers)) {
        await endBody(toForward, asked)
        relay(services, exchange, toForward, { holder: holder.name, ...asked })
        return 'answered'
      }
      if (asked.kind === 'broken' && !isRead) throw new OutcomeUnknown(asked.error)
      if (asked.kind === 'answered') {
        isMoving ||= asked.response.headers[NOT_HELD] === MOVING
        asked.response.resume()
      }
    }
    if (performance.now() - startedMs > (isMoving ? MOVE_MS : HOLDER_MS))
      throw new NotApplied('worldRestarting')
    // The table of the last look may be older than the deletion of the world.
    if (hasLooked) await sleep(LOOK_MS)
    await cluster.view.refresh().catch(() => undefined)
    if (!cluster.view.row(world) && !cluster.locations.isHere(world)) return 'deleted'
  }
}

type AskedResponse = Extract<Asked, { readonly kind: 'answered' }>

const isTooLarge = ({ hasBody, response }: AskedResponse): boolean =>
  !hasBody && response.statusCode === BODY_TOO_LARGE

/** A client that sends before it reads gets its 413 after its body: see `bodyBytes`. */
async function endBody({ readBody }: ToForward, asked: AskedResponse): Promise<void> {
  if (isTooLarge(asked)) await readBody?.().catch(() => undefined)
}

/** Sends the response of the other node to the client as it came. */
function relay(
  services: Services,
  exchange: Exchange,
  toForward: ToForward,
  answered: Answered & AskedResponse,
): void {
  const { response: received, hasBody } = answered
  const { request, response } = exchange
  const headers = endToEnd(received.rawHeaders)
  // A node also closes its connection if it has not asked for the body.
  const closes = received.headers.connection === 'close' && (hasBody || isTooLarge(answered))
  if (closes || isEnding(services.serverState, request)) headers.push('Connection', 'close')
  response.writeHead(received.statusCode ?? 502, headers)
  // A stream sends its headers before its first event. Other responses are sent with one system call.
  if (!('content-length' in received.headers)) response.flushHeaders()
  response.once('close', () => {
    received.destroy()
    exchange.progress.end()
  })
  if (isEvents(received)) return void relayEvents(services, exchange, toForward, answered)
  received.once('error', () => request.socket.destroy())
  received.pipe(response)
}
