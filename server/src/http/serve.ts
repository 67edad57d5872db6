import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { clockBehindSeconds } from '@quipu/broker/clock/watch.ts'
import type { Worlds } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { Handlers } from '@quipu/contract'
import type { Reason } from '../wire/refusal.ts'
import { Connections } from './connection/connections.ts'
import { hasSeveralHosts, makeHostGuard } from './connection/host.ts'
import { isCrossSite } from './connection/origin.ts'
import type { Context } from './context.ts'
import { PEER_HEADERS_BYTES } from './forwarding/peer.ts'
import { hintAtBytes } from './hints.ts'
import { type Metrics, metricLabel, type Sample } from './metrics/metrics.ts'
import { makeResponder, type Responder } from './pipeline.ts'
import { answerRaw, refuseRaw } from './raw-response.ts'
import type { Services } from './services.ts'

/** The address on which the server listens; port 0 is any free port. */
export type Binding = {
  readonly host: string
  readonly port: number
  /** PEM. Enables https. */
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer }
  /** The URL for clients, if it differs from the listening address. */
  readonly publicUrl?: string
}

/** Handles a WebSocket upgrade, after the checks of Host and server phase. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export type Serving = {
  readonly server: Server
  readonly port: number
  /** The server's own address. */
  readonly url: string
  /** Refuses new requests, waits up to stopGraceMs for running ones, and closes every connection. */
  stop(): Promise<void>
}

const CHECK_EVERY_MS = 500

export async function serve(
  services: Services,
  handlers: Handlers<Context>,
  binding: Binding,
  upgrade?: Upgrade,
): Promise<Serving> {
  const connections = new Connections(services.limits.connectionRequestsMax, services.connections.unsent)
  const isServed = makeHostGuard(binding)
  const server = makeServer(services, binding, upgrade !== undefined)
  server.maxConnections = services.limits.connectionsMax
  server.timeout = services.limits.responseReadTimeoutMs
  // Node reports every idle connection. Handlers may take longer, and incoming requests have their own timeout.
  server.on('timeout', (socket) => {
    if (connections.isWaitingForClient(socket)) socket.destroy()
  })
  server.on('connection', (socket) => connections.add(socket))
  answerRequests(services, server, makeResponder(services, handlers, isServed), connections)
  if (upgrade)
    server.on('upgrade', (request, socket, head) => {
      const reason = upgradeRefusal(services, isServed, request)
      if (reason) refuseRaw(services, socket, { request, reason })
      else {
        connections.of(socket).reading.upgrade()
        upgrade(request, socket, head)
      }
    })
  watchClientErrors(services, server, connections)
  watchGauges(services, connections)

  server.listen({ port: binding.port, host: bare(binding.host) })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  services.serverState.url = urlOf(binding, port)
  if (binding.publicUrl !== undefined) services.serverState.publicUrl = binding.publicUrl
  return {
    server,
    port,
    url: services.serverState.url,
    stop: () => stop(services, server, connections),
  }
}

function makeServer({ limits, cluster }: Services, { tls }: Binding, takesUpgrades: boolean): Server {
  const options = {
    maxHeaderSize: limits.headerMaxBytes + (cluster ? PEER_HEADERS_BYTES : 0),
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    // A client counts from the last byte that it read, which may wait in the network for this time. The connection must
    // stay open for the full time of the Keep-Alive header.
    keepAliveTimeoutBuffer: limits.responseReadTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, limits.headersTimeoutMs),
    // Node's response to a missing Host has no body; ours is JSON.
    requireHostHeader: false,
    noDelay: true,
    // Node creates no stream for a request without a body.
    optimizeEmptyRequests: true,
    // Ignores other upgrades, such as the h2c of Java's client, and answers over HTTP/1.1.
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
  respond: Responder,
  connections: Connections,
): void {
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = connections.of(request.socket)
    connection.begin(() => respond(request, response, connection))
  }
  server.on('request', onRequest)
  server.on('checkExpectation', onRequest)
  // The body is asked for when it is read: after authentication.
  server.on('checkContinue', onRequest)
  const allowed = 'GET, POST, PUT, PATCH, DELETE'
  const reason: Reason = { code: 'methodNotAllowed', method: 'CONNECT', allowed }
  server.on('connect', (request, socket) => refuseRaw(services, socket, { request, reason }))
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

const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT'
const reasonOf: Readonly<Record<string, Reason>> = {
  HPE_HEADER_OVERFLOW: { code: 'headersTooLarge' },
  [REQUEST_TIMEOUT]: { code: 'requestTimeout' },
}

/** Handles malformed HTTP, slow requests, and connections beyond the limit. */
function watchClientErrors(services: Services, server: Server, connections: Connections): void {
  const { log, monitoring } = services
  server.on('clientError', (error: ClientError, socket) => {
    // While a handler runs, the client would take this error for the handler's response.
    if (error.code === 'ECONNRESET' || !socket.writable || connections.isWorking(socket)) {
      socket.destroy()
      return
    }
    hintAtBytes(log, error.rawPacket)
    const { code: problem = '' } = error
    // A browser opens connections before it needs them. One that sent nothing made no request.
    if (problem === REQUEST_TIMEOUT && connections.isUnused(socket)) {
      answerRaw(services, socket, { code: 'requestTimeout' })
      return
    }
    refuseRaw(services, socket, { reason: reasonOf[problem] ?? { code: 'badRequest' }, problem })
  })
  server.on('tlsClientError', (error: ClientError) => {
    if (error.code === 'ERR_SSL_HTTP_REQUEST')
      log.hint('http on https', 'received http on the https port: use an address that begins with https://')
  })
  server.on('drop', () => {
    monitoring.metrics.count('quipu_connections_dropped_total', 'Connections beyond the limit.')
    log.hint('connections', `the limit of ${services.limits.connectionsMax} connections is reached`)
  })
}

function watchGauges(services: Services, connections: Connections): void {
  const { serverState, worlds, limits } = services
  const { metrics } = services.monitoring
  const { eventStreams, unsent } = services.connections
  watchWorlds(metrics, worlds)
  metrics.observe('quipu_build_info', 'gauge', 'Version of the server.', () => [
    [metricLabel('version', serverState.version), 1],
  ])
  metrics.observe('quipu_limit', 'gauge', 'Limits of the settings, by the metric that they limit.', () => [
    [metricLabel('metric', 'quipu_worlds'), worlds.capacity.max],
    [metricLabel('metric', 'quipu_event_streams'), limits.eventStreamsMax],
    [metricLabel('metric', 'quipu_open_connections'), limits.connectionsMax],
    [metricLabel('metric', 'quipu_unsent_response_bytes'), limits.unsentMaxBytes],
  ])
  metrics.observe('quipu_event_streams', 'gauge', 'Open server-sent event streams.', () => [
    ['', eventStreams.size],
  ])
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

/** Registers the gauges of every world: its journal, query tables and clock. */
function watchWorlds(metrics: Metrics, worlds: Pick<Worlds, 'all'>): void {
  const each = (read: (world: World) => number) => (): readonly Sample[] =>
    worlds
      .all()
      .filter(({ status }) => status.isUp)
      .map((world) => [metricLabel('world', world.id), read(world)])
  metrics.observe('quipu_worlds', 'gauge', 'Worlds of the process.', () => [['', worlds.all().length]])
  metrics.observe(
    'quipu_journal_events_total',
    'counter',
    'Events decided: the number of the last one.',
    each(({ view }) => view.seq),
  )
  metrics.observe(
    'quipu_journal_durable_events_total',
    'counter',
    'Durable events: the number of the last one.',
    each(({ engine }) => engine.durable),
  )
  metrics.observe(
    'quipu_responses_waiting',
    'gauge',
    'Responses that wait for the journal.',
    each(({ engine }) => engine.waiting),
  )
  metrics.observe(
    'quipu_query_tables_lag_events',
    'gauge',
    'Events the query tables are behind. New query tables in memory leave up to 32 unread until a request needs them.',
    each(({ engine, storage }) => engine.durable - storage.queryTables.position()),
  )
  metrics.observe(
    'quipu_clock_behind_seconds',
    'gauge',
    'How far the clock is behind the last event; 0 up to a minute.',
    each(clockBehindSeconds),
  )
}

const bare = (host: string): string => (host.startsWith('[') ? host.slice(1, -1) : host)

function urlOf({ host, tls }: Binding, port: number): string {
  const name = bare(host)
  const hostname = name === '0.0.0.0' || name === '::' ? 'localhost' : name.includes(':') ? `[${name}]` : name
  return `${tls ? 'https' : 'http'}://${hostname}:${port}`
}

async function stop(
  { serverState, limits }: Services,
  server: Server,
  connections: Connections,
): Promise<void> {
  serverState.phase = 'stopping'
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // Does not wait for clients that have sent nothing.
  connections.closeUnused()
  const grace = setTimeout(() => connections.closeAll(), limits.stopGraceMs)
  await closed
  clearTimeout(grace)
}
