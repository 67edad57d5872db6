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
  /** Loses the target once, when a client sends this; undefined for no more. */
  loseAt(loss: Loss | undefined): void
  /** Closes all connections and forwards new ones. */
  open(): void
  close(): void
}

/** When and how the target is lost. */
export type Loss = {
  /** Part of what a client sends. */
  readonly sent: RegExp
  /** Before it is forwarded; instead of the response; or instead of the response to the next COMMIT. */
  readonly when: 'before' | 'answered' | 'committed'
  readonly how: 'cut' | 'silent'
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
    if (state === 'cut') {
      client.destroy()
      return
    }
    const other = connect(Number(target.port), target.hostname)
    const losing = new Losing(faults, (how) => change(how))
    forward(client, other, lossy(faults, losing))
    forward(other, client, faulty(faults, client, losing))
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
    loseAt(loss) {
      faults.loss = loss
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
  loss?: Loss | undefined
}

/** Watches one connection for the loss that is set. */
class Losing {
  readonly #faults: Faults
  readonly #lose: (how: Loss['how']) => void
  #begun: Loss | undefined
  #waitsForResponse = false

  constructor(faults: Faults, lose: (how: Loss['how']) => void) {
    this.#faults = faults
    this.#lose = lose
  }

  /** The client sends something. Returns whether the target is lost now. */
  sent(chunk: Buffer): boolean {
    const { loss } = this.#faults
    const text = chunk.toString('latin1')
    if (loss?.sent.test(text)) {
      this.#faults.loss = undefined
      if (loss.when === 'before') return this.#lost(loss)
      this.#begun = loss
    }
    if (this.#begun) this.#waitsForResponse = this.#begun.when === 'answered' || /COMMIT/.test(text)
    return false
  }

  /** The target answers. Returns whether it is lost now. */
  answered(): boolean {
    return this.#begun !== undefined && this.#waitsForResponse && this.#lost(this.#begun)
  }

  #lost({ how }: Loss): true {
    this.#begun = undefined
    this.#lose(how)
    return true
  }
}

/** TCP sends a lost packet again after this time, which doubles with each loss. */
const RETRANSMISSION_MS = 200
/** Together longer than the time that a server waits for a request. Longer times are those of a silent network. */
const RETRANSMISSION_MAX_MS = 6_400

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

const lossy = (faults: Faults, losing: Losing): Transform =>
  new Transform({
    transform(chunk: Buffer, _, done) {
      if (losing.sent(chunk)) return
      const lateMs = faults.requestDelayMs + lostMs(faults)
      if (lateMs === 0) done(null, chunk)
      else setTimeout(() => done(null, chunk), lateMs)
    },
  })

/** Forwards the data of the target with the faults that are set at that time. */
function faulty(faults: Faults, client: Socket, losing: Losing): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done) {
      if (losing.answered()) return
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
