import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Caller } from '../access/caller.ts'
import { type FailedAttempts, findCaller } from '../access/failed-attempts.ts'
import { type Codec, frameOf, type Message } from './frame.ts'
import type { StreamLimits } from './limits.ts'
import { decodeMessagePack } from './msgpack-decode.ts'
import { type FlushTick, Outbox } from './outbox.ts'
import type { ChannelLists } from './subscriptions.ts'

/** What a stream says and hears on one connection. */
export interface Session {
  /** With the headers of the handshake. */
  opened(headers: IncomingHttpHeaders): void
  heard(message: unknown): void
  /** Neither JSON nor MessagePack. */
  unreadable(): void
  /** The time to authenticate is over; nobody may ever have tried. */
  timeIsUp(tried: boolean): void
  /** A bug of ours: the last words before the connection is closed. */
  failed(): void
  /** The client reads too slowly: the last words. */
  tooSlow(): Message
  closed(): void
  /** What it wants to be told: symbols by channel. */
  subscriptions(): ChannelLists
}

export type SocketParts = {
  readonly id: string
  readonly ws: WebSocket
  readonly socket: Duplex
  readonly endpoint: string
  readonly address: string
  readonly codec: Codec
  readonly limits: StreamLimits
  readonly failedAttempts: FailedAttempts
  readonly tick: FlushTick
  /** Whether this credential may have one more connection here; if so it is counted. */
  readonly enter: (socket: StreamSocket, caller: Caller) => boolean
  readonly leave: (socket: StreamSocket) => void
  /** One more client was too slow. */
  readonly slow: () => void
  readonly failed: (error: unknown) => void
}

export type AuthOutcome = 'authenticated' | 'refused' | 'full'

/** Reasons for closing, by the codes of RFC 6455. */
const closings = {
  goingAway: [1001, 'the server is stopping'],
  notAuthenticated: [1008, 'not authenticated in time'],
  tooManyAttempts: [1008, 'too many attempts'],
  unreadable: [1008, 'unreadable message'],
  revoked: [1008, 'credential revoked'],
  worldClosed: [1001, 'the world is closed'],
  byOperator: [1001, 'closed by the operator'],
  slow: [1008, 'slow client'],
  internal: [1011, 'internal error'],
} as const
export type Closing = keyof typeof closings

const PINGS_MISSED_MAX = 2
/** One for all who have no timers: most of ten thousand. */
const NONE: readonly NodeJS.Timeout[] = []
const PING = frameOf('ping', Buffer.alloc(0))

/**
 * The life of a connection: it opens, has a while to authenticate, talks, and is closed by either side. All frames
 * but the closing one leave through the outbox, so they cannot cut into one another; `ws` reads, and closes.
 */
export class StreamSocket {
  readonly id: string
  readonly openedMs = Date.now()
  readonly endpoint: string
  readonly address: string
  readonly codec: Codec
  readonly outbox: Outbox
  readonly #parts: SocketParts
  #timers: readonly NodeJS.Timeout[] = NONE
  #session: Session | undefined
  #caller: Caller | undefined
  #sent = 0
  #attempts = 0
  #foundNoSlot = false
  #pingsMissed = 0
  #closing = false

  constructor(parts: SocketParts) {
    this.id = parts.id
    this.endpoint = parts.endpoint
    this.address = parts.address
    this.codec = parts.codec
    this.#parts = parts
    this.outbox = new Outbox({
      socket: parts.socket,
      isOpen: () => parts.ws.readyState === parts.ws.OPEN,
      tick: parts.tick,
      bytesMax: parts.limits.socketBufferMaxBytes,
      overflowed: () => this.cutOff(),
    })
  }

  get caller(): Caller | undefined {
    return this.#caller
  }

  /** Messages, pings not counted. */
  get sent(): number {
    return this.#sent
  }

  get subscriptions(): ChannelLists {
    return this.#session?.subscriptions() ?? {}
  }

  /** Begins: `ws` hands over what it reads, and the time to authenticate runs. */
  begin(session: Session, headers: IncomingHttpHeaders): void {
    this.#listen(session)
    this.#guarded(() => session.opened(headers))
  }

  /** Apart from the headers: what is made here lives as long as the socket. */
  #listen(session: Session): void {
    this.#session = session
    const { ws, limits } = this.#parts
    ws.on('message', (data: Buffer, isBinary) => this.#guarded(() => this.#heard(session, data, isBinary)))
    ws.on('ping', (data: Buffer) => this.#pong(data))
    ws.on('pong', () => {
      this.#pingsMissed = 0
    })
    // What a client breaks of the protocol, ws answers with the right closing code by itself.
    ws.on('error', () => this.#leaveSoon())
    ws.on('close', () => this.#closed())
    this.after(limits.streamAuthTimeoutMs, () => {
      if (this.#caller) return
      // Who found no slot free hears nothing more, no goodbye either: then its client comes again.
      if (this.#foundNoSlot) return ws.terminate()
      session.timeIsUp(this.#attempts > 0)
      this.close('notAuthenticated')
    })
  }

  send(message: Message): void {
    if (this.#closing) return
    this.#sent += 1
    this.outbox.push(message.frame(this.codec))
  }

  /** One attempt to say who this is. A wrong one is answered later than a right one, by `sayRefused`. */
  authenticate(chosenKey: string | undefined, find: () => Caller | undefined): AuthOutcome {
    this.#attempts += 1
    if (this.#attempts > this.#parts.limits.authAttemptsMax) {
      this.close('tooManyAttempts')
      return 'refused'
    }
    const { failedAttempts, address } = this.#parts
    const { caller } = findCaller(failedAttempts, address, chosenKey, find)
    if (!caller) return 'refused'
    this.#foundNoSlot = !this.#parts.enter(this, caller)
    if (this.#foundNoSlot) return 'full'
    this.#caller = caller
    return 'authenticated'
  }

  /** Says that the credentials were wrong: not at once, because some clients would try again at once. */
  sayRefused(message: Message): void {
    this.after(this.#parts.limits.authFailureDelayMs, () => this.send(message))
  }

  /** Something to do later, unless the connection has ended by then. */
  after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers = this.#timers.filter((other) => other !== timer)
      this.#guarded(run)
    }, ms)
    timer.unref()
    this.#timers = [...this.#timers, timer]
  }

  /** Called by the beat of the server. */
  ping(): void {
    if (this.#closing) return
    if (this.#pingsMissed >= PINGS_MISSED_MAX) {
      this.#parts.ws.terminate()
      return
    }
    this.#pingsMissed += 1
    this.outbox.push(PING)
  }

  /** Ends it because the client does not read: what waits for it is dropped. */
  cutOff(): void {
    if (this.#closing) return
    this.#parts.slow()
    if (this.#session) this.outbox.pushLast(this.#session.tooSlow().frame(this.codec))
    this.close('slow')
  }

  /** Sends what waits, then says goodbye; a client that does not answer that is left after a while. */
  close(why: Closing): void {
    if (this.#closing) return
    this.outbox.flush()
    const [code, reason] = closings[why]
    this.#parts.ws.close(code, reason)
    this.#leaveSoon()
  }

  /** Whatever the client does now, it is over in a moment. */
  #leaveSoon(): void {
    this.#closing = true
    this.#forgetTimers()
    this.after(this.#parts.limits.closeTimeoutMs, () => this.#parts.ws.terminate())
  }

  #forgetTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers = NONE
  }

  #heard(session: Session, data: Buffer, isBinary: boolean): void {
    if (this.#closing) return
    let message: unknown
    try {
      const isPacked = isBinary && this.codec === 'messagePack'
      message = isPacked ? decodeMessagePack(data) : JSON.parse(data.toString())
    } catch {
      session.unreadable()
      return
    }
    session.heard(message)
  }

  #pong(data: Buffer): void {
    if (!this.#closing) this.outbox.push(frameOf('pong', data))
  }

  #guarded(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.#parts.failed(error)
      this.#session?.failed()
      this.close('internal')
    }
  }

  #closed(): void {
    this.#closing = true
    this.#forgetTimers()
    this.outbox.close()
    this.#guarded(() => this.#session?.closed())
    this.#parts.leave(this)
  }
}
