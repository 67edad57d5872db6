import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Caller } from '@quipu/broker/access/caller.ts'
import { actorOf } from '@quipu/broker/access/caller.ts'
import { recordUse } from '@quipu/broker/access/key-uses.ts'
import { Cause } from '@quipu/broker/journal/cause.ts'
import type { Upstream } from '@quipu/broker/market/upstream/upstream.ts'
import { participantHeader, participantPath, tradeUpdatesPath } from '@quipu/contract'
import type { WorldId } from '@quipu/core'
import { WebSocketServer } from 'ws'
import { clientAddress, clientFacts } from '../http/connection/client-address.ts'
import { flavourOf, requestUrl } from '../http/connection/host.ts'
import { pathsToStreams } from '../http/connection/open-sockets.ts'
import { asLines, securityHeaders } from '../http/connection/security-headers.ts'
import { nextRequestId } from '../http/exchange.ts'
import { listsFor, nameSymbols, noteUnknown } from '../http/first-use.ts'
import { type Forwarded, forwardedOf } from '../http/forwarding/peer.ts'
import { peerIndex } from '../http/forwarding/peer-caller.ts'
import { isProviderPath } from '../http/forwarding/provider-streams.ts'
import { peerRefusal } from '../http/forwarding/route.ts'
import { hintAtKey } from '../http/hints.ts'
import { refuseRaw } from '../http/raw-response.ts'
import type { Services } from '../http/services.ts'
import type { Reason } from '../wire/refusal.ts'
import { acknowledges, feeds, frameCodecOf, streamEndpoint } from './handshake.ts'
import { Hubs } from './hubs.ts'
import { MarketDataSession } from './market-data.ts'
import { FlushTick } from './outbox.ts'
import { ParticipantSession } from './participant-session.ts'
import { Registry, type StreamStats, socketSource, watchStreams } from './registry.ts'
import { ClusterSession, handshakeOf } from './relay/cluster-session.ts'
import { ProviderRelay } from './relay/provider-relay.ts'
import type { Session } from './session.ts'
import { StreamSocket } from './socket.ts'
import { TradeUpdatesSession } from './trade-updates.ts'

export type { StreamStats } from './registry.ts'

export type RunningStreams = {
  /** For the `upgrade` event of an HTTP server. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  readonly stats: () => StreamStats
  /** Closes all streams and resolves when all clients have disconnected. */
  readonly close: () => Promise<void>
}

type StreamServices = Pick<
  Services,
  | 'serverState'
  | 'settings'
  | 'limits'
  | 'worlds'
  | 'cluster'
  | 'security'
  | 'connections'
  | 'monitoring'
  | 'log'
>

/** Opens both streams: `/stream` and the market-data endpoints. */
export function openStreams(services: StreamServices, upstream?: Upstream): RunningStreams {
  const server = new StreamServer(services, upstream)
  return {
    upgrade: (request, socket, head) => server.upgrade(request, socket, head),
    stats: () => server.stats(),
    close: () => server.close(),
  }
}

class StreamServer {
  readonly #services: StreamServices
  readonly #registry: Registry
  readonly #hubs: Hubs
  readonly #tick = new FlushTick()
  readonly #handshakes: WebSocketServer
  readonly #pingTimer: NodeJS.Timeout
  readonly #providerRelay: ProviderRelay | undefined
  #slowClients = 0
  #accepted = 0
  #onAllClosed: (() => void) | undefined

  constructor(services: StreamServices, upstream: Upstream | undefined) {
    const { limits, cluster } = services
    this.#services = services
    this.#registry = new Registry(limits)
    this.#hubs = new Hubs({ drainTimeoutMs: limits.drainTimeoutMs, failed: this.#failed })
    this.#handshakes = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: limits.frameMaxBytes,
      maxFragments: limits.fragmentsMax,
    })
    this.#handshakes.on('wsClientError', (_, socket, request) =>
      this.#decline(request, socket, { code: 'badRequest' }),
    )
    this.#handshakes.on('headers', (lines, request) =>
      lines.push(...asLines(securityHeaders({ url: requestUrl(request, services) }))),
    )
    this.#providerRelay = cluster && upstream && new ProviderRelay(cluster, upstream)
    this.#pingTimer = setInterval(() => this.#ping(), limits.pingIntervalMs).unref()
    watchStreams(services.monitoring.metrics, () => this.stats())
    services.connections.sockets.register(socketSource(this.#registry))
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const endpoint = streamEndpoint(request.url)
    const { cluster } = this.#services
    if (this.#providerRelay && isProviderPath(endpoint)) {
      const declined = this.#providerRelay.accept(request, socket, head, endpoint)
      return declined && this.#decline(request, socket, declined)
    }
    const refusal = cluster && peerRefusal(cluster, request)
    if (refusal) return this.#decline(request, socket, refusal)
    const isStream =
      endpoint === tradeUpdatesPath ||
      pathsToStreams.has(endpoint) ||
      (endpoint === participantPath && this.#services.settings.sim)
    if (!isStream) this.#decline(request, socket, { code: 'endpointNotFound' })
    else if (this.#onAllClosed) this.#decline(request, socket, { code: 'shuttingDown' })
    // Not a 4xx, because some clients would not reconnect.
    else if (!this.#registry.canAccept(clientAddress(request, this.#services.settings.trustProxy)))
      this.#decline(request, socket, { code: 'notReady', problem: 'too many streams' })
    else this.#accept(request, socket, head, endpoint)
  }

  stats(): StreamStats {
    const open: Record<string, number> = {}
    let bufferedBytes = 0
    for (const { client, connection } of this.#registry.all()) {
      open[client.endpoint] = (open[client.endpoint] ?? 0) + 1
      bufferedBytes += connection.outbox.bytes
    }
    const { unauthenticated } = this.#registry
    return { open, unauthenticated, bufferedBytes, slowClients: this.#slowClients }
  }

  async close(): Promise<void> {
    clearInterval(this.#pingTimer)
    this.#providerRelay?.close()
    const allClosed = new Promise<void>((resolve) => {
      this.#onAllClosed = resolve
    })
    for (const socket of this.#registry.all()) socket.close('goingAway')
    if (this.#registry.size > 0) await allClosed
  }

  #decline(request: IncomingMessage, socket: Duplex, reason: Reason): void {
    refuseRaw(this.#services, socket, { request, reason })
  }

  #accept(request: IncomingMessage, raw: Duplex, head: Buffer, endpoint: string): void {
    const [participant, participantStream = ''] = `${request.headers[participantHeader] ?? ''}`.split(' ')
    this.#handshakes.handleUpgrade(request, raw, head, (ws) => {
      const socket: StreamSocket = new StreamSocket({
        client: {
          id: `${++this.#accepted}`,
          openedMs: Date.now(),
          endpoint,
          address: clientAddress(request, this.#services.settings.trustProxy),
          codec: frameCodecOf(request, endpoint),
          acknowledges: acknowledges(request),
          participant: this.#hubs.participant(participant),
          participantStream,
        },
        ws,
        socket: raw,
        relayedWorld: forwardedOf(request)?.world as WorldId | undefined,
        isHeld: this.#isHeld,
        limits: this.#services.limits,
        failedAttempts: this.#services.security.failedAttempts,
        tick: this.#tick,
        enter: this.#enter,
        exit: this.#exit,
        leave: this.#leave,
        countSlow: this.#slow,
        failed: this.#failed,
      })
      this.#services.log.info(`GET ${endpoint}`, {
        status: 101,
        ...clientFacts(request, this.#services.settings),
      })
      this.#registry.add(socket)
      socket.start(this.#sessionFor(socket, request), request.headers)
    })
  }

  #sessionFor(socket: StreamSocket, request: IncomingMessage): Session {
    const { cluster, worlds } = this.#services
    const forwarded = forwardedOf(request)
    const session = this.#localSession(socket, request, forwarded)
    if (!cluster || forwarded?.operator || forwarded?.account) return session
    const peer = forwarded && (forwarded.stream ?? {})
    const handshake = handshakeOf(request, this.#services)
    const authenticated = this.#authenticated
    return new ClusterSession({ socket, session, cluster, worlds, peer, handshake, authenticated })
  }

  #localSession(
    socket: StreamSocket,
    { headers }: IncomingMessage,
    forwarded: Forwarded | undefined,
  ): Session {
    const credentials = peerIndex(this.#services, forwarded) ?? this.#services.security.credentials
    const flavour = flavourOf(headers.host)
    const parts = { socket, credentials, flavour, hubs: this.#hubs, unknownKey: this.#unknownKey }
    if (socket.client.endpoint === participantPath) return new ParticipantSession(parts)
    const stream = pathsToStreams.get(socket.client.endpoint)
    if (!stream) return new TradeUpdatesSession({ ...parts, peer: forwarded?.stream, failed: this.#failed })
    const { sim: hasMagicSymbols } = this.#services.settings
    const { symbolsMax } = this.#services.limits
    const ofStream = { stream, symbolsMax, hasMagicSymbols, feed: feeds[stream.path] }
    return new MarketDataSession({ ...parts, ...ofStream, nameSymbols: this.#nameSymbols })
  }

  // Shared by all sockets: closures created per socket would keep its request in memory until it closes.
  readonly #isHeld = (world: WorldId): boolean => this.#services.cluster?.locations.isHere(world) === true

  readonly #enter = (socket: StreamSocket, caller: Caller): boolean => {
    if (!this.#registry.enter(socket, caller)) return false
    this.#hubs.enter(caller.world, socket)
    this.#services.worlds.access.connections.add(socket, caller)
    recordUse(caller, this.#services.worlds.access.keyUses, () => this.#causeOf(socket, caller))
    return true
  }

  #causeOf({ client: { address } }: StreamSocket, caller: Caller): Cause {
    const { addresses } = this.#services.worlds.access
    return new Cause({
      requestId: nextRequestId(),
      operation: 'openStream',
      actor: () => actorOf(caller),
      from: () => addresses.refOf(address),
    })
  }

  readonly #authenticated = (socket: StreamSocket): void => this.#registry.authenticated(socket)

  readonly #exit = (socket: StreamSocket, caller: Caller): void => {
    this.#registry.exit(socket, caller)
    this.#hubs.leave(caller.world, socket)
    this.#services.worlds.access.connections.remove(socket, caller)
  }

  readonly #leave = (socket: StreamSocket): void => {
    this.#registry.remove(socket)
    if (socket.caller) this.#exit(socket, socket.caller)
    if (this.#registry.size === 0) this.#onAllClosed?.()
  }

  readonly #slow = (): void => {
    this.#slowClients += 1
  }

  #ping(): void {
    for (const socket of this.#registry.all()) socket.ping()
  }

  readonly #nameSymbols = (socket: StreamSocket, symbols: readonly string[]): void => {
    const { caller } = socket
    if (!caller) return
    const { world } = caller
    if (listsFor(world, caller))
      nameSymbols(this.#services, world, symbols, this.#causeOf(socket, caller))?.catch(this.#failed)
    noteUnknown(this.#services, world, symbols)
  }

  readonly #unknownKey = (keyId: string): void => hintAtKey(this.#services, keyId)

  readonly #failed = (error: unknown): void => {
    this.#services.log.error('stream failed', { error: String(error) })
  }
}
