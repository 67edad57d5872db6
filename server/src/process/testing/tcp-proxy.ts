import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy with a fixed address and simulated failures. */
export type TcpProxy = {
  /** The URL of the target through the proxy. */
  readonly url: string
  /** Sets the address to which new connections go. */
  forwardTo(url: string): void
  /** Closes all connections and refuses new ones. */
  cut(): void
  /** Keeps all connections and forwards no data, like a network that loses every packet. */
  goSilent(): void
  /** Closes all connections and forwards new ones. */
  open(): void
  close(): void
}

export async function openProxy(url: string): Promise<TcpProxy> {
  let target = new URL(url)
  let state: 'open' | 'cut' | 'silent' = 'open'
  const sockets = new Set<Socket>()
  const forward = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('error', () => undefined)
    from.on('close', () => {
      sockets.delete(from)
      if (state !== 'silent') to.destroy()
    })
    from.pipe(to)
    if (state === 'silent') from.pause()
  }
  const server = createServer((client) => {
    if (state === 'cut') return client.destroy()
    const other = connect(Number(target.port), target.hostname)
    forward(client, other)
    forward(other, client)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const change = (next: typeof state): void => {
    state = next
    for (const socket of sockets) state === 'silent' ? socket.pause() : socket.destroy()
  }
  return {
    url: url.replace(target.host, `127.0.0.1:${(server.address() as AddressInfo).port}`),
    forwardTo: (next) => {
      target = new URL(next)
    },
    cut: () => change('cut'),
    goSilent: () => change('silent'),
    open: () => change('open'),
    close() {
      change('cut')
      server.close()
    },
  }
}
