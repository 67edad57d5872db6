import type { ClientOptions } from '../client.ts'
import type { TradeUpdate } from '../contract.ts'
import { NetworkError, StreamError } from '../errors.ts'
import { type Credential, credentialHeaders } from '../request.ts'
import { reasonOf, transportOf } from '../send.ts'
import { SseParser } from '../sse.ts'
import { createStreams } from '../streams.ts'
import { LiveStream, type StreamOptions } from './live-stream.ts'
import type { Frame, Protocol } from './protocol.ts'

const CHANNEL = 'trade_updates'

/** Updates of the orders of the account. */
export class TradeStream extends LiveStream<TradeUpdate> {
  readonly #protocol: TradeProtocol

  constructor(options: ClientOptions, streamOptions: StreamOptions) {
    const protocol = new TradeProtocol(options)
    super(protocol, streamOptions)
    this.#protocol = protocol
  }

  /** A loop subscribes by itself. */
  override [Symbol.asyncIterator](): AsyncGenerator<TradeUpdate, undefined> {
    // A refusal ends the loop with its error.
    if (this.#protocol.isListening === undefined) this.subscribe().catch(() => undefined)
    return super[Symbol.asyncIterator]()
  }

  /** Resolves when the server has acknowledged the subscription. */
  async subscribe(): Promise<void> {
    this.#protocol.isListening = true
    await this.apply()
  }

  async unsubscribe(): Promise<void> {
    this.#protocol.isListening = false
    await this.apply()
    this.#protocol.forget()
  }
}

class TradeProtocol implements Protocol<TradeUpdate> {
  readonly url: string
  readonly hasWelcome = false
  isListening: boolean | undefined
  readonly #options: ClientOptions
  #last: string | undefined

  constructor(options: ClientOptions) {
    this.#options = options
    this.url = `${options.url.replace(/\/+$/, '')}/stream`
  }

  authentication(): unknown {
    const credential: Credential = this.#options
    if ('secretKey' in credential)
      return { action: 'authenticate', data: { key_id: credential.keyId, secret_key: credential.secretKey } }
    if ('accessToken' in credential)
      return { action: 'authenticate', data: { oauth_token: credential.accessToken } }
    throw new TypeError('streams need keyId and secretKey, or accessToken')
  }

  subscription(): unknown {
    if (this.isListening === undefined) return undefined
    return { action: 'listen', data: { streams: this.isListening ? [CHANNEL] : [] } }
  }

  read(frame: unknown): readonly Frame<TradeUpdate>[] {
    const { stream, data } = frame as { readonly stream?: string; readonly data?: Record<string, unknown> }
    if (stream === 'listening') return [{ kind: 'acknowledged' }]
    if (stream === CHANNEL) return [{ kind: 'message', message: data as unknown as TradeUpdate }]
    if (stream === 'error')
      return [{ kind: 'error', error: new StreamError(String(data?.['error_message'])) }]
    if (stream !== 'authorization') return []
    if (data?.['status'] === 'authorized') return [{ kind: 'authenticated' }]
    const message = String(data?.['message'] ?? 'not authorized')
    const isTransient = /connection limit/.test(message)
    return [{ kind: 'refused', error: new StreamError(message), isTransient }]
  }

  async begin(): Promise<void> {
    if (this.isListening) this.#last ??= await this.#position()
  }

  /** A later subscription begins at its own time. */
  forget(): void {
    if (!this.isListening) this.#last = undefined
  }

  record({ event_id: id }: TradeUpdate): void {
    if (this.#last === undefined || id > this.#last) this.#last = id
  }

  isNew({ event_id: id }: TradeUpdate): boolean {
    return this.#last === undefined || id > this.#last
  }

  async *missed(signal: AbortSignal): AsyncGenerator<TradeUpdate, undefined> {
    const since_id = this.#last
    if (!this.isListening || since_id === undefined) return undefined
    const until_id = await this.#position(signal)
    if (until_id <= since_id) return undefined
    yield* createStreams(this.#options).streamTradeEvents({ query: { since_id, until_id } }, { signal })
    return undefined
  }

  /** The id of the newest event: an event stream that begins now sends it first. */
  async #position(signal?: AbortSignal): Promise<string> {
    const { fetch, timeoutMs } = transportOf(this.#options)
    const closing = new AbortController()
    const signals = [closing.signal, AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]
    const url = `${this.#options.url.replace(/\/+$/, '')}/v2/events/trades`
    try {
      const headers = { ...credentialHeaders(this.#options), accept: 'text/event-stream' }
      const response = await fetch(url, { headers, signal: AbortSignal.any(signals) })
      const parser = new SseParser()
      const reader = response.body?.getReader()
      while (response.ok && reader) {
        const { value } = await reader.read()
        if (value === undefined) break
        parser.take(value)
        if (parser.id !== undefined) return parser.id
      }
      throw new NetworkError(`GET ${url}: status ${response.status}, without a position`)
    } catch (cause) {
      throw cause instanceof NetworkError
        ? cause
        : new NetworkError(`GET ${url}: ${reasonOf(cause)}`, { cause })
    } finally {
      closing.abort()
    }
  }
}
