import { StreamError } from '../errors.ts'
import type { Frame, Protocol } from './protocol.ts'
import type { WebSocketClass, WebSocketLike } from './web-socket.ts'

export type SessionParts<Message> = {
  readonly protocol: Protocol<Message>
  readonly WebSocket: WebSocketClass
  /** The frame with the credential. */
  readonly authentication: unknown
  readonly timeoutMs: number
  readonly heartbeatMs: number
  readonly deliver: (message: Message) => void
  /** Reports every error of the server. */
  readonly reportError: (error: StreamError) => void
  /** Resolves when the program is done with all messages. */
  readonly done: () => Promise<void>
}

type Refusal = Extract<Frame<never>, { kind: 'refused' }>
type Waiting = {
  readonly done: (isAcknowledged: boolean) => void
  readonly failed: (error: StreamError) => void
}

const unreachable: Refusal = { kind: 'refused', isTransient: true, error: new StreamError('no connection') }
const decoder = new TextDecoder()
/** The state of a WebSocket that can send. */
const OPEN = 1

/** One connection, from its handshake to its end. */
export class SocketSession<Message> {
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>
  readonly #parts: SessionParts<Message>
  readonly #socket: WebSocketLike
  readonly #ending = new AbortController()
  #settleAuthentication: ((refusal: Refusal | undefined) => void) | undefined
  /** The requests without a response, in the order in which the server will answer. */
  #waiting: Waiting[] = []
  #held: Message[] | undefined
  #heartbeat: ReturnType<typeof setInterval> | undefined
  #hasFrames = false

  constructor(parts: SessionParts<Message>) {
    this.#parts = parts
    const { signal } = this.#ending
    this.ended = new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    this.#socket = new parts.WebSocket(`${parts.protocol.url.replace(/^http/, 'ws')}?acknowledge=true`)
    this.#socket.binaryType = 'arraybuffer'
    this.#socket.addEventListener('open', () => {
      if (!parts.protocol.hasWelcome) this.#send(parts.authentication)
    })
    this.#socket.addEventListener('message', ({ data }) => this.#receive(data))
    this.#socket.addEventListener('error', () => this.close())
    this.#socket.addEventListener('close', () => this.close())
  }

  get isEnded(): boolean {
    return this.#ending.signal.aborted
  }

  /** Aborts when the connection ends. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Resolves with the refusal, or with undefined after a successful authentication. */
  authenticate(): Promise<Refusal | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.close(), this.#parts.timeoutMs)
      this.#settleAuthentication = (refusal) => {
        clearTimeout(timer)
        this.#settleAuthentication = undefined
        if (refusal === undefined) this.#startHeartbeat()
        resolve(refusal)
      }
      if (this.isEnded) this.#settleAuthentication(unreachable)
    })
  }

  /** Sends a request. Resolves with false if the connection ends before the acknowledgement. */
  request(message: unknown): Promise<boolean> {
    if (this.isEnded) return Promise.resolve(false)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.close(), this.#parts.timeoutMs)
      const settle =
        <Value>(next: (value: Value) => void) =>
        (value: Value): void => {
          clearTimeout(timer)
          next(value)
        }
      this.#waiting.push({ done: settle(resolve), failed: settle(reject) })
      this.#send(message)
    })
  }

  /** Keeps new messages until `release`, so that missed messages come first. */
  hold(): void {
    this.#held = []
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const message of held) if (this.#parts.protocol.isNew(message)) this.#parts.deliver(message)
  }

  close(): void {
    if (this.isEnded) return
    this.#ending.abort()
    clearInterval(this.#heartbeat)
    this.#settleAuthentication?.(unreachable)
    for (const { done } of this.#waiting.splice(0)) done(false)
    try {
      this.#socket.close()
    } catch {
      // The connection was not open yet.
    }
  }

  #send(message: unknown): void {
    // A browser throws nothing on a connection that is closing, and reports a problem of the page.
    if (this.#socket.readyState !== OPEN) return this.close()
    try {
      this.#socket.send(JSON.stringify(message))
    } catch {
      this.close()
    }
  }

  #receive(data: unknown): void {
    if (this.isEnded) return
    this.#hasFrames = true
    let frame: unknown
    try {
      frame = JSON.parse(typeof data === 'string' ? data : decoder.decode(data as ArrayBuffer))
    } catch {
      return this.close()
    }
    for (const one of this.#parts.protocol.read(frame)) this.#handle(one)
  }

  #handle(frame: Frame<Message>): void {
    switch (frame.kind) {
      case 'connected':
        return this.#send(this.#parts.authentication)
      case 'authenticated':
        return this.#settleAuthentication?.(undefined)
      case 'refused':
        this.#parts.reportError(frame.error)
        return this.#settleAuthentication ? this.#settleAuthentication(frame) : this.close()
      case 'acknowledged':
        return this.#waiting.shift()?.done(true)
      case 'error':
        this.#parts.reportError(frame.error)
        if (frame.isAnswer) this.#waiting.shift()?.failed(frame.error)
        return
      case 'message':
        if (this.#held) this.#held.push(frame.message)
        else this.#parts.deliver(frame.message)
        return
      case 'step':
        void this.#parts.done().then(() => this.#send({ action: 'acknowledge', step: frame.step }))
        return
      default:
        return frame satisfies never
    }
  }

  /** A browser reports no pings, so a silent connection is checked with the subscriptions, which are acknowledged. */
  #startHeartbeat(): void {
    const { heartbeatMs, protocol } = this.#parts
    this.#heartbeat = setInterval(() => {
      const request = protocol.subscription()
      const isSilent = !this.#hasFrames
      this.#hasFrames = false
      if (isSilent && request !== undefined) this.request(request).catch(() => this.close())
    }, heartbeatMs)
  }
}
