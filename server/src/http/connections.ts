import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** How many requests of a connection have no answer yet, and how many of those are with their handlers. */
export type Load = { open: number; working: number }

/** Every open connection, and what it is doing. */
export class Connections {
  readonly #sockets = new Set<Socket>()
  readonly #loads = new WeakMap<Duplex, Load>()

  get size(): number {
    return this.#sockets.size
  }

  add(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  /** A request has come; whoever answers it counts it off again. */
  begin(socket: Duplex): Load {
    let load = this.#loads.get(socket)
    if (load === undefined) {
      load = { open: 0, working: 0 }
      this.#loads.set(socket, load)
    }
    load.open += 1
    return load
  }

  /** A handler is at work for it. */
  isWorking(socket: Duplex): boolean {
    return (this.#loads.get(socket)?.working ?? 0) > 0
  }

  /** It is the client's turn: to read what was written, or to say something. */
  isClientsTurn(socket: Duplex): boolean {
    return socket.writableLength > 0 || (this.#loads.get(socket)?.open ?? 0) === 0
  }

  /** Ends connections on which nothing was ever said. */
  closeSilent(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  closeAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}
