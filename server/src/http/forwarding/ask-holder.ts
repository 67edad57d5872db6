import {
  Agent,
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import type { Cluster } from '@quipu/broker/cluster/cluster.ts'
import { LEASE_MS } from '@quipu/broker/journal/lease.ts'
import type { WorldId } from '@quipu/core'
import { itemAt } from '@quipu/core/values'
import { clientAddress } from '../connection/client-address.ts'
import { requestUrl } from '../connection/host.ts'
import type { Exchange } from '../exchange.ts'
import { originForm } from '../logged-text.ts'
import { clusterOf, type Services } from '../services.ts'
import { isFromMachine } from './from-machine.ts'
import { type Forwarded, type ForwardedCaller, PEER_PREFIX, peerHeaders } from './peer.ts'

const REQUEST_TIMEOUT = 408
/** A node that does not accept a connection for this long counts as gone. */
const CONNECT_MS = 1_000
/** A node that does not answer for this long may have applied the request. */
const RESPONSE_MS = 30_000
/** Shorter than any keep-alive time of a server, so that no request meets a connection that is being closed. */
const IDLE_MS = 1_500

const options = { keepAlive: true, timeout: IDLE_MS, scheduling: 'lifo' } as const
const httpAgent = new Agent(options)
/** Made for the first node with TLS: an agent loads TLS. */
let httpsAgent: TlsAgent | undefined
const agentFor = (isTls: boolean): Agent => (isTls ? (httpsAgent ??= new TlsAgent(options)) : httpAgent)

export type ToForward = {
  readonly world: WorldId
  /** Reads the body, if this node has not authenticated the client: only when the holder asks for it. */
  readonly readBody?: (() => Promise<void>) | undefined
  /** The authenticated caller, if its credential belongs to another world. */
  readonly as?: ForwardedCaller | undefined
  /** Only of an event stream that continues: the id of the last event that the client has received. */
  readonly lastId?: string | undefined
}

export type Asked =
  | { readonly kind: 'answered'; readonly response: IncomingMessage; readonly hasBody: boolean }
  /** Not sent, or it did not arrive whole: nothing was applied. */
  | { readonly kind: 'notSent' }
  /** Sent, and no response: the outcome is unknown. */
  | { readonly kind: 'broken'; readonly error: unknown }

/** What this node says about the request. */
function forwardedFrom(services: Services, { request }: Exchange, { world, as }: ToForward): Forwarded {
  const scheme = requestUrl(request, services).startsWith('https:') ? 'https' : 'http'
  const address = clientAddress(request, services.settings.trustProxy)
  const local = isFromMachine(services, request) ? { isFromMachine: true } : {}
  return { world, address, scheme, ...as, ...local }
}

/**
 * Sends the request to a node, with the body that was read. A body that was not read yet is announced, and the node asks
 * for it when it has authenticated the client. Resolves with the response, whose body is not read yet.
 */
export function ask(
  services: Services,
  exchange: Exchange,
  toForward: ToForward,
  address: string,
): Promise<Asked> {
  const { readBody } = toForward
  const { response } = exchange
  const isAnnounced = readBody !== undefined && exchange.body === undefined
  return new Promise<Asked>((resolve, reject) => {
    let isSent = false
    const asked = begun(services, exchange, toForward, address, isAnnounced)
    let timer: NodeJS.Timeout | undefined
    const limit = (ms: number, problem: string) => {
      clearTimeout(timer)
      timer = setTimeout(() => asked.destroy(new Error(problem)), ms)
    }
    const waitForResponse = (hasBody: boolean) => {
      isSent = hasBody
      clearTimeout(timer)
      timer = whenLost(clusterOf(services), address, () => asked.destroy(new Error('no response')))
    }
    const end = (outcome: Asked) => {
      clearTimeout(timer)
      response.off('close', abort)
      resolve(outcome)
    }
    asked.once('socket', (socket) => {
      if (!socket.connecting) return waitForResponse(!isAnnounced)
      limit(CONNECT_MS, 'no connection')
      socket.once(nodeAt(address).isTls ? 'secureConnect' : 'connect', () => waitForResponse(!isAnnounced))
    })
    const sendBody = async () => {
      clearTimeout(timer)
      await readBody?.()
      waitForResponse(true)
      asked.end(exchange.body)
    }
    asked.once('continue', () =>
      sendBody().catch((error) => {
        asked.destroy()
        reject(error)
      }),
    )
    asked.once('response', (response) => {
      // The node has closed the connection, or waits for a body that it will not get.
      if (!isSent) response.once('close', () => asked.destroy())
      end(outcomeOf(response, isSent))
    })
    asked.once('error', (error) => end(isSent ? { kind: 'broken', error } : { kind: 'notSent' }))
    const abort = () => asked.destroy()
    response.once('close', abort)
    if (!isAnnounced) asked.end(exchange.body)
  })
}

function outcomeOf(response: IncomingMessage, hasBody: boolean): Asked {
  if (hasArrived(response)) return { kind: 'answered', response, hasBody }
  response.resume()
  return { kind: 'notSent' }
}

/** A request to a node, before its body is sent. */
function begun(
  services: Services,
  exchange: Exchange,
  toForward: ToForward,
  address: string,
  isAnnounced: boolean,
): ClientRequest {
  const { url = '/', method } = exchange.request
  const { lastId } = toForward
  const { isTls, ...node } = nodeAt(address)
  const forwarded = forwardedFrom(services, exchange, toForward)
  return (isTls ? requestHttps : requestHttp)({
    ...node,
    // A client may name any host in a full URL; the secret is for nodes only.
    path: pathAfter(originForm(url), lastId),
    method,
    headers: [
      ...requestHeaders(exchange, { lastId, isAnnounced }, address),
      ...peerHeaders(clusterOf(services).secret, forwarded),
    ],
    agent: agentFor(isTls),
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
    if (performance.now() - sentMs > RESPONSE_MS || !cluster.view.nodes.isRunning(address)) call()
  }, LEASE_MS)
}

type NodeAddress = Pick<ClientRequestArgs, 'hostname' | 'port'> & { readonly isTls: boolean }

const nodes = new Map<string, NodeAddress>()

/** A node's address in parts. A cluster has few nodes. */
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
    const [written, value] = [itemAt(raw, at), itemAt(raw, at + 1)]
    const name = written.toLowerCase()
    if (!dropped.has(name) && !name.startsWith(PEER_PREFIX)) kept.push(written, value)
  }
  return kept
}

type Sending = { readonly lastId: string | undefined; readonly isAnnounced: boolean }

/** The headers of a request to a node, with the length of the body that it gets. */
function requestHeaders({ request, body }: Exchange, { lastId, isAnnounced }: Sending, address: string) {
  const { rawHeaders, headers } = request
  const sent = endToEnd(rawHeaders, lastId === undefined ? ofConnection : ofContinued)
  // HTTP/1.0 does not require it.
  if (headers.host === undefined) sent.push('Host', new URL(address).host)
  if (body) sent.push('Content-Length', String(body.length))
  if (isAnnounced) sent.push('Expect', '100-continue', ...lengthIn(headers))
  if (lastId !== undefined) sent.push(LAST_ID, lastId)
  return sent
}

/** The length of a body that is not read yet. */
const lengthIn = ({ 'content-length': length }: IncomingHttpHeaders): readonly string[] =>
  length === undefined ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', length]
