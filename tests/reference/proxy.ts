import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy between a client and a broker that can cut connections and change its target. */
export type TcpProxy = {
  readonly port: number
  /** Sets the address to which new connections go. */
  forwardTo(url: string): void
  /** Closes all connections. */
  cut(): void
  close(): Promise<void>
}

export async function openProxy(url: string): Promise<TcpProxy> {
  let target = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const broker = connect(Number(target.port), target.hostname)
    for (const [end, other] of [
      [client, broker],
      [broker, client],
    ] as const) {
      sockets.add(end)
      end.on('error', () => other.destroy())
      end.on('close', () => {
        sockets.delete(end)
        other.destroy()
      })
      end.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const end of sockets) end.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    forwardTo: (to) => {
      target = new URL(to)
    },
    cut,
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
