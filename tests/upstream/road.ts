import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A road between a broker and its provider that can be cut, blocked and led elsewhere; its address stays. */
export type Road = {
  readonly url: string
  /** Breaks what is open and refuses whatever comes. */
  cut(): void
  /** Takes connections and lets nothing through. */
  block(): void
  open(): void
  /** From now on it leads to another address. */
  lead(to: string): void
  close(): void
}

export async function roadTo(target: string): Promise<Road> {
  let to = new URL(target)
  let state: 'open' | 'cut' | 'blocked' = 'open'
  const ends = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    ends.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => ends.delete(socket))
    return socket
  }
  const server = createServer((near) => {
    keep(near)
    if (state === 'cut') near.destroy()
    if (state !== 'open') return
    const far = keep(connect(Number(to.port), to.hostname))
    near.pipe(far).pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  const breakAll = () => {
    for (const socket of ends) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${port}`,
    cut() {
      state = 'cut'
      breakAll()
    },
    block() {
      state = 'blocked'
      breakAll()
    },
    open() {
      state = 'open'
      breakAll()
    },
    lead(next) {
      to = new URL(next)
    },
    close() {
      breakAll()
      server.close()
    },
  }
}
