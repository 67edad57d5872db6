/** Messages or requests so far: of clients that may trade, and of clients whose credential only reads. */
export type ClientActivity = { readonly traders: number; readonly readers: number }

type WaitOptions = Pick<ClientWait, 'rounds' | 'looksAhead' | 'stopped' | 'readersMs'>

/** One wait of a replay for the clients. */
export class ClientWait {
  /** Pings that a client which does not report answers in a row, without a request in between. */
  readonly rounds: number
  /** Whether a participant may receive messages of later instants. */
  readonly looksAhead: boolean
  /** Resolves the wait early. */
  readonly stopped: AbortSignal
  readonly #readersEndMs: number

  constructor({ rounds, looksAhead, stopped, readersMs }: WaitOptions) {
    this.rounds = rounds
    this.looksAhead = looksAhead
    this.stopped = stopped
    this.#readersEndMs = performance.now() + readersMs
  }

  /** Milliseconds for which clients that only read can still extend the wait. */
  get readersMs(): number {
    return Math.max(0, Math.ceil(this.#readersEndMs - performance.now()))
  }

  /** Whether the activity since `before` extends the wait. */
  isExtended(before: ClientActivity, now: ClientActivity): boolean {
    return before.traders !== now.traders || (before.readers !== now.readers && this.readersMs > 0)
  }
}

/** Counts the HTTP requests of clients to one world. */
export class ClientRequests {
  readonly traders = new RequestCount()
  readonly readers = new RequestCount()

  /** The requests since the world was opened, and these messages. */
  with({ traders, readers }: ClientActivity): ClientActivity {
    return { traders: this.traders.begun + traders, readers: this.readers.begun + readers }
  }

  /** Resolves when no request is open that extends the wait. */
  async none(wait: ClientWait): Promise<void> {
    const { traders, readers } = this
    while (traders.open > 0 && !wait.stopped.aborted) await traders.none(wait.stopped)
    if (readers.open > 0 && wait.readersMs > 0)
      await readers.none(AbortSignal.any([wait.stopped, AbortSignal.timeout(wait.readersMs)]))
  }
}

/** Counts the requests that have begun and those that have not ended. */
export class RequestCount {
  #begun = 0
  #open = 0
  readonly #waiting = new Set<() => void>()

  get begun(): number {
    return this.#begun
  }

  get open(): number {
    return this.#open
  }

  begin(): void {
    this.#begun += 1
    this.#open += 1
  }

  /** The response of a request is written. */
  end(): void {
    this.#open -= 1
    if (this.#open === 0) for (const resolve of this.#waiting) resolve()
  }

  /** Resolves as soon as no request is open, or with the signal. */
  async none(ended: AbortSignal): Promise<void> {
    if (this.#open === 0 || ended.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = (): void => resolve()
    this.#waiting.add(end)
    ended.addEventListener('abort', end)
    await promise
    this.#waiting.delete(end)
    ended.removeEventListener('abort', end)
  }
}
