import { WebSocket } from 'ws'
import type { Log } from '../../log/log.ts'
import { difference, type Lists } from './channel-lists.ts'
import { PACE } from './pace.ts'
import { isRecord, parseSent, type Sent } from './wire.ts'

/** The server of a stream: the provider, or another node of a cluster that is connected to the provider. */
export type StreamSource = {
  readonly url: string
  /** Headers that authenticate the connection. */
  readonly headers?: Readonly<Record<string, string>>
  /** The message that authenticates the connection, if no header does. */
  readonly login?: object
  /** The longest delay between two attempts, if it is not the default. */
  readonly waitMaxMs?: number
}

export type UpstreamSocketParts = {
  /** The current source; undefined while there is none. */
  readonly source: () => StreamSource | undefined
  /** The current subscriptions. */
  readonly subscriptions: () => Lists
  readonly onMessage: (message: Sent) => void
  /** Called when all subscriptions are confirmed. */
  readonly up: () => void
  readonly down: () => void
  /** Called when the provider has confirmed all changes of the subscriptions. */
  readonly confirmed?: () => void
  readonly log: Log
  /** For tests: replaces the default intervals. */
  readonly pace?: { readonly [Name in keyof typeof PACE]?: number }
}

const JITTER = 0.2
const FRAME_MAX_BYTES = 64 * 1024 * 1024

/**
 * One data stream of the provider, open while there are subscriptions:
 *   connect, authenticate, subscribe, then update the subscriptions;
 *   reconnect after a lost or silent connection, with increasing delays.
 */
export class UpstreamSocket {
  readonly #parts: UpstreamSocketParts
  readonly #pace: { readonly [Name in keyof typeof PACE]: number }
  #ws: WebSocket | undefined
  /** The subscriptions of this connection; undefined before authentication. */
  #sent: Map<string, Set<string>> | undefined
  /** Requests of this connection that the provider has not answered. */
  #unanswered = 0
  #source: StreamSource | undefined
  #isUp = false
  #tries = 0
  #waitMinMs = 0
  #connectedAtMs = 0
  #pingedAtMs = 0
  #retry: NodeJS.Timeout | undefined
  #beat: NodeJS.Timeout | undefined
  #changing: NodeJS.Immediate | undefined
  #closed = false
  /** Time of the last message, in milliseconds since 1970. */
  messageAtMs = 0

  constructor(parts: UpstreamSocketParts) {
    this.#parts = parts
    this.#pace = { ...PACE, ...parts.pace }
  }

  get isUp(): boolean {
    return this.#isUp
  }

  /** Call when subscriptions change. Changes of one tick are sent together. */
  changed(): void {
    if (this.#closed) return
    if (!this.#ws && !this.#retry && this.#parts.subscriptions().size > 0) this.#connect()
    this.#changing ??= setImmediate(() => {
      this.#changing = undefined
      if (this.#sent) this.#subscribe(this.#sent)
    })
  }

  /** Ends the connection if its source is not the current one. It connects to the current one. */
  checkSource(): void {
    if (this.#ws && this.#parts.source()?.url !== this.#source?.url) this.#ws.terminate()
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
    const source = this.#parts.source()
    if (!source) return this.#connectAfter(this.#pace.sourceMs)
    this.#source = source
    const ws = new WebSocket(source.url, {
      headers: { 'Content-Type': 'application/json', ...source.headers },
      handshakeTimeout: this.#pace.handshakeMs,
      perMessageDeflate: false,
      maxPayload: FRAME_MAX_BYTES,
      followRedirects: false,
    })
    this.#ws = ws
    this.messageAtMs = this.#connectedAtMs = this.#pingedAtMs = Date.now()
    const alive = () => {
      this.messageAtMs = Date.now()
    }
    let problem = ''
    const { login } = source
    if (login) ws.on('open', () => this.#send(login))
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
    this.#beat = setInterval(() => this.#check(ws), this.#pace.sourceMs).unref()
  }

  #connectAfter(waitMs: number): void {
    this.#retry = setTimeout(() => this.#connect(), waitMs).unref()
  }

  #check(ws: WebSocket): void {
    const now = Date.now()
    const isStuck = !this.#isUp && now - this.#connectedAtMs > this.#pace.readyMs
    if (isStuck || now - this.messageAtMs > this.#pace.silenceMaxMs) return ws.terminate()
    this.checkSource()
    if (ws.readyState !== WebSocket.OPEN || now - this.#pingedAtMs < this.#pace.pingMs) return
    this.#pingedAtMs = now
    ws.ping()
  }

  #lost(problem: string): void {
    clearInterval(this.#beat)
    const wasUp = this.#isUp
    this.#ws = undefined
    this.#sent = undefined
    this.#unanswered = 0
    this.#isUp = false
    if (this.#closed) return
    const steady = Math.min(
      this.#pace.firstWaitMs * 2 ** this.#tries,
      this.#source?.waitMaxMs ?? this.#pace.waitMaxMs,
    )
    const waitMs = Math.round(Math.max(steady, this.#waitMinMs) * (1 + JITTER * (2 * Math.random() - 1)))
    this.#tries = Math.min(this.#tries + 1, 10)
    this.#waitMinMs = 0
    this.#parts.log.warn('upstream stream lost', { url: this.#source?.url, problem, retryMs: waitMs })
    this.#connectAfter(waitMs)
    if (wasUp) this.#parts.down()
  }

  #send(message: object): void {
    this.#ws?.send(JSON.stringify(message))
  }

  #read(text: string): void {
    try {
      for (const message of messagesIn(text)) this.#handle(message)
    } catch (error) {
      this.#ignored(error)
    }
  }

  #handle(message: Sent): void {
    switch (message['T']) {
      case 'success':
        return message['msg'] === 'authenticated' ? this.#welcome() : undefined
      case 'subscription':
        this.#acknowledged()
        return this.#answered()
      case 'error':
        this.#answered()
        return this.#refused(Number(message['code']), String(message['msg']))
      default:
        return this.#forward(message)
    }
  }

  /** An unreadable message does not affect the other messages of its frame. */
  #forward(message: Sent): void {
    try {
      this.#parts.onMessage(message)
    } catch (error) {
      this.#ignored(error)
    }
  }

  #ignored(error: unknown): void {
    this.#parts.log.hint('upstream message', 'an upstream message was ignored', { error: String(error) })
  }

  #welcome(): void {
    this.#sent = new Map()
    this.#subscribe(this.#sent)
  }

  #acknowledged(): void {
    if (this.#isUp) return
    this.#isUp = true
    this.#tries = 0
    this.#parts.log.info('upstream stream is up', { url: this.#source?.url })
    this.#parts.up()
  }

  /** Sends the difference between the current and the requested subscriptions. */
  #subscribe(sent: Map<string, Set<string>>): void {
    const wanted = this.#parts.subscriptions()
    const more = difference(wanted, sent)
    const less = difference(sent, wanted)
    if (Object.keys(more).length > 0) this.#request({ action: 'subscribe', ...more })
    if (Object.keys(less).length > 0) this.#request({ action: 'unsubscribe', ...less })
    sent.clear()
    for (const [channel, symbols] of wanted) sent.set(channel, new Set(symbols))
    if (this.#isUp && this.#unanswered === 0) this.#parts.confirmed?.()
  }

  #request(message: object): void {
    this.#unanswered += 1
    this.#send(message)
  }

  /** The provider answers each request with the current subscriptions or an error. */
  #answered(): void {
    this.#unanswered = Math.max(0, this.#unanswered - 1)
    if (this.#isUp && this.#unanswered === 0 && !this.#changing) this.#parts.confirmed?.()
  }

  #refused(code: number, words: string): void {
    const { log } = this.#parts
    const facts = { url: this.#source?.url, code, words }
    const { level, message, wait } = refusals.find(({ codes }) => codes.includes(code)) ?? otherRefusal
    log[level](message, facts)
    if (wait !== undefined) this.#giveUp(this.#pace[wait])
  }

  #giveUp(waitMs: number): void {
    this.#waitMinMs = waitMs
    this.#ws?.terminate()
  }
}

/** What to log for error codes of the provider, and how long to wait before the next connection. */
type UpstreamRefusal = {
  readonly codes: readonly number[]
  readonly level: 'error' | 'warn'
  readonly message: string
  readonly wait?: 'refusedWaitMs' | 'fullWaitMs'
}

const keyRejected = 'upstream rejected the key; check the settings upstreamKeyId and upstreamSecretKey'
const feedRejected = 'upstream does not permit this feed; check the setting upstreamFeed'
const sessionRejected = 'upstream does not allow another session of this key'
const tooManySymbols = 'upstream permits fewer symbols; lower the setting upstreamSymbolsMax'
const otherRefusal: UpstreamRefusal = { codes: [], level: 'warn', message: 'upstream stream error' }
const refusals: readonly UpstreamRefusal[] = [
  { codes: [401, 402], level: 'error', message: keyRejected, wait: 'refusedWaitMs' },
  { codes: [409, 411], level: 'error', message: feedRejected, wait: 'refusedWaitMs' },
  { codes: [406], level: 'warn', message: sessionRejected, wait: 'fullWaitMs' },
  { codes: [405], level: 'error', message: tooManySymbols },
]

function messagesIn(text: string): readonly Sent[] {
  const parsed = parseSent(text)
  return Array.isArray(parsed) ? parsed.filter(isRecord) : []
}
