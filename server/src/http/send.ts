import { plainAddress } from '@quipu/broker/access/addresses.ts'
import { streamOwners } from '@quipu/broker/access/caller.ts'
import { uncountedHeaders } from '@quipu/broker/access/rate-limits.ts'
import { type Operation, operationNamed } from '@quipu/contract'
import { missing } from '@quipu/core/values'
import { finishBody } from './body/body.ts'
import { leavesBody } from './body/body-budget.ts'
import { clientAddress } from './connection/client-address.ts'
import { isEnding, requestUrl } from './connection/host.ts'
import { securityHeaders } from './connection/security-headers.ts'
import type { Context } from './context.ts'
import type { EventStream } from './event-stream.ts'
import type { Exchange } from './exchange.ts'
import { type FileStream, writeFile } from './file-stream.ts'
import { loggedBody, loggedPathOf, loggedQuery, traceOf } from './logged-text.ts'
import { clientKindOf, type RequestEntry } from './request-log.ts'
import type { Services } from './services.ts'
import { unreadResponses } from './unsent.ts'

const JSON_TYPE = 'application/json'

/** Writes the headers of an event stream and its log line, then runs the stream. */
export function sendStream(services: Services, exchange: Exchange, stream: EventStream): void {
  const { response, requestId, context } = exchange
  // The connection cannot carry another request.
  const headers = ['Content-Type', 'text/event-stream', 'Connection', 'close']
  response.writeHead(200, withCommonHeaders(services, exchange, headers))
  response.flushHeaders()
  exchange.progress.uncount()
  note(services, exchange, 200)
  if (exchange.request.method === 'HEAD') {
    response.end()
    return exchange.progress.end()
  }
  if (exchange.fault?.truncates) {
    exchange.request.socket.destroy()
    return exchange.progress.end()
  }
  const failed = (error: unknown) =>
    services.log.warn('event stream ended early', { request: requestId, error: String(error) })
  const ending = new AbortController()
  const unregister = registerConnection(services, context, ending)
  void services.connections.eventStreams
    .run(stream, response, failed, ending, streamOwners(context?.caller))
    .then(() => {
      unregister()
      exchange.progress.end()
    })
}

/** Writes the headers of a file and its log line, then the file. */
export function sendFile(
  services: Services,
  exchange: Exchange,
  operation: Operation,
  file: FileStream,
): void {
  const { response, requestId, request } = exchange
  const disposition = `attachment; filename="${file.name}"`
  const headers = [
    'Content-Type',
    operation.raw ?? missing('the type of a file'),
    'Content-Disposition',
    disposition,
  ]
  response.writeHead(operation.status, withCommonHeaders(services, exchange, headers))
  note(services, exchange, operation.status)
  if (request.method === 'HEAD') {
    response.end()
    return exchange.progress.end()
  }
  const failed = (error: unknown) =>
    services.log.warn('file not sent', { request: requestId, error: String(error) })
  const { responseReadTimeoutMs } = services.limits
  void writeFile(exchange, file, responseReadTimeoutMs, failed).then(() => exchange.progress.end())
}

/** Registers the stream so that it ends when its credential is revoked. Returns the function that unregisters it. */
function registerConnection(
  {
    worlds: {
      access: { connections },
    },
  }: Services,
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
export function sendResponse(
  services: Services,
  exchange: Exchange,
  status: number,
  body: string | Uint8Array | undefined,
  type: string = JSON_TYPE,
  extra: readonly string[] = [],
): void {
  const { response } = exchange
  const bytes = body === undefined ? 0 : Buffer.byteLength(body)
  if (!services.connections.unsent.hasRoomFor(bytes) && exchange.request.method === 'GET')
    throw unreadResponses()
  const headers = body === undefined ? [] : ['Content-Type', type, 'Content-Length', String(bytes)]
  withCommonHeaders(services, exchange, headers)
  if (extra.length > 0) headers.push(...extra)
  const isLast = leavesBody(services, exchange) || isEnding(services.serverState, exchange.request)
  if (isLast) headers.push('Connection', 'close')
  // Before the response ends, so that Node finds the request complete and adds no listener.
  finishBody(exchange.request)
  response.writeHead(status, headers)
  if (exchange.fault?.truncates) return sendHalf(services, exchange, body)
  // Text with as many bytes as characters is ASCII, and latin1 copies it without encoding.
  if (typeof body === 'string' && bytes === body.length) response.end(body, 'latin1')
  else response.end(body)
  exchange.progress.end(bytes)
  note(services, exchange, status)
}

/** Sends the first half of a body, then closes the connection. Without a body nothing is sent at all. */
function sendHalf(services: Services, exchange: Exchange, body: string | Uint8Array | undefined): void {
  const { response, request } = exchange
  const bytes = Buffer.from(body ?? '')
  if (bytes.length === 0) request.socket.destroy()
  else response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy())
  exchange.progress.end()
  note(services, exchange, 'dropped')
}

/** Adds the headers of every response. */
function withCommonHeaders(services: Services, exchange: Exchange, headers: string[]): string[] {
  const { request, requestId, context, draft } = exchange
  const url = requestUrl(request, services)
  headers.push('X-Request-ID', requestId, ...securityHeaders({ url }, draft.cacheControl))
  headers.push(...(draft.rateHeaders ?? uncountedHeaders(services.limits.rateLimit)))
  if (context !== undefined) worldHeaders(headers, context, services.serverState.version)
  if (draft.headers.length > 0) headers.push(...draft.headers)
  return headers
}

function worldHeaders(
  headers: string[],
  { state: { world, seq }, headers: added }: Context,
  version: string,
): void {
  if (world !== undefined) headers.push('X-Quipu-World', world.id, 'X-Quipu-Version', version)
  if (seq !== undefined) headers.push('X-Quipu-Seq', String(seq))
  if (added.length > 0) headers.push(...added)
}

/** Ends an exchange without a response: the client disconnected, or the outcome is unknown. */
export function drop(services: Services, exchange: Exchange): void {
  exchange.progress.end()
  note(services, exchange, 'dropped')
}

/** Logs one line per request, without query and error message, because both may contain secrets. */
function note(services: Services, exchange: Exchange, status: number | 'dropped'): void {
  const { log, monitoring } = services
  const took = performance.now() - exchange.startedMs
  monitoring.metrics.responded(exchange.operation, status, took)
  const world = exchange.context?.state.world
  const ms = Math.round(took * 100) / 100
  const logged = loggedRequest(services, exchange, status === 'dropped' ? undefined : status, ms)
  // Files of the dashboard would fill the log that it shows.
  if (exchange.operation !== 'web') monitoring.requests.add(world, logged)
  if (!log.isOn('info')) return
  const { method, path, address, keyId: key, requestId: request, code, reason } = logged
  const facts = { status, ms, address, key, world: world?.id, request, code, reason }
  log.info(`${method} ${path}`, { ...facts, ...traceOf(exchange.request.headers) })
}

/** Programs name themselves in a few words; a header may be much longer. */
const AGENT_MAX = 200

function loggedRequest(
  { limits, settings }: Services,
  exchange: Exchange,
  status: number | undefined,
  ms: number,
): RequestEntry {
  const { context, request } = exchange
  const { refusal } = exchange.draft
  const caller = context?.caller
  const operation = operationNamed(exchange.operation)
  const { requestLogTextMax: max } = limits
  return {
    requestId: exchange.requestId,
    atMs: performance.timeOrigin + exchange.startedMs,
    ms,
    method: exchange.request.method ?? '',
    path: loggedPathOf(exchange.url.path),
    operation: exchange.operation,
    status,
    code: typeof refusal?.code === 'number' ? refusal.code : undefined,
    reason: typeof refusal?.reason === 'string' ? refusal.reason : undefined,
    keyId: caller?.credentialId,
    accountId: caller?.kind === 'account' ? caller.accountId : undefined,
    seq: context?.state.seq,
    fault: exchange.fault?.id,
    query: operation && loggedQuery(operation, exchange.url.query, max),
    body: operation && loggedBody(operation, context?.body, exchange.body?.length ?? 0, max),
    address: plainAddress(clientAddress(request, settings.trustProxy)),
    agent: request.headers['user-agent']?.slice(0, AGENT_MAX),
    source: clientKindOf(caller, request.headers),
  }
}
