import type { IncomingMessage, ServerResponse } from 'node:http'
import { plainAddress } from '@quipu/broker/access/addresses.ts'
import { streamOwners } from '@quipu/broker/access/caller.ts'
import { uncountedHeaders } from '@quipu/broker/access/rate-limits.ts'
import { type Operation, type OperationName, operations } from '@quipu/contract'
import { finishBody } from './body/body.ts'
import { leavesBody } from './body/body-budget.ts'
import { clientAddress } from './connection/client-address.ts'
import type { Connection } from './connection/connections.ts'
import { isEnding, requestUrl } from './connection/host.ts'
import { securityHeaders } from './connection/security-headers.ts'
import type { Context } from './context.ts'
import { type ContinueEvents, EventStream } from './event-stream.ts'
import { FileStream, writeFile } from './file-stream.ts'
import { loggedBody, loggedPathOf, loggedQuery, originForm, traceOf } from './logged-text.ts'
import { Page, Prebuilt, PrebuiltOnce } from './prebuilt.ts'
import { nextRequestId } from './request-id.ts'
import type { LoggedRequest } from './request-log.ts'
import type { Services } from './services.ts'
import { unreadResponses } from './unsent.ts'

/** A count of the requests that have begun and not ended. */
type Counted = { begin(): void; end(): void }

/** A request and its response. */
export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId = nextRequestId()
  readonly startedMs = performance.now()
  readonly path: string
  /** The path for the log: shortened, and without a secret. */
  readonly loggedPath: string
  /** The part after the question mark. */
  readonly query: string
  /** The name of the operation, after routing. */
  operation = 'none'
  context: Context | undefined
  credentialId: string | undefined
  /** The body, if it was read before the handler to find its world. */
  body: Buffer | undefined
  /** The size of the body that was read. */
  bodyBytes = 0
  /** The code and reason of a refusal. */
  refusal: { readonly code?: unknown; readonly reason?: unknown } | undefined
  /** Header names and values, flat, of any response. */
  readonly extraHeaders: string[] = []
  /** The rate limit headers of the caller; undefined if the request did not count. */
  rateHeaders: readonly string[] | undefined
  /** How caches may store the response. Default: not at all. */
  cacheControl: string | undefined
  /** The fault rule that changes the response. */
  fault: string | undefined
  /** Set by a fault rule: only half of the body is sent. */
  truncates = false
  /** Set by a fault rule: the request is applied although its client may have disconnected. */
  isLate = false
  continueEvents: ContinueEvents | undefined
  readonly connection: Connection
  #isWorking = false
  #counted: Counted[] = []

  constructor(request: IncomingMessage, response: ServerResponse, connection: Connection) {
    this.request = request
    this.response = response
    this.connection = connection
    const url = originForm(request.url ?? '/')
    const mark = url.indexOf('?')
    this.path = mark < 0 ? url : url.slice(0, mark)
    this.loggedPath = loggedPathOf(this.path)
    this.query = mark < 0 ? '' : url.slice(mark + 1)
  }

  /** Counts the request until its response is written. */
  countIn(requests: Counted): void {
    this.#counted.push(requests)
    requests.begin()
  }

  /** The rest of the response is an event stream, which has no end. */
  uncount(): void {
    for (const requests of this.#counted.splice(0)) requests.end()
  }

  /** Marks that the handler begins. */
  work(): void {
    this.#isWorking = true
    this.connection.working += 1
  }

  /** Ends the exchange after its response of `bytes` is sent. */
  endAfterResponse(bytes: number): void {
    this.#stopWork()
    this.connection.endAfter(this.response, bytes)
  }

  /** Ends the exchange now. */
  end(): void {
    this.#stopWork()
    this.connection.end()
  }

  #stopWork(): void {
    this.uncount()
    if (this.#isWorking) this.connection.working -= 1
    this.#isWorking = false
  }
}

const JSON_TYPE = 'application/json'

/** Sends the output of a handler in the format that the operation declares. */
export function sendOutput(
  services: Services,
  exchange: Exchange,
  operation: Operation,
  output: unknown,
): void {
  if (output instanceof EventStream)
    sendStream(services, exchange, output.continuedBy(exchange.continueEvents))
  else if (output instanceof FileStream) sendFile(services, exchange, operation, output)
  else if (output instanceof Page) {
    exchange.cacheControl = output.cacheControl
    send(services, exchange, output.status, output.body, operation.raw, output.headers)
  } else if (operation.raw !== undefined)
    send(services, exchange, operation.status, output as string | Uint8Array, operation.raw)
  else if (output === undefined) send(services, exchange, operation.status, undefined)
  else if (output instanceof Prebuilt) {
    send(services, exchange, operation.status, output.body, output.type)
    if (output instanceof PrebuiltOnce) output.freeOnceSent(exchange)
  } else send(services, exchange, operation.status, JSON.stringify(output))
}

/** Writes the headers of an event stream and its log line, then runs the stream. */
export function sendStream(services: Services, exchange: Exchange, stream: EventStream): void {
  const { response, requestId, context } = exchange
  // The connection cannot carry another request.
  const headers = ['Content-Type', 'text/event-stream', 'Connection', 'close']
  response.writeHead(200, withCommonHeaders(services, exchange, headers))
  response.flushHeaders()
  exchange.uncount()
  note(services, exchange, 200)
  if (exchange.request.method === 'HEAD') {
    response.end()
    return exchange.end()
  }
  if (exchange.truncates) {
    exchange.request.socket.destroy()
    return exchange.end()
  }
  const failed = (error: unknown) =>
    services.log.warn('event stream ended early', { request: requestId, error: String(error) })
  const ending = new AbortController()
  const unregister = registerConnection(services, context, ending)
  void services.eventStreams.run(stream, response, failed, ending, streamOwners(context?.caller)).then(() => {
    unregister()
    exchange.end()
  })
}

/** Writes the headers of a file and its log line, then the file. */
function sendFile(services: Services, exchange: Exchange, operation: Operation, file: FileStream): void {
  const { response, requestId, request } = exchange
  const disposition = `attachment; filename="${file.name}"`
  const headers = ['Content-Type', operation.raw!, 'Content-Disposition', disposition]
  response.writeHead(operation.status, withCommonHeaders(services, exchange, headers))
  note(services, exchange, operation.status)
  if (request.method === 'HEAD') {
    response.end()
    return exchange.end()
  }
  const failed = (error: unknown) =>
    services.log.warn('file not sent', { request: requestId, error: String(error) })
  const { responseReadTimeoutMs } = services.limits
  void writeFile(exchange, file, responseReadTimeoutMs, failed).then(() => exchange.end())
}

/** Registers the stream so that it ends when its credential is revoked. Returns the function that unregisters it. */
function registerConnection(
  { worlds: { connections } }: Services,
  context: Context | undefined,
  ending: AbortController,
) {
  const caller = context?.caller
  if (!caller) return () => undefined
  const connection = { close: () => ending.abort() }
  connections.add(connection, caller)
  return () => connections.remove(connection, caller)
}

/** Writes a complete response and its log line. Throws for GET when too many responses are unread. */
export function send(
  services: Services,
  exchange: Exchange,
  status: number,
  body: string | Uint8Array | undefined,
  type: string = JSON_TYPE,
  extra: readonly string[] = [],
): void {
  const { response } = exchange
  const bytes = body === undefined ? 0 : Buffer.byteLength(body)
  if (!services.unsent.hasRoomFor(bytes) && exchange.request.method === 'GET') throw unreadResponses()
  const headers = body === undefined ? [] : ['Content-Type', type, 'Content-Length', String(bytes)]
  withCommonHeaders(services, exchange, headers)
  if (extra.length > 0) headers.push(...extra)
  const isLast = leavesBody(services, exchange) || isEnding(services.serverState, exchange.request)
  if (isLast) headers.push('Connection', 'close')
  // Before the response ends, so that Node finds the request complete and adds no listener.
  finishBody(exchange.request)
  response.writeHead(status, headers)
  if (exchange.truncates) return sendHalf(services, exchange, body)
  // Text with as many bytes as characters is ASCII, and latin1 copies it without encoding.
  if (typeof body === 'string' && bytes === body.length) response.end(body, 'latin1')
  else response.end(body)
  exchange.endAfterResponse(bytes)
  note(services, exchange, status)
}

/** Sends the first half of a body, then closes the connection. Without a body nothing is sent at all. */
function sendHalf(services: Services, exchange: Exchange, body: string | Uint8Array | undefined): void {
  const { response, request } = exchange
  const bytes = Buffer.from(body ?? '')
  if (bytes.length === 0) request.socket.destroy()
  else response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy())
  exchange.end()
  note(services, exchange, 'dropped')
}

/** Adds the headers of every response. */
function withCommonHeaders(services: Services, exchange: Exchange, headers: string[]): string[] {
  const { request, requestId, context, extraHeaders } = exchange
  const url = requestUrl(request, services)
  headers.push('X-Request-ID', requestId, ...securityHeaders({ url }, exchange.cacheControl))
  headers.push(...(exchange.rateHeaders ?? uncountedHeaders(services.limits.rateLimit)))
  if (context !== undefined) worldHeaders(headers, context, services.version)
  if (extraHeaders.length > 0) headers.push(...extraHeaders)
  return headers
}

function worldHeaders(headers: string[], { world, seq, headers: added }: Context, version: string): void {
  if (world !== undefined) headers.push('X-Quipu-World', world.id, 'X-Quipu-Version', version)
  if (seq !== undefined) headers.push('X-Quipu-Seq', String(seq))
  if (added.length > 0) headers.push(...added)
}

/** Ends an exchange without a response: the client disconnected, or the outcome is unknown. */
export function drop(services: Services, exchange: Exchange): void {
  exchange.end()
  note(services, exchange, 'dropped')
}

/** Logs one line per request, without query and error message, because both may contain secrets. */
function note(services: Services, exchange: Exchange, status: number | 'dropped'): void {
  const { log, metrics, requests } = services
  const took = performance.now() - exchange.startedMs
  metrics.responded(exchange.operation, status, took)
  const world = exchange.context?.world
  const ms = Math.round(took * 100) / 100
  const logged = loggedRequest(services, exchange, status === 'dropped' ? undefined : status, ms)
  // Files of the dashboard would fill the log that it shows.
  if (exchange.operation !== 'web') requests.add(world, logged)
  if (!log.isOn('info')) return
  const { method, path, address, keyId: key, requestId: request, code, reason } = logged
  const facts = { status, ms, address, key, world: world?.id, request, code, reason }
  log.info(`${method} ${path}`, { ...facts, ...traceOf(exchange.request.headers) })
}

/** Programs name themselves in a few words; a header may be much longer. */
const AGENT_MAX = 200

function loggedRequest(
  { limits, trustProxy }: Services,
  exchange: Exchange,
  status: number | undefined,
  ms: number,
): LoggedRequest {
  const { context, refusal, request } = exchange
  const caller = context?.caller
  const operation: Operation | undefined = operations[exchange.operation as OperationName]
  const { requestLogTextMax: max } = limits
  return {
    requestId: exchange.requestId,
    atMs: performance.timeOrigin + exchange.startedMs,
    ms,
    method: exchange.request.method ?? '',
    path: exchange.loggedPath,
    operation: exchange.operation,
    status,
    code: typeof refusal?.code === 'number' ? refusal.code : undefined,
    reason: typeof refusal?.reason === 'string' ? refusal.reason : undefined,
    keyId: exchange.credentialId,
    accountId: caller?.kind === 'account' ? caller.accountId : undefined,
    seq: context?.seq,
    fault: exchange.fault,
    query: operation && loggedQuery(operation, exchange.query, max),
    body: operation && loggedBody(operation, context?.body, exchange.bodyBytes, max),
    address: plainAddress(clientAddress(request, trustProxy)),
    agent: request.headers['user-agent']?.slice(0, AGENT_MAX),
  }
}
