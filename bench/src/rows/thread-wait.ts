import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { threadMicros } from '../../../broker/src/threads/thread-clock.ts'
import type { TurnLengths } from '../turn-lengths.ts'

/** The start of an event-loop turn: CPU time and idle time of the thread until then. */
type Mark = { readonly micros: number; readonly idleMs: number }

/**
 * Measures how long requests of one key wait for the main thread: the CPU time of the thread from the turn in which a
 * request may have arrived until its answer was written. Other processes on the machine cannot change CPU time.
 */
export class ThreadWait {
  readonly #keyId: string
  readonly #lengths: TurnLengths
  readonly #since = new WeakMap<IncomingMessage, number>()
  #waits: number[] = []
  #turns: readonly [earlier: Mark, latest: Mark] = [markNow(), markNow()]
  #isTurnSet = false

  /** While `lengths` measures, it knows the start of every turn, also of turns without requests. */
  constructor(keyId: string, lengths: TurnLengths) {
    this.#keyId = keyId
    this.#lengths = lengths
    subscribe('http.server.request.start', (message) => this.#onRequest((message as Message).request))
    subscribe('http.server.response.finish', (message) => this.#onResponse((message as Message).request))
  }

  /** The waits since the last call, in microseconds, ascending. */
  take(): readonly number[] {
    const waits = this.#waits.sort((a, b) => a - b)
    this.#waits = []
    return waits
  }

  #onRequest(request: IncomingMessage): void {
    if (!this.#isTurnSet) {
      this.#isTurnSet = true
      setImmediate(() => {
        this.#isTurnSet = false
        this.#turns = [this.#turns[1], markNow()]
      })
    }
    if (request.headers['apca-api-key-id'] !== this.#keyId) return
    const [earlier, latest] = this.#turns
    const { micros, idleMs } = markNow()
    // An idle loop was woken by this request; otherwise the request may have arrived when the previous turn began.
    const isWoken = idleMs > latest.idleMs
    this.#since.set(request, this.#lengths.previousMicros ?? (isWoken ? micros : earlier.micros))
  }

  #onResponse(request: IncomingMessage): void {
    const since = this.#since.get(request)
    if (since !== undefined) this.#waits.push(threadMicros() - since)
  }
}

type Message = { readonly request: IncomingMessage }

const markNow = (): Mark => ({
  micros: threadMicros(),
  idleMs: performance.eventLoopUtilization().idle,
})
