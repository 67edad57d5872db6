import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'

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
  /** Closes a connection after this many bytes of its next response: the target has acted, the client does not know. */
  truncate(bytes: number, times?: number): void
  /** Delays the data of the target. */
  delay(ms: number): void
  /** Delays the data of the client. */
  delayRequests(ms: number): void
  /** Loses this share of all packets, in both directions. Each arrives when it is sent again, as with TCP. */
  lose(share: number): void
  /** Closes all connections and forwards new ones. */
  open(): void
  close(): void
}

export async function openProxy(url: string): Promise<TcpProxy> {
  let target = new URL(url)
  let state: 'open' | 'cut' | 'silent' = 'open'
  const faults: Faults = { bytesMax: 0, truncations: 0, delayMs: 0, requestDelayMs: 0, lostShare: 0 }
  const sockets = new Set<Socket>()
  const forward = (from: Socket, to: Socket, through: Transform): void => {
    sockets.add(from)
    from.on('error', () => undefined)
    from.on('close', () => {
      sockets.delete(from)
      if (state !== 'silent') to.destroy()
    })
    from.pipe(through).pipe(to)
    if (state === 'silent') from.pause()
  }
  const server = createServer((client) => {
    if (state === 'cut') return client.destroy()
    const other = connect(Number(target.port), target.hostname)
    forward(client, other, lossy(faults))
    forward(other, client, faulty(faults, client))
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
    truncate(bytes, times = 1) {
      faults.bytesMax = bytes
      faults.truncations = times
    },
    delay(ms) {
      faults.delayMs = ms
    },
    delayRequests(ms) {
      faults.requestDelayMs = ms
    },
    lose(share) {
      faults.lostShare = share
    },
    open: () => change('open'),
    close() {
      change('cut')
      server.close()
    },
  }
}

type Faults = {
  bytesMax: number
  truncations: number
  delayMs: number
  requestDelayMs: number
  lostShare: number
}

/** TCP sends a lost packet again after this time, which doubles with each loss. */
const RETRANSMISSION_MS = 200
/** Longer times are those of a silent network. */
const RETRANSMISSION_MAX_MS = 1_600

/** How much later a packet arrives because it was lost, perhaps more than once. */
function lostMs({ lostShare }: Faults): number {
  let lateMs = 0
  for (
    let nextMs = RETRANSMISSION_MS;
    nextMs <= RETRANSMISSION_MAX_MS && Math.random() < lostShare;
    nextMs *= 2
  )
    lateMs += nextMs
  return lateMs
}

const lossy = (faults: Faults): Transform =>
  new Transform({
    transform(chunk: Buffer, _, done) {
      const lateMs = faults.requestDelayMs + lostMs(faults)
      if (lateMs === 0) done(null, chunk)
      else setTimeout(() => done(null, chunk), lateMs)
    },
  })

/** Forwards the data of the target with the faults that are set at that time. */
function faulty(faults: Faults, client: Socket): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const isTruncated = faults.truncations > 0
      if (isTruncated) faults.truncations -= 1
      const sent = isTruncated ? chunk.subarray(0, faults.bytesMax) : chunk
      const forward = (): void => {
        if (sent.length > 0) this.push(sent)
        if (isTruncated) client.end()
        else done()
      }
      const lateMs = faults.delayMs + lostMs(faults)
      if (lateMs === 0) forward()
      else setTimeout(forward, lateMs)
    },
  })
}
