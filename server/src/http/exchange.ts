import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Operation, operations } from '@quipu/contract'
import { uncountedHeaders } from '../access/rate-limits.ts'
import { type Refused, refuse } from '../wire/refusal.ts'
import { leaveBody } from './body.ts'
import type { Connection } from './connections.ts'
import type { Context } from './context.ts'
import { requestUrl } from './host.ts'
import { LiveAnswer } from './live.ts'
import { Page, Prebuilt } from './prebuilt.ts'
import { nextRequestId } from './request-id.ts'
import { securityHeaders } from './security-headers.ts'
import type { Services } from './services.ts'

/** A request and its answer on their way through the server. */
export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId = nextRequestId()
  readonly startedMs = performance.now()
  readonly path: string
  /** The path as it may be written down: shortened, and without a secret. */
  readonly shownPath: string
  /** What follows the question mark. */
  readonly query: string
  /** The name of the operation, once it is found. */
  operation = 'none'
  context: Context | undefined
  credentialId: string | undefined
  /** What it was refused with. */
  refusal: { readonly code?: unknown; readonly reason?: unknown } | undefined
  /** Header names and values, flat, for whatever answer it will be. */
  readonly extraHeaders: string[] = []
  /** What its caller has left of the rate limit; undefined where it was not counted. */
  rateHeaders: readonly string[] | undefined
  readonly connection: Connection
  #isWorking = false

  constructor(request: IncomingMessage, response: ServerResponse, connection: Connection) {
    this.request = request
    this.response = response
    this.connection = connection
    const url = originForm(request.url ?? '/')
    const mark = url.indexOf('?')
    this.path = mark < 0 ? url : url.slice(0, mark)
    this.shownPath = shown(this.path)
    this.query = mark < 0 ? '' : url.slice(mark + 1)
  }

  /** Its handler begins. */
  work(): void {
    this.#isWorking = true
    this.connection.working += 1
  }

  /** The whole response was written. */
  answered(bytes: number): void {
    this.#stopWork()
    this.connection.answered(this.response, bytes)
  }

  /** There is no response, or no more of it. */
  end(): void {
    this.#stopWork()
    this.connection.left()
  }

  #stopWork(): void {
    if (this.#isWorking) this.connection.working -= 1
    this.#isWorking = false
  }
}

const PATH_MAX = 200

/** Where the rest of a path may be a secret, whatever the method. */
const secretPaths: readonly string[] = Object.values<Operation>(operations)
  .filter(({ secretPath }) => secretPath)
  .map(({ path }) => path.slice(0, path.indexOf('{')))

function shown(path: string): string {
  for (const start of secretPaths) if (path.startsWith(start)) return `${start}…`
  return path.slice(0, PATH_MAX)
}

/** Proxies and some tools send the whole address; what counts starts at its path. */
function originForm(url: string): string {
  if (url.startsWith('/')) return url
  const scheme = url.indexOf('://')
  if (scheme < 0) return url
  const path = url.indexOf('/', scheme + 3)
  return path < 0 ? '/' : url.slice(path)
}

/** The responses that clients have not read take all the memory that they may. */
export const unreadResponses = (): Refused => refuse({ code: 'responsesUnread' }, ['Retry-After', '1'])

const JSON_TYPE = 'application/json'

/** What a handler gave, as the operation declares it. */
export function sendOutput(
  services: Services,
  exchange: Exchange,
  operation: Operation,
  output: unknown,
): void {
  if (output instanceof LiveAnswer) sendLive(services, exchange, output)
  else if (output instanceof Page)
    send(services, exchange, output.status, output.html, operation.raw, output.headers)
  else if (operation.raw !== undefined)
    send(services, exchange, operation.status, output as string | Uint8Array, operation.raw)
  else if (output === undefined) send(services, exchange, operation.status, undefined)
  else if (output instanceof Prebuilt) send(services, exchange, operation.status, output.body, output.type)
  else send(services, exchange, operation.status, JSON.stringify(output))
}

/** Writes the head of an answer that stays open, and its line in the log; then lets it run. */
export function sendLive(services: Services, exchange: Exchange, answer: LiveAnswer): void {
  const { response, requestId, context, extraHeaders } = exchange
  // Its connection is good for nothing else.
  const headers = ['Content-Type', 'text/event-stream', 'Connection', 'close']
  headers.push('X-Request-ID', requestId, ...securityHeaders({ url: requestUrl(exchange.request, services) }))
  headers.push(...(exchange.rateHeaders ?? uncountedHeaders(services.limits.rateLimitPerMinute)))
  if (context !== undefined) worldHeaders(headers, context, services.version)
  response.writeHead(200, [...headers, ...extraHeaders])
  response.flushHeaders()
  note(services, exchange, 200)
  if (exchange.request.method === 'HEAD') {
    response.end()
    return exchange.end()
  }
  const failed = (error: unknown) =>
    services.log.warn('a live answer ended early', { request: requestId, error: String(error) })
  const ending = new AbortController()
  const leave = admit(services, context, ending)
  void services.live.run(answer, response, failed, ending).then(() => {
    leave()
    exchange.end()
  })
}

/** It lasts no longer than what its reader came with. Yields what to do when it is over. */
function admit({ worlds: { connections } }: Services, context: Context | undefined, ending: AbortController) {
  const caller = context?.caller
  if (!caller) return () => undefined
  const guest = { close: () => ending.abort() }
  connections.add(guest, caller)
  return () => connections.remove(guest, caller)
}

/** Writes the whole answer at once, and its line in the log. Throws where other clients leave too much unread. */
export function send(
  services: Services,
  exchange: Exchange,
  status: number,
  body: string | Uint8Array | undefined,
  type: string = JSON_TYPE,
  extra: readonly string[] = [],
): void {
  const { response, requestId, context, extraHeaders } = exchange
  const bytes = body === undefined ? 0 : Buffer.byteLength(body)
  if (!services.unsent.hasRoomFor(bytes) && exchange.request.method === 'GET') throw unreadResponses()
  const headers = body === undefined ? [] : ['Content-Type', type, 'Content-Length', String(bytes)]
  headers.push('X-Request-ID', requestId, ...securityHeaders({ url: requestUrl(exchange.request, services) }))
  headers.push(...(exchange.rateHeaders ?? uncountedHeaders(services.limits.rateLimitPerMinute)))
  if (context !== undefined) worldHeaders(headers, context, services.version)
  if (extraHeaders.length > 0) headers.push(...extraHeaders)
  if (extra.length > 0) headers.push(...extra)
  if (services.serverState.phase === 'stopping') headers.push('Connection', 'close')
  // Before the answer ends: Node then finds the request over, and need not listen for its end.
  leaveBody(exchange.request)
  response.writeHead(status, headers)
  // Text of as many bytes as characters has none beyond ASCII: it is copied, not encoded.
  if (typeof body === 'string' && bytes === body.length) response.end(body, 'latin1')
  else response.end(body)
  exchange.answered(bytes)
  note(services, exchange, status)
}

function worldHeaders(headers: string[], { world, seq, headers: own }: Context, version: string): void {
  if (world !== undefined) headers.push('X-Quipu-World', world.id, 'X-Quipu-Version', version)
  if (seq !== undefined) headers.push('X-Quipu-Seq', String(seq))
  if (own.length > 0) headers.push(...own)
}

/** Nobody is there to answer any more, or nothing may be claimed. */
export function drop(services: Services, exchange: Exchange): void {
  exchange.end()
  note(services, exchange, 'dropped')
}

/** One line per request: the path without its query, since queries may carry secrets. */
function note(services: Services, exchange: Exchange, status: number | 'dropped'): void {
  const { log, metrics } = services
  const ms = performance.now() - exchange.startedMs
  metrics.responded(exchange.operation, status, ms)
  const rounded = Math.round(ms * 100) / 100
  remember(services, exchange, status === 'dropped' ? undefined : status, rounded)
  if (!log.isOn('info')) return
  log.info(`${exchange.request.method} ${exchange.shownPath}`, {
    status,
    ms: rounded,
    key: exchange.credentialId,
    world: exchange.context?.world?.id,
    request: exchange.requestId,
  })
}

function remember({ requests }: Services, exchange: Exchange, status: number | undefined, ms: number): void {
  const { context, refusal } = exchange
  const caller = context?.caller
  requests.note(context?.world, {
    requestId: exchange.requestId,
    atMs: performance.timeOrigin + exchange.startedMs,
    ms,
    method: exchange.request.method ?? '',
    path: exchange.shownPath,
    operation: exchange.operation,
    status,
    code: typeof refusal?.code === 'number' ? refusal.code : undefined,
    reason: typeof refusal?.reason === 'string' ? refusal.reason : undefined,
    keyId: exchange.credentialId,
    accountId: caller?.kind === 'account' ? caller.accountId : undefined,
    seq: context?.seq,
  })
}
