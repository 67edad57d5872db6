import { ApiError, errorFrom, NetworkError } from './errors.ts'
import { delayBeforeRetry, isTransient, pause, reasonOf, type Transport } from './send.ts'
import { type SseMessage, SseParser } from './sse.ts'

/** The request of a stream. */
export type StreamRequest = { readonly url: string; readonly headers: Readonly<Record<string, string>> }

export type FollowOptions = {
  /** Ends the stream: the loop throws the signal's reason. */
  readonly signal?: AbortSignal
  /** Number of failed reconnects in a row before it throws. Default: unlimited. */
  readonly reconnects?: number
  /** Milliseconds of silence after which a connection is replaced; the server sends something every 15 seconds. Default: 45000. */
  readonly idleMs?: number
  /** Called when a connection is open: at the start and after each reconnect. */
  readonly onOpen?: () => void
  /** Called when a connection broke, before it is opened again. */
  readonly onBreak?: () => void
}

/** A stream that can be resumed: how to request it from the current position, and how to skip repeated messages. */
export type FollowSource<Data> = {
  /** Whether the server ends the stream by itself. */
  readonly hasEnd: boolean
  /** The request for the messages after the current position. */
  request(): StreamRequest
  /** Records an id that arrived without a message. */
  recordId(id: string): void
  /** The data of a message; undefined if it is a repetition. */
  take(message: SseMessage): Data | undefined
}

const IDLE_MS = 45_000

/**
 * Yields the data of a stream, each message once and in order, across reconnects. A refusal, such as a wrong key, is
 * thrown at once; so is an unreachable server at the start.
 */
export async function* follow<Data>(
  transport: Transport,
  source: FollowSource<Data>,
  { signal, reconnects = Number.POSITIVE_INFINITY, idleMs = IDLE_MS, onOpen, onBreak }: FollowOptions,
): AsyncGenerator<Data, undefined> {
  let failures = 0
  let wasOpen = false
  let requestedDelayMs: number | undefined
  for (;;) {
    signal?.throwIfAborted()
    const connection = new Connection(transport, source.request(), { idleMs, signal, onOpen })
    let error: ApiError | NetworkError
    try {
      for await (const message of connection.messages(source)) {
        failures = 0
        const data = source.take(message)
        if (data !== undefined) yield data
      }
      if (source.hasEnd) return undefined
      error = new NetworkError('the server ended an endless stream')
    } catch (cause) {
      if (!(cause instanceof ApiError || cause instanceof NetworkError)) throw cause
      error = cause
    } finally {
      connection.close()
    }
    if (connection.isOpen) {
      wasOpen = true
      onBreak?.()
    }
    requestedDelayMs = connection.retryMs ?? requestedDelayMs
    failures += 1
    const failuresMax = wasOpen ? reconnects : transport.retries
    if (!isTransient(error) || failures > failuresMax) throw error
    await pause(requestedDelayMs ?? delayBeforeRetry(transport, failures - 1, error), signal)
  }
}

/** One connection, until it breaks or is closed. */
class Connection {
  isOpen = false
  readonly #transport: Transport
  readonly #request: StreamRequest
  readonly #idleMs: number
  readonly #signal: AbortSignal | undefined
  readonly #onOpen: (() => void) | undefined
  readonly #closing = new AbortController()
  readonly #parser = new SseParser()
  #timer: ReturnType<typeof setTimeout> | undefined
  #problem = ''

  constructor(
    transport: Transport,
    request: StreamRequest,
    {
      idleMs,
      signal,
      onOpen,
    }: { idleMs: number; signal: AbortSignal | undefined; onOpen: (() => void) | undefined },
  ) {
    this.#transport = transport
    this.#request = request
    this.#idleMs = idleMs
    this.#signal = signal
    this.#onOpen = onOpen
  }

  get retryMs(): number | undefined {
    return this.#parser.retryMs
  }

  async *messages(source: Pick<FollowSource<unknown>, 'recordId'>): AsyncGenerator<SseMessage, undefined> {
    const reader = await this.#open()
    for (;;) {
      const bytes = await this.#next(reader)
      if (bytes === undefined) return undefined
      const messages = this.#parser.take(bytes)
      if (messages.length === 0 && this.#parser.id !== undefined) source.recordId(this.#parser.id)
      // The time that the consumer takes for a message does not count as silence.
      clearTimeout(this.#timer)
      yield* messages
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#closing.abort()
  }

  async #open(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    const { fetch, timeoutMs } = this.#transport
    const { url, headers } = this.#request
    this.#startTimer(timeoutMs, `no response within ${timeoutMs} ms`)
    const signals = [this.#closing.signal, ...(this.#signal ? [this.#signal] : [])]
    const response = await this.#attempt(() =>
      fetch(url, { headers, redirect: 'error', signal: AbortSignal.any(signals) }),
    )
    if (!response.ok)
      throw errorFrom(response.status, response.headers, await this.#attempt(() => response.text()))
    const type = response.headers.get('content-type') ?? 'nothing'
    if (!type.startsWith('text/event-stream') || !response.body)
      throw new ApiError({
        status: response.status,
        message: `GET ${url}: expected text/event-stream, received ${type}; is this the right URL?`,
      })
    this.isOpen = true
    this.#onOpen?.()
    return response.body.getReader()
  }

  async #next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
    this.#startTimer(this.#idleMs, `no data for ${this.#idleMs} ms`)
    return (await this.#attempt(() => reader.read())).value
  }

  #startTimer(ms: number, problem: string): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#problem = problem
      this.#closing.abort()
    }, ms)
  }

  async #attempt<Value>(step: () => Promise<Value>): Promise<Value> {
    try {
      return await step()
    } catch (cause) {
      this.#signal?.throwIfAborted()
      const reason = this.#problem || reasonOf(cause)
      throw new NetworkError(`GET ${this.#request.url}: ${reason}`, { cause })
    }
  }
}
