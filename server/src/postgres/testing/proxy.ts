import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A TCP proxy for PostgreSQL that can go silent, like a network that loses every packet. */
export class SilentProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isSilent = false

  private constructor(port: number, host: string) {
    this.#server = createServer((client) => this.#join(client, connect(port, host)))
  }

  /** Starts a proxy for the server of a URL. */
  static async before(url: string): Promise<SilentProxy> {
    const { port, hostname } = new URL(url)
    const proxy = new SilentProxy(Number(port), hostname)
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening')
    return proxy
  }

  /** The URL of the database through this proxy. */
  through(url: string): string {
    const through = new URL(url)
    through.port = String((this.#server.address() as AddressInfo).port)
    return through.href
  }

  goSilent(): void {
    this.#isSilent = true
    for (const socket of this.#sockets) socket.pause()
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #join(client: Socket, server: Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from)
      from.on('error', () => undefined)
      from.on('close', () => {
        this.#sockets.delete(from)
        if (!this.#isSilent) to.destroy()
      })
      from.pipe(to)
      if (this.#isSilent) from.pause()
    }
  }
}
