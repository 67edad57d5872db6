import { WebSocket } from 'ws'
import type { Log } from '../../process/log.ts'
import { isRecord, parseSent, type Sent } from './wire.ts'

/** Symbols by channel. */
export type Lists = ReadonlyMap<string, ReadonlySet<string>>

export type SocketParts = {
  readonly url: string
  readonly keyId: string
  readonly secretKey: string
  /** What is wanted now. */
  readonly wanted: () => Lists
  readonly heard: (message: Sent) => void
  /** All that is wanted is subscribed to. */
  readonly up: () => void
  readonly down: () => void
  readonly log: Log
  /** Stands in for the usual pace. */
  readonly pace?: { readonly [Name in keyof typeof PACE]?: number }
}

const PACE = {
  /** Before the first new try; then twice as long each time. */
  firstWaitMs: 500,
  waitMaxMs: 30_000,
  /** Whoever was refused need not hurry: keys and plans seldom change by themselves. */
  refusedWaitMs: 60_000,
  /** Another session may hold the only slot; it is free soon after that one ends. */
  fullWaitMs: 2000,
  handshakeMs: 10_000,
  /** From connecting until all that is wanted is subscribed to. */
  readyMs: 20_000,
  pingMs: 10_000,
  /** A connection that was silent for longer, pings unanswered, is dead whatever the machine says. */
  silenceMaxMs: 25_000,
} as const satisfies Record<string, number>
const JITTER = 0.2
const FRAME_MAX_BYTES = 64 * 1024 * 1024

/**
 * One data stream of the provider, for as long as something is wanted of it:
 *   connect, authenticate, subscribe to all that is wanted, then to what changes;
 *   a lost or silent connection is made anew, sooner at first and later more slowly.
 */
export class UpstreamSocket {
  readonly #parts: SocketParts
  readonly #pace: { readonly [Name in keyof typeof PACE]: number }
  #ws: WebSocket | undefined
  /** What this connection is subscribed to; absent before it is authenticated. */
  #sent: Map<string, Set<string>> | undefined
  #isUp = false
  #tries = 0
  #waitMinMs = 0
  #connectedAtMs = 0
  #retry: NodeJS.Timeout | undefined
  #beat: NodeJS.Timeout | undefined
  #changing: NodeJS.Immediate | undefined
  #closed = false
  /** When something last came, in milliseconds since 1970. */
  heardAtMs = 0

  constructor(parts: SocketParts) {
    this.#parts = parts
    this.#pace = { ...PACE, ...parts.pace }
  }

  get isUp(): boolean {
    return this.#isUp
  }

  /** What is wanted is another now; changes of one turn go out together. */
  changed(): void {
    if (this.#closed) return
    if (!this.#ws && !this.#retry && this.#parts.wanted().size > 0) this.#connect()
    this.#changing ??= setImmediate(() => {
      this.#changing = undefined
      if (this.#sent) this.#subscribe(this.#sent)
    })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
    clearInterval(this.#beat)
    clearImmediate(this.#changing)
    this.#ws?.terminate()
  }

  #connect(): void {
    this.#retry = undefined
    const { url } = this.#parts
    const ws = new WebSocket(url, {
      headers: { 'Content-Type': 'application/json' },
      handshakeTimeout: this.#pace.handshakeMs,
      perMessageDeflate: false,
      maxPayload: FRAME_MAX_BYTES,
      followRedirects: false,
    })
    this.#ws = ws
    this.heardAtMs = this.#connectedAtMs = Date.now()
    const alive = () => {
      this.heardAtMs = Date.now()
    }
    let problem = ''
    ws.on('open', () => this.#say({ action: 'auth', key: this.#parts.keyId, secret: this.#parts.secretKey }))
    ws.on('message', (data) => {
      alive()
      this.#read(String(data))
    })
    ws.on('ping', alive)
    ws.on('pong', alive)
    ws.on('error', (error) => {
      problem = error.message
    })
    ws.on('close', (code) => this.#lost(problem || `closed with ${code}`))
    this.#beat = setInterval(() => this.#ping(ws), this.#pace.pingMs).unref()
  }

  #ping(ws: WebSocket): void {
    const isStuck = !this.#isUp && Date.now() - this.#connectedAtMs > this.#pace.readyMs
    if (isStuck || Date.now() - this.heardAtMs > this.#pace.silenceMaxMs) ws.terminate()
    else if (ws.readyState === WebSocket.OPEN) ws.ping()
  }

  #lost(problem: string): void {
    clearInterval(this.#beat)
    const wasUp = this.#isUp
    this.#ws = undefined
    this.#sent = undefined
    this.#isUp = false
    if (this.#closed) return
    const steady = Math.min(this.#pace.firstWaitMs * 2 ** this.#tries, this.#pace.waitMaxMs)
    const waitMs = Math.round(Math.max(steady, this.#waitMinMs) * (1 + JITTER * (2 * Math.random() - 1)))
    this.#tries = Math.min(this.#tries + 1, 10)
    this.#waitMinMs = 0
    this.#parts.log.warn('upstream stream lost', { url: this.#parts.url, problem, retryMs: waitMs })
    this.#retry = setTimeout(() => this.#connect(), waitMs).unref()
    if (wasUp) this.#parts.down()
  }

  #say(message: object): void {
    this.#ws?.send(JSON.stringify(message))
  }

  #read(text: string): void {
    try {
      for (const message of messagesIn(text)) this.#hear(message)
    } catch (error) {
      this.#leftOut(error)
    }
  }

  #hear(message: Sent): void {
    switch (message['T']) {
      case 'success':
        return message['msg'] === 'authenticated' ? this.#welcome() : undefined
      case 'subscription':
        return this.#acknowledged()
      case 'error':
        return this.#refused(Number(message['code']), String(message['msg']))
      default:
        return this.#tell(message)
    }
  }

  /** One message that cannot be read must not cost the others of its frame. */
  #tell(message: Sent): void {
    try {
      this.#parts.heard(message)
    } catch (error) {
      this.#leftOut(error)
    }
  }

  #leftOut(error: unknown): void {
    this.#parts.log.hint('upstream message', 'a message of upstream was left out', { error: String(error) })
  }

  #welcome(): void {
    this.#sent = new Map()
    this.#subscribe(this.#sent)
  }

  #acknowledged(): void {
    if (this.#isUp) return
    this.#isUp = true
    this.#tries = 0
    this.#parts.log.info('upstream stream is up', { url: this.#parts.url })
    this.#parts.up()
  }

  /** Tells the difference between what this connection has and what is wanted. */
  #subscribe(sent: Map<string, Set<string>>): void {
    const wanted = this.#parts.wanted()
    const more = difference(wanted, sent)
    const less = difference(sent, wanted)
    if (Object.keys(more).length > 0) this.#say({ action: 'subscribe', ...more })
    if (Object.keys(less).length > 0) this.#say({ action: 'unsubscribe', ...less })
    sent.clear()
    for (const [channel, symbols] of wanted) sent.set(channel, new Set(symbols))
  }

  #refused(code: number, words: string): void {
    const { log, url } = this.#parts
    const facts = { url, code, words }
    switch (code) {
      case 401:
      case 402:
        log.error('upstream refused the key: check the settings upstreamKeyId and upstreamSecretKey', facts)
        return this.#giveUp(this.#pace.refusedWaitMs)
      case 409:
      case 411:
        log.error('upstream does not permit this feed: check the setting upstreamFeed', facts)
        return this.#giveUp(this.#pace.refusedWaitMs)
      case 406:
        log.warn('upstream has no room for another session of this key', facts)
        return this.#giveUp(this.#pace.fullWaitMs)
      case 405:
        log.error('upstream permits fewer symbols: lower the setting upstreamSymbolsMax', facts)
        return
      default:
        log.warn('upstream stream error', facts)
    }
  }

  #giveUp(waitMs: number): void {
    this.#waitMinMs = waitMs
    this.#ws?.terminate()
  }
}

function messagesIn(text: string): readonly Sent[] {
  const parsed = parseSent(text)
  return Array.isArray(parsed) ? parsed.filter(isRecord) : []
}

/** What is in one and not in the other, channels without anything left out. */
function difference(one: Lists, other: Lists): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const [channel, symbols] of one) {
    const more = [...symbols].filter((symbol) => !other.get(channel)?.has(symbol))
    if (more.length > 0) found[channel] = more
  }
  return found
}
