import type { ClientOptions } from '../client.ts'
import { errorFrom, NetworkError, StreamError } from '../errors.ts'
import { camelCase } from '../records/case.ts'
import type { TradeUpdate, WireTradeUpdate } from '../records/records.ts'
import { credentialHeaders, requestToken } from '../request.ts'
import { isTransient, reasonOf, transportOf } from '../send.ts'
import { SseParser } from '../sse.ts'
import { createStreams } from '../streams.ts'
import { LiveStream, type StreamOptions } from './live-stream.ts'
import type { Frame, Protocol } from './protocol.ts'

const CHANNEL = 'trade_updates'
const FIRST_ID_MS = 3000
/** Ids of delivered updates that are kept to recognize repetitions. */
const RECENT_MAX = 1000

/** Updates of the orders of the account. */
export class TradeStream extends LiveStream<WireTradeUpdate, TradeUpdate> {
  readonly #protocol: TradeProtocol

  constructor(options: ClientOptions, streamOptions: StreamOptions) {
    const protocol = new TradeProtocol(options)
    super(protocol, streamOptions, (update) => camelCase(update) as TradeUpdate)
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

type TradeFrame = {
  readonly action?: string
  readonly stream?: string
  readonly data?: Readonly<Record<string, unknown>>
}

const textOfError = (data: TradeFrame['data']): string =>
  String(data?.['error_message'] ?? data?.['error'] ?? 'the server sent an error')

class TradeProtocol implements Protocol<WireTradeUpdate> {
  readonly url: string
  readonly hasWelcome = false
  isListening: boolean | undefined
  readonly #options: ClientOptions
  #last: string | undefined
  readonly #recent = new Set<string>()

  constructor(options: ClientOptions) {
    this.#options = options
    this.url = `${options.url.replace(/\/+$/, '')}/stream`
  }

  async authentication(): Promise<unknown> {
    const { keyId, secretKey, accessToken } = this.#options
    if (secretKey !== undefined)
      return { action: 'authenticate', data: { key_id: keyId, secret_key: secretKey } }
    if (accessToken !== undefined)
      return { action: 'authenticate', data: { oauth_token: await requestToken(accessToken) } }
    throw new TypeError('streams need keyId and secretKey, or accessToken')
  }

  subscription(): unknown {
    if (this.isListening === undefined) return undefined
    return { action: 'listen', data: { streams: this.isListening ? [CHANNEL] : [] } }
  }

  read(frame: unknown): readonly Frame<WireTradeUpdate>[] {
    const { action, stream = action, data } = frame as TradeFrame
    if (stream === 'listening') return [{ kind: 'acknowledged' }]
    if (stream === CHANNEL) {
      const message = data as unknown as WireTradeUpdate
      return this.#recent.has(message.event_id) ? [] : [{ kind: 'message', message }]
    }
    if (stream === 'step') return [{ kind: 'step', step: Number(data?.['step']) }]
    // The server acknowledges every listen request, so an error is never the answer to one.
    if (stream === 'error')
      return [{ kind: 'error', error: new StreamError(textOfError(data)), isAnswer: false }]
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

  record({ event_id: id }: WireTradeUpdate): void {
    if (this.#last === undefined || id > this.#last) this.#last = id
    if (id === undefined) return
    this.#recent.add(id)
    if (this.#recent.size > RECENT_MAX) this.#recent.delete(this.#recent.values().next().value!)
  }

  isNew({ event_id: id }: WireTradeUpdate): boolean {
    return this.#last === undefined || id > this.#last
  }

  async *missed(signal: AbortSignal): AsyncGenerator<WireTradeUpdate, undefined> {
    const since_id = this.#last
    if (!this.isListening) return undefined
    const until_id = await this.#position(signal)
    if (since_id === undefined || until_id === undefined)
      throw new StreamError('updates may be missing: the server has no positions of events')
    if (until_id <= since_id) return undefined
    yield* createStreams(this.#options).streamTradeEvents({ query: { since_id, until_id } }, { signal })
    return undefined
  }

  /**
   * The id of the newest event: an event stream of Quipu that begins now sends it first. Undefined if the server has no
   * such stream. Throws NetworkError if it cannot be asked.
   */
  async #position(signal?: AbortSignal): Promise<string | undefined> {
    const { fetch, timeoutMs } = transportOf(this.#options)
    const closing = new AbortController()
    const timer = setTimeout(() => closing.abort(), timeoutMs)
    const url = `${this.#options.url.replace(/\/+$/, '')}/v2/events/trades`
    const headers = { ...credentialHeaders(this.#options), accept: 'text/event-stream' }
    const signals = [closing.signal, ...(signal ? [signal] : [])]
    try {
      const response = await fetch(url, { headers, signal: AbortSignal.any(signals) })
      if (response.ok && response.body) return await firstId(response.body)
      const error = errorFrom(response.status, response.headers, '')
      if (isTransient(error)) throw error
      return undefined
    } catch (cause) {
      throw new NetworkError(`GET ${url}: ${reasonOf(cause)}`, { cause })
    } finally {
      clearTimeout(timer)
      closing.abort()
    }
  }
}

/** The id at the begin of an event stream, or undefined if there is none. */
async function firstId(body: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const parser = new SseParser()
  const reader = body.getReader()
  let timer: ReturnType<typeof setTimeout> | undefined
  const deadline = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), FIRST_ID_MS)
  })
  try {
    while (parser.id === undefined) {
      const read = await Promise.race([reader.read(), deadline])
      if (read === undefined) return undefined
      if (read.value === undefined) throw new Error('the response ended')
      parser.take(read.value)
    }
    return parser.id
  } finally {
    clearTimeout(timer)
  }
}
