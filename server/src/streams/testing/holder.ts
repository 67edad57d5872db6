import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Json } from './sockets.ts'

/** A node that holds the world. */
export class Holder {
  readonly #server = new WebSocketServer({ port: 0 })
  readonly #waiting: Upstream[] = []
  readonly forwarded: Json[] = []

  static async start(): Promise<Holder> {
    const holder = new Holder()
    await once(holder.#server, 'listening')
    holder.#server.on('connection', (socket, { headers }) => {
      const text = String(headers['quipu-cluster-forwarded'])
      holder.forwarded.push(JSON.parse(Buffer.from(text, 'base64url').toString()))
      // At once, so that no message is lost.
      holder.#waiting.push(new Upstream(socket))
      holder.#server.emit('waiting')
    })
    return holder
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async next(): Promise<Upstream> {
    if (this.#waiting.length === 0) await once(this.#server, 'waiting')
    return this.#waiting.shift()!
  }

  stop(): void {
    this.#server.close()
    for (const socket of this.#server.clients) socket.terminate()
  }
}

/** The connection of a client at its holder. */
export class Upstream {
  readonly socket: WebSocket
  readonly #received: Json[] = []

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data) => {
      this.#received.push(JSON.parse(String(data)))
      socket.emit('received')
    })
  }

  async next(): Promise<Json> {
    if (this.#received.length === 0) await once(this.socket, 'received')
    return this.#received.shift()
  }

  send(message: unknown): void {
    this.socket.send(JSON.stringify(message))
  }
}
