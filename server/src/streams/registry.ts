import type { Caller } from '@quipu/broker/access/caller.ts'
import type { SocketInfo, SocketSource } from '../http/connection/open-sockets.ts'
import { type Metrics, metricLabel } from '../http/metrics/metrics.ts'
import type { Services } from '../http/services.ts'
import { meetFaults } from './faults.ts'
import type { StreamSocket } from './socket.ts'

/** All open connections, with the counts that the limits need. */
export class Registry {
  readonly #limits: Services['limits']
  readonly #sockets = new Set<StreamSocket>()
  readonly #unauthenticated = new Set<StreamSocket>()
  readonly #unauthenticatedBy = new Counts()
  readonly #slotsTaken = new Counts()

  constructor(limits: Services['limits']) {
    this.#limits = limits
  }

  /** Whether the limits allow one more unauthenticated connection. */
  canAccept(address: string): boolean {
    return (
      this.#sockets.size < this.#limits.connectionsMax &&
      this.#unauthenticated.size < this.#limits.unauthenticatedMax &&
      this.#unauthenticatedBy.of(address) < this.#limits.unauthenticatedPerAddressMax
    )
  }

  add(socket: StreamSocket): void {
    this.#sockets.add(socket)
    this.#unauthenticated.add(socket)
    this.#unauthenticatedBy.add(socket.client.address)
  }

  /** Takes a slot of the credential on the endpoint; false if none is free. Older connections are not closed. */
  enter(socket: StreamSocket, caller: Caller): boolean {
    const slot = slotOf(socket, caller)
    if (this.#slotsTaken.of(slot) >= this.#limits.streamsMax) return false
    this.#slotsTaken.add(slot)
    this.authenticated(socket)
    return true
  }

  remove(socket: StreamSocket): void {
    if (!this.#sockets.delete(socket)) return
    this.authenticated(socket)
  }

  /** Another node has authenticated the connection and counts it. */
  authenticated(socket: StreamSocket): void {
    if (this.#unauthenticated.delete(socket)) this.#unauthenticatedBy.remove(socket.client.address)
  }

  /** Releases the slot of the credential. */
  exit(socket: StreamSocket, caller: Caller): void {
    this.#slotsTaken.remove(slotOf(socket, caller))
  }

  all(): Iterable<StreamSocket> {
    return this.#sockets
  }

  /** Without the connections that another node lists. */
  *listed(): Iterable<StreamSocket> {
    for (const socket of this.#sockets) if (socket.caller || this.#unauthenticated.has(socket)) yield socket
  }

  get size(): number {
    return this.#sockets.size
  }

  get unauthenticated(): number {
    return this.#unauthenticated.size
  }
}

const slotOf = ({ client }: StreamSocket, caller: Caller): string => `${client.endpoint} ${holderOf(caller)}`

/** The owner of slots: all apps of an account share them, and all pages of a browser session. */
function holderOf(caller: Caller): string {
  if (caller.session) return caller.session.id
  if (caller.foreign?.session) return caller.foreign.session
  return caller.kind === 'account' && caller.grantId ? `apps of ${caller.accountId}` : caller.credentialId
}

/** A count per name; names with zero are removed. */
class Counts {
  readonly #counts = new Map<string, number>()

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  add(name: string): void {
    this.#counts.set(name, this.of(name) + 1)
  }

  remove(name: string): void {
    const count = this.of(name) - 1
    if (count > 0) this.#counts.set(name, count)
    else this.#counts.delete(name)
  }
}

/** The open streams for operators. */
export const socketSource = (registry: Registry): SocketSource => ({
  *all() {
    for (const socket of registry.listed()) yield infoOf(socket)
  },
  close(id) {
    for (const socket of registry.all()) {
      if (socket.client.id !== id) continue
      socket.close('byOperator')
      return true
    }
    return false
  },
  meetFault(world, rule) {
    for (const socket of registry.all()) if (socket.caller?.world === world) meetFaults(socket, rule)
  },
})

function infoOf({ client, connection, caller, sent, subscriptions }: StreamSocket): SocketInfo {
  const { id, endpoint, address, openedMs } = client
  const { outbox } = connection
  return {
    id,
    endpoint,
    world: caller?.world,
    keyId: caller?.credentialId,
    accountId: caller?.kind === 'account' ? caller.accountId : undefined,
    address,
    openedMs,
    subscriptions,
    sentMessages: sent,
    sentBytes: outbox.sentBytes,
    waitingBytes: outbox.bytes,
    lagMs: outbox.lagMs,
  }
}

export type StreamStats = {
  /** Connections by endpoint. */
  readonly open: Readonly<Record<string, number>>
  readonly unauthenticated: number
  /** Unsent bytes of all clients. */
  readonly bufferedBytes: number
  readonly slowClients: number
}

export function watchStreams(metrics: Metrics, stats: () => StreamStats): void {
  metrics.observe('quipu_streams', 'gauge', 'Open streams.', () =>
    Object.entries(stats().open).map(([endpoint, count]) => [metricLabel('endpoint', endpoint), count]),
  )
  const value = (read: (stats: StreamStats) => number) => () => [['', read(stats())]] as const
  metrics.observe(
    'quipu_streams_unauthenticated',
    'gauge',
    'Open streams that have not authenticated.',
    value(({ unauthenticated }) => unauthenticated),
  )
  metrics.observe(
    'quipu_streams_buffered_bytes',
    'gauge',
    'Unsent bytes of all streams.',
    value(({ bufferedBytes }) => bufferedBytes),
  )
  metrics.observe(
    'quipu_slow_clients_total',
    'counter',
    'Streams closed because the client read too slowly.',
    value(({ slowClients }) => slowClients),
  )
}
