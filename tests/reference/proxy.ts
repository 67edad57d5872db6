import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A cable between a client and a broker: it can be cut, and be led to another broker. */
export type Cable = {
  readonly port: number
  /** Where it leads from now on. */
  lead(url: string): void
  /** Everything on it breaks off, without a goodbye. */
  cut(): void
  close(): Promise<void>
}

export async function layCable(url: string): Promise<Cable> {
  let target = new URL(url)
  const ends = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end)
      end.on('error', () => other.destroy())
      end.on('close', () => {
        ends.delete(end)
        other.destroy()
      })
      end.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const end of ends) end.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    lead: (to) => {
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
