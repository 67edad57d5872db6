import { ApiError, errorFrom, NetworkError } from './errors.ts'
import { delayMs, isPassing, pause, reasonOf, type Transport } from './send.ts'
import { type SseMessage, SseParser } from './sse.ts'

/** Where a stream is asked for. */
export type Asked = { readonly url: string; readonly headers: Readonly<Record<string, string>> }

export type FollowOptions = {
  /** Ends it: the loop then throws the signal's reason. */
  readonly signal?: AbortSignal
  /** How often in a row it may fail to come back before it throws; for ever unless said. */
  readonly reconnects?: number
  /** A connection that is silent for so long is given up; the server says something every 15 seconds. 45 unless said. */
  readonly idleMs?: number
}

/** Something to follow: how to ask for it from the place one has come to, and what of it is new. */
export type Source<Data> = {
  /** Whether the server ends it by itself. */
  readonly hasEnd: boolean
  /** Asks for what comes after all that was taken. */
  ask(): Asked
  /** Notes an id that came without a message. */
  place(id: string): void
  /** What a message tells; nothing where it was told before. */
  take(message: SseMessage): Data | undefined
}

const IDLE_MS = 45_000

/**
 * What a stream tells, each once and in order, across as many connections as it takes. An answer that is no, such as a
 * wrong key, is thrown at once; so is a server that is not there at the beginning.
 */
export async function* follow<Data>(
  transport: Transport,
  source: Source<Data>,
  { signal, reconnects = Number.POSITIVE_INFINITY, idleMs = IDLE_MS }: FollowOptions,
): AsyncGenerator<Data, undefined> {
  let failures = 0
  let wasOpen = false
  let wished: number | undefined
  for (;;) {
    signal?.throwIfAborted()
    const connection = new Connection(transport, source.ask(), idleMs, signal)
    let broken: ApiError | NetworkError
    try {
      for await (const message of connection.messages(source)) {
        failures = 0
        const data = source.take(message)
        if (data !== undefined) yield data
      }
      if (source.hasEnd) return undefined
      broken = new NetworkError('the server ended what has no end')
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof NetworkError)) throw error
      broken = error
    } finally {
      connection.close()
    }
    if (connection.isOpen) wasOpen = true
    wished = connection.retryMs ?? wished
    failures += 1
    const most = wasOpen ? reconnects : transport.retries
    if (!isPassing(broken) || failures > most) throw broken
    await pause(wished ?? delayMs(transport, failures - 1, broken), signal)
  }
}

/** One connection, until it breaks or is left. */
class Connection {
  isOpen = false
  readonly #transport: Transport
  readonly #asked: Asked
  readonly #idleMs: number
  readonly #signal: AbortSignal | undefined
  readonly #leaving = new AbortController()
  readonly #parser = new SseParser()
  #silence: ReturnType<typeof setTimeout> | undefined
  #problem = ''

  constructor(transport: Transport, asked: Asked, idleMs: number, signal: AbortSignal | undefined) {
    this.#transport = transport
    this.#asked = asked
    this.#idleMs = idleMs
    this.#signal = signal
  }

  get retryMs(): number | undefined {
    return this.#parser.retryMs
  }

  async *messages(source: Pick<Source<unknown>, 'place'>): AsyncGenerator<SseMessage, undefined> {
    const reader = await this.#open()
    for (;;) {
      const bytes = await this.#next(reader)
      if (bytes === undefined) return undefined
      const messages = this.#parser.take(bytes)
      if (messages.length === 0 && this.#parser.id !== undefined) source.place(this.#parser.id)
      // Whoever takes their time with a message is not kept waiting by the server.
      clearTimeout(this.#silence)
      yield* messages
    }
  }

  close(): void {
    clearTimeout(this.#silence)
    this.#leaving.abort()
  }

  async #open(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    const { fetch, timeoutMs } = this.#transport
    const { url, headers } = this.#asked
    this.#expect(timeoutMs, `no answer within ${timeoutMs} ms`)
    const signals = [this.#leaving.signal, ...(this.#signal ? [this.#signal] : [])]
    const response = await this.#attempt(() =>
      fetch(url, { headers, redirect: 'error', signal: AbortSignal.any(signals) }),
    )
    if (!response.ok)
      throw errorFrom(response.status, response.headers, await this.#attempt(() => response.text()))
    const type = response.headers.get('content-type') ?? 'nothing'
    if (!type.startsWith('text/event-stream') || !response.body)
      throw new ApiError({
        status: response.status,
        message: `GET ${url}: expected text/event-stream, received ${type}; is this the right address?`,
      })
    this.isOpen = true
    return response.body.getReader()
  }

  async #next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
    this.#expect(this.#idleMs, `nothing came for ${this.#idleMs} ms`)
    return (await this.#attempt(() => reader.read())).value
  }

  #expect(ms: number, problem: string): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => {
      this.#problem = problem
      this.#leaving.abort()
    }, ms)
  }

  async #attempt<Value>(step: () => Promise<Value>): Promise<Value> {
    try {
      return await step()
    } catch (cause) {
      this.#signal?.throwIfAborted()
      const why = this.#problem || reasonOf(cause)
      throw new NetworkError(`GET ${this.#asked.url}: ${why}`, { cause })
    }
  }
}
