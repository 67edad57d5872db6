import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Every open connection, and how many of its requests are with their handlers. */
export class Connections {
  readonly #sockets = new Set<Socket>()
  readonly #handling = new WeakMap<Duplex, number>()

  get size(): number {
    return this.#sockets.size
  }

  add(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  /** A handler has begun; it is done when its answer is gone or cannot go any more. */
  handling(socket: Duplex, response: ServerResponse): void {
    this.#handling.set(socket, this.#count(socket) + 1)
    response.once('close', () => this.#handling.set(socket, this.#count(socket) - 1))
  }

  isBusy(socket: Duplex): boolean {
    return this.#count(socket) > 0
  }

  /** Ends connections on which nothing was ever said. */
  closeSilent(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  closeAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #count(socket: Duplex): number {
    return this.#handling.get(socket) ?? 0
  }
}
