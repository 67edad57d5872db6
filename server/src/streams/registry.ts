import type { Caller } from '../access/caller.ts'
import type { StreamLimits } from './limits.ts'
import type { StreamSocket } from './socket.ts'

/** Every open connection, counted by what the limits speak of. */
export class Registry {
  readonly #limits: StreamLimits
  readonly #sockets = new Set<StreamSocket>()
  readonly #unauthenticated = new Set<StreamSocket>()
  readonly #unauthenticatedBy = new Counts()
  readonly #slotsTaken = new Counts()

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  /** Whether there is room for one more that nobody knows yet. */
  hasRoom(address: string): boolean {
    return (
      this.#sockets.size < this.#limits.connectionsMax &&
      this.#unauthenticated.size < this.#limits.unauthenticatedMax &&
      this.#unauthenticatedBy.of(address) < this.#limits.unauthenticatedPerAddressMax
    )
  }

  add(socket: StreamSocket): void {
    this.#sockets.add(socket)
    this.#unauthenticated.add(socket)
    this.#unauthenticatedBy.add(socket.address)
  }

  /** Gives a credential one more slot on an endpoint, if it has any left. Older connections are untouched. */
  enter(socket: StreamSocket, caller: Caller): boolean {
    const slot = slotOf(socket, caller)
    if (this.#slotsTaken.of(slot) >= this.#limits.streamsMax) return false
    this.#slotsTaken.add(slot)
    this.#unauthenticated.delete(socket)
    this.#unauthenticatedBy.remove(socket.address)
    return true
  }

  remove(socket: StreamSocket): void {
    if (!this.#sockets.delete(socket)) return
    if (this.#unauthenticated.delete(socket)) this.#unauthenticatedBy.remove(socket.address)
    else if (socket.caller) this.#slotsTaken.remove(slotOf(socket, socket.caller))
  }

  all(): Iterable<StreamSocket> {
    return this.#sockets
  }

  get size(): number {
    return this.#sockets.size
  }

  get unauthenticated(): number {
    return this.#unauthenticated.size
  }
}

const slotOf = ({ endpoint }: StreamSocket, caller: Caller): string => `${endpoint} ${holderOf(caller)}`

/** Whose slots they are: all apps of an account share them, and all pages of a browser. */
function holderOf(caller: Caller): string {
  if (caller.session) return caller.session.id
  return caller.kind === 'account' && caller.grantId ? `apps of ${caller.accountId}` : caller.credentialId
}

/** How many there are of each name; names with none are forgotten. */
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
