import { Agent, type ClientRequestArgs, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { urlToHttpOptions } from 'node:url'
import type { WorldId } from '@quipu/core'
import { ClientDisconnected } from '../../process/long-work.ts'
import { NotApplied } from '../../process/not-applied.ts'
import { OutcomeUnknown } from '../../world/engine.ts'
import { clientAddress } from '../client-address.ts'
import type { Exchange } from '../exchange.ts'
import { isEnding, requestUrl } from '../host.ts'
import { originForm } from '../logged-text.ts'
import type { Services } from '../services.ts'
import { countForwarded } from './cluster-metrics.ts'
import { type Forwarded, type ForwardedCaller, MOVING, NOT_HELD, PEER_PREFIX, peerHeaders } from './peer.ts'

/** How long a request waits for a node that holds its world. */
const HOLDER_MS = 2_000
/** The same for a world that is being moved: some node will hold it soon. */
const MOVE_MS = 10_000
const LOOK_MS = 50
/** A node that does not accept a connection for this long counts as gone. */
const CONNECT_MS = 1_000
/** A node that does not answer for this long may have applied the request. */
const ANSWER_MS = 30_000
/** Shorter than any keep-alive time of a server, so that no request meets a connection that is being closed. */
const IDLE_MS = 1_500

const options = { keepAlive: true, timeout: IDLE_MS, scheduling: 'lifo' } as const
const agents = { http: new Agent(options), https: new TlsAgent(options) }

export type ToForward = {
  readonly world: WorldId
  readonly body: Buffer | undefined
  /** The authenticated caller, if its credential belongs to another world. */
  readonly as?: ForwardedCaller | undefined
  /** Begins the request on this node, if it holds the world by now. */
  readonly begin: () => boolean
}

/**
 * Sends the request to the node that holds its world, and its answer to the client. Returns 'here' if this node holds
 * the world by now. A request that was not sent, or that the node refused because it does not hold the world, is sent
 * again to the next holder. A request that may have been applied is never sent twice.
 */
export async function forward(
  services: Services,
  exchange: Exchange,
  toForward: ToForward,
): Promise<'answered' | 'here'> {
  const cluster = services.cluster!
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
  toForward: ToForward,
): Promise<'answered' | 'here'> {
  const cluster = services.cluster!
  const { world } = toForward
  const startedMs = performance.now()
  for (let isMoving = false; ; ) {
    if (toForward.begin()) return 'here'
    isMoving ||= cluster.isMoving(world)
    const address = cluster.addressOf(world)
    if (address !== undefined) {
      const asked = await ask(services, exchange, toForward, address)
      if (asked.kind === 'answered' && !(NOT_HELD in asked.answer.headers)) {
        relay(services, exchange, asked.answer)
        return 'answered'
      }
      if (asked.kind === 'broken') throw new OutcomeUnknown(asked.error)
      if (asked.kind === 'answered') {
        isMoving ||= asked.answer.headers[NOT_HELD] === MOVING
        asked.answer.resume()
      }
    }
    if (performance.now() - startedMs > (isMoving ? MOVE_MS : HOLDER_MS))
      throw new NotApplied('worldRestarting')
    await sleep(LOOK_MS)
    if (exchange.connection.isClosed) throw new ClientDisconnected()
    await cluster.refresh().catch(() => undefined)
  }
}

type Asked =
  | { readonly kind: 'answered'; readonly answer: IncomingMessage }
  | { readonly kind: 'notSent' }
  /** Sent, and no answer: the outcome is unknown. */
  | { readonly kind: 'broken'; readonly error: unknown }

function ask(services: Services, exchange: Exchange, { world, body, as }: ToForward, address: string) {
  const { request, response } = exchange
  const scheme = requestUrl(request, services).startsWith('https:') ? 'https' : 'http'
  const client = clientAddress(request, services.trustProxy)
  const forwarded: Forwarded = { world, address: client, scheme, ...as }
  const { isTls, ...node } = nodeAt(address)
  return new Promise<Asked>((resolve) => {
    let isSent = false
    const asked = (isTls ? requestHttps : requestHttp)({
      ...node,
      // A client may name any host in a full URL; the secret is for nodes only.
      path: originForm(request.url ?? '/'),
      method: request.method,
      headers: [...endToEnd(request.rawHeaders, body), ...peerHeaders(services.cluster!.secret, forwarded)],
      agent: isTls ? agents.https : agents.http,
    })
    let timer: NodeJS.Timeout | undefined
    const limit = (ms: number, problem: string) => {
      clearTimeout(timer)
      timer = setTimeout(() => asked.destroy(new Error(problem)), ms)
    }
    const waitForAnswer = () => {
      isSent = true
      limit(ANSWER_MS, 'no answer')
    }
    const end = (outcome: Asked) => {
      clearTimeout(timer)
      response.off('close', abort)
      resolve(outcome)
    }
    asked.once('socket', (socket) => {
      if (!socket.connecting) return waitForAnswer()
      limit(CONNECT_MS, 'no connection')
      socket.once(isTls ? 'secureConnect' : 'connect', waitForAnswer)
    })
    asked.once('response', (answer) => end({ kind: 'answered', answer }))
    asked.once('error', (error) => end(isSent ? { kind: 'broken', error } : { kind: 'notSent' }))
    const abort = () => asked.destroy()
    response.once('close', abort)
    asked.end(body)
  })
}

type NodeAddress = Pick<ClientRequestArgs, 'hostname' | 'port'> & { readonly isTls: boolean }

const nodes = new Map<string, NodeAddress>()

/** The parts of the address of a node. A cluster has few nodes. */
function nodeAt(address: string): NodeAddress {
  let found = nodes.get(address)
  if (!found) {
    const { protocol, hostname, port } = urlToHttpOptions(new URL(address))
    nodes.set(address, (found = { isTls: protocol === 'https:', hostname, port }))
  }
  return found
}

/** Sends the answer of the other node to the client as it came. */
function relay({ serverState }: Services, exchange: Exchange, answer: IncomingMessage): void {
  const { request, response } = exchange
  const headers = endToEnd(answer.rawHeaders)
  if (answer.headers.connection === 'close' || isEnding(serverState, request))
    headers.push('Connection', 'close')
  response.writeHead(answer.statusCode ?? 502, headers)
  // A stream sends its headers before its first event. Other answers are sent with one system call.
  if (!('content-length' in answer.headers)) response.flushHeaders()
  answer.once('error', () => request.socket.destroy())
  response.once('close', () => {
    answer.destroy()
    exchange.end()
  })
  answer.pipe(response)
}

const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
])

/** The headers that concern client and world, not the connection. With a body its length is that of the body. */
function endToEnd(raw: readonly string[], body?: Buffer): string[] {
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    if (hopByHop.has(name) || name.startsWith(PEER_PREFIX) || (body && name === 'content-length')) continue
    kept.push(raw[at]!, raw[at + 1]!)
  }
  if (body) kept.push('Content-Length', String(body.length))
  return kept
}
