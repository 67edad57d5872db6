import { NetworkError, StreamError } from '../errors.ts'
import { pause, reasonOf } from '../send.ts'
import { Consumers } from './consumers.ts'
import type { Protocol } from './protocol.ts'
import { type SessionParts, SocketSession } from './session.ts'
import { platformWebSocket, type WebSocketClass } from './web-socket.ts'

/**
 * connecting: the connection or its authentication is under way; open: subscriptions are acknowledged and missed
 * messages are delivered; waiting: the connection broke, and the next attempt follows; closed: by the program or by a
 * refusal.
 */
export type StreamState = 'connecting' | 'open' | 'waiting' | 'closed'

/** The result of the authentication of a stream. */
export type AuthenticationResult = {
  readonly authenticated: boolean
  /** refused: by the server; closed: by the program; timeout: the server did not answer in time. */
  readonly status: 'authenticated' | 'refused' | 'closed' | 'timeout'
  readonly message: string
  /** The code of the protocol, if the server sends one. */
  readonly code?: number | undefined
}

export type StreamOptions = {
  /** Milliseconds before the first reconnect; each further delay is doubled, ±20 %. Default: 250. */
  readonly reconnectMs?: number
  /** Maximum delay between reconnects. Default: 10000. */
  readonly reconnectMaxMs?: number
  /** Milliseconds for the connection, the authentication, and each acknowledgement. Default: 10000. */
  readonly timeoutMs?: number
  /** How often a silent connection is checked, in milliseconds. Default: 15000. */
  readonly heartbeatMs?: number
  /** Whether messages that were missed are read over REST after a reconnect. Default: true. */
  readonly refill?: boolean
  /** Maximum number of messages that wait for a loop. Default: 100000. */
  readonly queueMax?: number
  /** Default: the WebSocket of the platform. */
  readonly WebSocket?: WebSocketClass
}

const defaults = {
  reconnectMs: 250,
  reconnectMaxMs: 10_000,
  timeoutMs: 10_000,
  heartbeatMs: 15_000,
  refill: true,
  queueMax: 100_000,
}

const authenticated = { authenticated: true, status: 'authenticated', message: 'authenticated' } as const

/**
 * A stream that reconnects, subscribes again and reads what it missed. It connects at the first `subscribe` or `ready`.
 * `Wire` is a message as the server sends it, `Message` as the program receives it.
 */
export class LiveStream<Wire, Message = Wire> implements AsyncIterable<Message> {
  readonly #protocol: Protocol<Wire>
  readonly #read: (message: Wire) => Message
  readonly #options: StreamOptions & typeof defaults
  readonly #consumers: Consumers<Message>
  readonly #closing = new AbortController()
  readonly #stateCallbacks = new Set<(state: StreamState) => void>()
  readonly #gapCallbacks = new Set<(error: Error) => void>()
  readonly #errorCallbacks = new Set<(message: string, error: StreamError) => void>()
  #state: StreamState = 'waiting'
  #session: SocketSession<Wire> | undefined
  #running: Promise<void> | undefined
  #hasBegun = false
  #failure: StreamError | undefined
  #changes: (() => void)[] = []

  constructor(protocol: Protocol<Wire>, options: StreamOptions, read: (message: Wire) => Message) {
    this.#protocol = protocol
    this.#read = read
    this.#options = { ...defaults, ...options }
    this.#consumers = new Consumers(this.#options.queueMax)
  }

  get state(): StreamState {
    return this.#state
  }

  /** Connects, and resolves after the authentication. Rejects with StreamError if the credential is refused. */
  async ready(): Promise<void> {
    this.#running ??= this.#run().catch((error) => this.#end(new StreamError(reasonOf(error))))
    while (this.#state !== 'open') {
      if (this.#state === 'closed') throw this.#failure ?? new StreamError('the stream is closed')
      await new Promise<void>((resolve) => this.#changes.push(resolve))
    }
  }

  /**
   * Connects, and resolves with the result of the authentication; it never rejects. Without a timeout it waits while the
   * server cannot be reached.
   */
  async authenticate({ timeoutMs }: { readonly timeoutMs?: number } = {}): Promise<AuthenticationResult> {
    const result = this.ready().then(
      () => authenticated,
      (error) => this.#refusal(error),
    )
    if (timeoutMs === undefined) return result
    const timer = new AbortController()
    const message = `no answer within ${timeoutMs} ms`
    const timeout = pause(timeoutMs, timer.signal).then(
      () => ({ authenticated: false, status: 'timeout', message }) as const,
    )
    return Promise.race([result, timeout]).finally(() => timer.abort())
  }

  #refusal({ message, code }: StreamError): AuthenticationResult {
    return { authenticated: false, status: this.#failure ? 'refused' : 'closed', message, code }
  }

  /**
   * Calls back with every message. Returns a function that ends it. A replay waits for the promise of an async callback.
   */
  onMessage(callback: (message: Message) => unknown): () => void {
    return this.#consumers.onMessage(callback)
  }

  /** Calls back with every new state. */
  onState(callback: (state: StreamState) => void): () => void {
    this.#stateCallbacks.add(callback)
    return () => this.#stateCallbacks.delete(callback)
  }

  /** Calls back if messages were missed and could not be read over REST. */
  onGap(callback: (error: Error) => void): () => void {
    this.#gapCallbacks.add(callback)
    return () => this.#gapCallbacks.delete(callback)
  }

  /** Calls back with the text of every error that the server sends on the stream. */
  onError(callback: (message: string, error: StreamError) => void): () => void {
    this.#errorCallbacks.add(callback)
    return () => this.#errorCallbacks.delete(callback)
  }

  [Symbol.asyncIterator](): AsyncGenerator<Message, undefined> {
    return this.#consumers.loop()
  }

  /** Closes the connection and ends all loops. */
  close(): void {
    this.#end(undefined)
  }

  /** Sends the current subscriptions and waits for the acknowledgement, also across reconnects. */
  protected async apply(): Promise<void> {
    for (;;) {
      await this.ready()
      const session = this.#session
      if (session === undefined) continue
      if (!(await this.#begin())) continue
      // A session that ends before the acknowledgement is replaced by one with the new subscriptions.
      if (await session.request(this.#protocol.subscription())) return
    }
  }

  /** Whether the position at which subscriptions begin is known; a lost response is asked for again. */
  async #begin(): Promise<boolean> {
    try {
      if (this.#options.refill) await this.#protocol.begin()
      return (this.#hasBegun = true)
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error
      await pause(this.#delayMs(0), this.#closing.signal).catch(() => undefined)
      return false
    }
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#closing.signal.aborted; failures++) {
      this.#change('connecting')
      if (await this.#connect()) failures = 0
      if (this.#closing.signal.aborted) return
      this.#change('waiting')
      await pause(this.#delayMs(failures), this.#closing.signal).catch(() => undefined)
    }
  }

  /** Whether there was a connection that was open. Resolves after its end. */
  async #connect(): Promise<boolean> {
    const parts = await this.#parts().catch((error) => {
      // A token that could not be fetched is asked for again.
      if (error instanceof NetworkError) return undefined
      throw error
    })
    if (parts === undefined) return false
    const session = new SocketSession<Wire>(parts)
    const wasOpen = await this.#open(session)
    if (wasOpen) await session.ended
    this.#session = undefined
    session.close()
    return wasOpen
  }

  /** Whether the session is authenticated, subscribed and up to date. */
  async #open(session: SocketSession<Wire>): Promise<boolean> {
    const refusal = await session.authenticate()
    if (refusal !== undefined) {
      if (refusal.isTransient) return false
      this.#end(refusal.error)
      return false
    }
    const request = this.#protocol.subscription()
    if (this.#hasBegun && request !== undefined) {
      session.hold()
      if (!(await session.request(request).catch((error: StreamError) => this.#end(error)))) return false
      // Without the missed messages a later position would hide them, so the next session tries again.
      if (this.#options.refill && !(await this.#refill(session))) return false
      session.release()
    }
    if (this.#closing.signal.aborted || session.isEnded) return false
    this.#session = session
    this.#change('open')
    return true
  }

  /** Whether the missed messages are delivered, or cannot be read at all. */
  async #refill(session: SocketSession<Wire>): Promise<boolean> {
    try {
      for await (const message of this.#protocol.missed(session.signal))
        if (this.#protocol.isNew(message)) this.#deliver(message)
    } catch (error) {
      if (session.isEnded || error instanceof NetworkError) return false
      for (const callback of this.#gapCallbacks) callback(error as Error)
    }
    return !session.isEnded
  }

  #deliver(message: Wire): void {
    this.#protocol.record(message)
    this.#consumers.push(this.#read(message))
  }

  async #parts(): Promise<SessionParts<Wire>> {
    const { timeoutMs, heartbeatMs, WebSocket } = this.#options
    return {
      protocol: this.#protocol,
      WebSocket: WebSocket ?? (await platformWebSocket()),
      authentication: await this.#protocol.authentication(),
      timeoutMs,
      heartbeatMs,
      deliver: (message) => this.#deliver(message),
      reportError: (error) => {
        for (const callback of this.#errorCallbacks) callback(error.message, error)
      },
      done: () => this.#consumers.done(),
    }
  }

  #delayMs(failures: number): number {
    const { reconnectMs, reconnectMaxMs } = this.#options
    // Randomized, so that clients that were disconnected together do not reconnect together.
    return Math.min(reconnectMs * 2 ** failures, reconnectMaxMs) * (0.8 + Math.random() * 0.4)
  }

  #end(error: StreamError | undefined): undefined {
    if (this.#closing.signal.aborted) return
    this.#failure = error
    this.#closing.abort()
    this.#session?.close()
    this.#consumers.end(error)
    this.#change('closed')
  }

  #change(state: StreamState): void {
    if (this.#state === 'closed' || this.#state === state) return
    this.#state = state
    for (const callback of this.#stateCallbacks) callback(state)
    for (const resolve of this.#changes.splice(0)) resolve()
  }
}
