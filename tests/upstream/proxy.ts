import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy between a broker and its provider, with a fixed address and simulated failures. */
export type TcpProxy = {
  readonly url: string
  /** Closes all connections and refuses new ones. */
  cut(): void
  /** Accepts connections and forwards no data. */
  block(): void
  open(): void
  /** Sets the address to which new connections go. */
  forwardTo(url: string): void
  close(): void
}

export async function openProxy(target: string): Promise<TcpProxy> {
  let url = new URL(target)
  let state: 'open' | 'cut' | 'blocked' = 'open'
  const sockets = new Set<Socket>()
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    return socket
  }
  const server = createServer((client) => {
    track(client)
    if (state === 'cut') client.destroy()
    if (state !== 'open') return
    const provider = track(connect(Number(url.port), url.hostname))
    client.pipe(provider).pipe(client)
    client.on('close', () => provider.destroy())
    provider.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  const closeAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${port}`,
    cut() {
      state = 'cut'
      closeAll()
    },
    block() {
      state = 'blocked'
      closeAll()
    },
    open() {
      state = 'open'
      closeAll()
    },
    forwardTo(next) {
      url = new URL(next)
    },
    close() {
      closeAll()
      server.close()
    },
  }
}
