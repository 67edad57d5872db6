import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Handlers } from '@quipu/contract'
import type { Reason } from '../wire/refusal.ts'
import { type Answerer, makeAnswerer } from './answer.ts'
import { Connections } from './connections.ts'
import type { Context } from './context.ts'
import { hintAtBytes } from './hints.ts'
import { hasSeveralHosts, makeHostGuard } from './host.ts'
import { isCrossSite } from './origin.ts'
import { answerRaw } from './raw-answer.ts'
import type { Services } from './services.ts'
import { watchWorlds } from './world-gauges.ts'

/** Where the server listens; port 0 is any free one. */
export type Binding = {
  readonly host: string
  readonly port: number
  /** PEM. With it the port speaks https. */
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer }
  /** The address clients use, where it is another than the server's own. */
  readonly publicUrl?: string
}

/** Takes over a connection that asks for WebSocket; Host and phase have been looked at. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export type Serving = {
  readonly server: Server
  readonly port: number
  readonly url: string
  /** Takes no new requests, lets those under way finish within the grace, and closes every connection. */
  stop(): Promise<void>
}

const CHECK_EVERY_MS = 500

export async function serve(
  services: Services,
  handlers: Handlers<Context>,
  binding: Binding,
  upgrade?: Upgrade,
): Promise<Serving> {
  const connections = new Connections(services.limits.connectionRequestsMax, services.unsent)
  const isServed = makeHostGuard(binding)
  const server = makeServer(services, binding, upgrade !== undefined)
  server.maxConnections = services.limits.connectionsMax
  server.timeout = services.limits.responseReadTimeoutMs
  // Node tells of every silence; a handler may take its time, and requests have a deadline of their own.
  server.on('timeout', (socket) => {
    if (connections.isClientsTurn(socket)) socket.destroy()
  })
  server.on('connection', (socket) => connections.add(socket))
  answerRequests(services, server, makeAnswerer(services, handlers, isServed), connections)
  if (upgrade)
    server.on('upgrade', (request, socket, head) => {
      const refusal = upgradeRefusal(services, isServed, request)
      if (refusal) services.requests.noteRaw('GET', '', answerRaw(socket, refusal, services))
      else upgrade(request, socket, head)
    })
  watchTrouble(services, server, connections)
  watchGauges(services, connections)

  await listening(server, binding)
  const { port } = server.address() as AddressInfo
  services.serverState.url = binding.publicUrl ?? urlOf(binding, port)
  if (binding.publicUrl !== undefined) services.serverState.publicUrl = binding.publicUrl
  return {
    server,
    port,
    url: services.serverState.url,
    stop: () => stop(services, server, connections),
  }
}

function makeServer({ limits }: Services, { tls }: Binding, takesUpgrades: boolean): Server {
  const options = {
    maxHeaderSize: limits.headerMaxBytes,
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    // A client counts from the last byte it read, which may lie that long in the network: it must find the connection
    // open for as long as the Keep-Alive header says.
    keepAliveTimeoutBuffer: limits.responseReadTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, limits.headersTimeoutMs),
    // Node would answer a missing Host without a body; ours has one.
    requireHostHeader: false,
    noDelay: true,
    // A request that announces no body is spared the life of a stream.
    optimizeEmptyRequests: true,
    // Other upgrades, such as the h2c of Java's client, are declined by answering as if nobody had asked.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
      takesUpgrades && headers.upgrade?.toLowerCase() === 'websocket',
  }
  return tls
    ? createTlsServer({ ...options, ...tls, handshakeTimeout: limits.headersTimeoutMs })
    : createServer(options)
}

function answerRequests(
  services: Services,
  server: Server,
  answer: Answerer,
  connections: Connections,
): void {
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = connections.of(request.socket)
    connection.begin(() => answer(request, response, connection))
  }
  server.on('request', onRequest)
  server.on('checkExpectation', onRequest)
  server.on('checkContinue', (request, response) => {
    const connection = connections.of(request.socket)
    connection.begin(() => {
      if (Number(request.headers['content-length'] ?? 0) <= services.limits.bodyMaxBytes)
        response.writeContinue()
      answer(request, response, connection)
    })
  })
  const allowed = 'GET, POST, PUT, PATCH, DELETE'
  server.on('connect', (_, socket) =>
    answerRaw(socket, { code: 'methodNotAllowed', method: 'CONNECT', allowed }, services),
  )
}

function upgradeRefusal(
  services: Services,
  isServed: (host: string | undefined) => boolean,
  request: IncomingMessage,
): Reason | undefined {
  const { host } = request.headers
  if (hasSeveralHosts(request)) return { code: 'severalHosts' }
  if (!isServed(host)) return { code: 'hostNotAllowed', host: host ?? '' }
  if (services.serverState.phase === 'stopping') return { code: 'shuttingDown' }
  return isCrossSite(request, services, true) ? { code: 'crossSite' } : undefined
}

type ClientError = Error & { readonly code?: string; readonly rawPacket?: Buffer }

const reasonOf: Readonly<Record<string, Reason>> = {
  HPE_HEADER_OVERFLOW: { code: 'headersTooLarge' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'requestTimeout' },
}

/** Bytes that are no HTTP, requests that come too slowly, and connections beyond the limit. */
function watchTrouble(services: Services, server: Server, connections: Connections): void {
  const { log, metrics } = services
  server.on('clientError', (error: ClientError, socket) => {
    // While a handler works, an answer to the broken bytes would be taken for the handler's.
    if (error.code === 'ECONNRESET' || !socket.writable || connections.isWorking(socket)) {
      socket.destroy()
      return
    }
    hintAtBytes(log, error.rawPacket)
    const answered = answerRaw(socket, reasonOf[error.code ?? ''] ?? { code: 'badRequest' }, services)
    const { status, requestId } = answered
    metrics.responded('none', status, 0)
    services.requests.noteRaw('', '', answered)
    log.info('a request that could not be read', { status, problem: error.code, request: requestId })
  })
  server.on('tlsClientError', (error: ClientError) => {
    if (error.code === 'ERR_SSL_HTTP_REQUEST')
      log.hint('http on https', 'someone spoke http to this https port: use an address that begins https://')
  })
  server.on('drop', () => {
    metrics.count('quipu_connections_dropped_total', 'Connections beyond the limit.')
    log.hint('connections', `the limit of ${services.limits.connectionsMax} connections is reached`)
  })
}

function watchGauges({ metrics, worlds, live, unsent }: Services, connections: Connections): void {
  watchWorlds(metrics, worlds)
  metrics.observe('quipu_event_streams', 'gauge', 'Open server-sent event streams.', () => [['', live.size]])
  metrics.observe('quipu_open_connections', 'gauge', 'Open connections, streams included.', () => [
    ['', connections.size],
  ])
  metrics.observe(
    'quipu_unsent_response_bytes',
    'gauge',
    'Bytes of responses that clients have not read.',
    () => [['', unsent.bytes]],
  )
}

function listening(server: Server, { host, port }: Binding): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host: bare(host) }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

const bare = (host: string): string => (host.startsWith('[') ? host.slice(1, -1) : host)

function urlOf({ host, tls }: Binding, port: number): string {
  const name = bare(host)
  const shown = name === '0.0.0.0' || name === '::' ? 'localhost' : name.includes(':') ? `[${name}]` : name
  return `${tls ? 'https' : 'http'}://${shown}:${port}`
}

async function stop(
  { serverState, limits }: Services,
  server: Server,
  connections: Connections,
): Promise<void> {
  serverState.phase = 'stopping'
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // Who has sent nothing yet is not waited for.
  connections.closeSilent()
  const grace = setTimeout(() => connections.closeAll(), limits.stopGraceMs)
  await closed
  clearTimeout(grace)
}
