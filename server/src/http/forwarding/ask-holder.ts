import { Agent, type ClientRequestArgs, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import type { WorldId } from '@quipu/core'
import type { Cluster } from '../../cluster/cluster.ts'
import { LEASE_MS } from '../../journal/lease.ts'
import { clientAddress } from '../client-address.ts'
import type { Exchange } from '../exchange.ts'
import { requestUrl } from '../host.ts'
import { originForm } from '../logged-text.ts'
import type { Services } from '../services.ts'
import { isFromMachine } from './from-machine.ts'
import { type Forwarded, type ForwardedCaller, PEER_PREFIX, peerHeaders } from './peer.ts'

const REQUEST_TIMEOUT = 408
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
  /** Only of an event stream that continues: the id of the last event that the client has received. */
  readonly lastId?: string | undefined
}

export type Asked =
  | { readonly kind: 'answered'; readonly answer: IncomingMessage }
  /** Not sent, or it did not arrive whole: nothing was applied. */
  | { readonly kind: 'notSent' }
  /** Sent, and no answer: the outcome is unknown. */
  | { readonly kind: 'broken'; readonly error: unknown }

/** What this node says about the request. */
function forwardedFrom(services: Services, { request }: Exchange, { world, as }: ToForward): Forwarded {
  const scheme = requestUrl(request, services).startsWith('https:') ? 'https' : 'http'
  const address = clientAddress(request, services.trustProxy)
  const local = isFromMachine(services, request) ? { isFromMachine: true } : {}
  return { world, address, scheme, ...as, ...local }
}

/** Sends the request to a node. Resolves with its answer, whose body is not read yet. */
export function ask(
  services: Services,
  exchange: Exchange,
  toForward: ToForward,
  address: string,
): Promise<Asked> {
  const { body, lastId } = toForward
  const { request, response } = exchange
  const forwarded = forwardedFrom(services, exchange, toForward)
  const { isTls, ...node } = nodeAt(address)
  return new Promise<Asked>((resolve) => {
    let isSent = false
    const asked = (isTls ? requestHttps : requestHttp)({
      ...node,
      // A client may name any host in a full URL; the secret is for nodes only.
      path: pathAfter(originForm(request.url ?? '/'), lastId),
      method: request.method,
      headers: [
        ...requestHeaders(request, toForward, address),
        ...peerHeaders(services.cluster!.secret, forwarded),
      ],
      agent: isTls ? agents.https : agents.http,
    })
    let timer: NodeJS.Timeout | undefined
    const limit = (ms: number, problem: string) => {
      clearTimeout(timer)
      timer = setTimeout(() => asked.destroy(new Error(problem)), ms)
    }
    const waitForAnswer = () => {
      isSent = true
      clearTimeout(timer)
      timer = whenLost(services.cluster!, address, () => asked.destroy(new Error('no answer')))
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
    asked.once('response', (answer) => {
      if (hasArrived(answer)) return end({ kind: 'answered', answer })
      answer.resume()
      end({ kind: 'notSent' })
    })
    asked.once('error', (error) => end(isSent ? { kind: 'broken', error } : { kind: 'notSent' }))
    const abort = () => asked.destroy()
    response.once('close', abort)
    asked.end(body)
  })
}

/**
 * False if the node says that the request did not arrive in time, such as when packets are lost. Nothing was applied. A
 * 408 that a fault rule of the world demands names the world.
 */
const hasArrived = ({ statusCode, headers }: IncomingMessage): boolean =>
  statusCode !== REQUEST_TIMEOUT || 'x-quipu-world' in headers

/** Calls back when the node does not answer in time, or its lease is over: it hangs, or its machine is lost. */
function whenLost(cluster: Cluster, address: string, call: () => void): NodeJS.Timeout {
  const sentMs = performance.now()
  return setInterval(() => {
    if (performance.now() - sentMs > ANSWER_MS || !cluster.isRunning(address)) call()
  }, LEASE_MS)
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

const LAST_ID = 'last-event-id'
/** Parameters that name the first event of a stream. They would hide the id of the last one. */
const starts = ['since', 'since_id', 'since_ulid'] as const

/** The path of a request, or of the request that continues its event stream. */
function pathAfter(path: string, lastId: string | undefined): string {
  const mark = path.indexOf('?')
  if (lastId === undefined || mark < 0) return path
  const query = new URLSearchParams(path.slice(mark + 1))
  for (const name of starts) query.delete(name)
  return `${path.slice(0, mark)}?${query}`
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

const ofConnection: ReadonlySet<string> = new Set([...hopByHop, 'content-length'])
const ofContinued: ReadonlySet<string> = new Set([...ofConnection, LAST_ID])

/** The headers that concern client and world, not the connection. */
export function endToEnd(raw: readonly string[], dropped = hopByHop): string[] {
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    if (!dropped.has(name) && !name.startsWith(PEER_PREFIX)) kept.push(raw[at]!, raw[at + 1]!)
  }
  return kept
}

/** The headers of a request to a node, with the length of the body that it gets. */
function requestHeaders(
  { rawHeaders, headers }: IncomingMessage,
  { body, lastId }: ToForward,
  address: string,
) {
  const sent = endToEnd(rawHeaders, lastId === undefined ? ofConnection : ofContinued)
  // HTTP/1.0 does not require it.
  if (headers.host === undefined) sent.push('Host', new URL(address).host)
  if (body) sent.push('Content-Length', String(body.length))
  if (lastId !== undefined) sent.push(LAST_ID, lastId)
  return sent
}
