import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { threadMicros } from '../../broker/src/threads/thread-clock.ts'
import { percentile } from './load.ts'

/** Shorter turns of the event loop only poll. */
const EMPTY_MICROS = 50
/** Garbage collections are reported later than they happen. */
const REPORTED_MS = 500
/** Before a full collection V8 marks in steps, which it does not report: 200 ms of work in up to half a second with a heap of 500 MB. */
const MARKING_MS = 500

type Turn = { readonly fromMs: number; readonly toMs: number; readonly micros: number }
type GcEntry = PerformanceEntry & { readonly detail: { readonly kind: number } }
type Collection = { readonly fromMs: number; readonly toMs: number; readonly isScavenge: boolean }

/** Lengths of turns, in milliseconds of CPU. */
export type TurnsReport = {
  readonly median: number
  readonly p99: number
  /** The longest turn without a garbage collection. */
  readonly longest: number
  /** The longest turn with a scavenge, which collects only young objects; 0 if there was none. */
  readonly longestScavenging: number
  /** The longest turn with another garbage collection; 0 if there was none. */
  readonly longestCollecting: number
}

/** Measures every turn of the event loop by the CPU time of the thread, from `start` to `report`. */
export class TurnLengths {
  #turns: Turn[] = []
  #collections: Collection[] = []
  #isOn = false
  /** CPU time at the start of the previous turn and of this one. */
  #starts: readonly [number, number] = [0, 0]
  readonly #observer = new PerformanceObserver((list) => this.#take(list.getEntries()))

  /** CPU time at the start of the previous turn; undefined while this does not measure. */
  get previousMicros(): number | undefined {
    return this.#isOn ? this.#starts[0] : undefined
  }

  start(): void {
    this.#turns = []
    this.#collections = []
    this.#isOn = true
    this.#observer.observe({ entryTypes: ['gc'] })
    const micros = threadMicros()
    this.#starts = [micros, micros]
    this.#measure(performance.now(), micros)
  }

  async report(): Promise<TurnsReport> {
    this.#isOn = false
    await sleep(REPORTED_MS)
    this.#take(this.#observer.takeRecords())
    this.#observer.disconnect()
    const {
      none = [],
      scavenges = [],
      others = [],
    } = Object.groupBy(this.#turns, (turn) => this.#kindOf(turn))
    const lengths = lengthsOf(none)
    return {
      median: percentile(lengths, 0.5),
      p99: percentile(lengths, 0.99),
      longest: lengths.at(-1)!,
      longestScavenging: lengthsOf(scavenges).at(-1) ?? 0,
      longestCollecting: lengthsOf(others).at(-1) ?? 0,
    }
  }

  #take(entries: readonly PerformanceEntry[]): void {
    for (const { startTime, duration, detail } of entries as unknown as readonly GcEntry[]) {
      const isScavenge = detail.kind === constants.NODE_PERFORMANCE_GC_MINOR
      const fromMs = isScavenge ? startTime : startTime - MARKING_MS
      this.#collections.push({ fromMs, toMs: startTime + duration, isScavenge })
    }
  }

  /** The loop never waits while this measures, because the next turn is always set. */
  #measure(fromMs: number, fromMicros: number): void {
    setImmediate(() => {
      const [toMs, toMicros] = [performance.now(), threadMicros()]
      const micros = toMicros - fromMicros
      if (micros >= EMPTY_MICROS) this.#turns.push({ fromMs, toMs, micros })
      this.#starts = [this.#starts[1], toMicros]
      if (this.#isOn) this.#measure(toMs, toMicros)
    })
  }

  /** The garbage collections in a turn. */
  #kindOf({ fromMs, toMs }: Turn): 'none' | 'scavenges' | 'others' {
    const inTurn = this.#collections.filter((one) => one.fromMs < toMs && one.toMs > fromMs)
    if (inTurn.length === 0) return 'none'
    return inTurn.every(({ isScavenge }) => isScavenge) ? 'scavenges' : 'others'
  }
}

const lengthsOf = (turns: readonly Turn[]): readonly number[] =>
  turns.map(({ micros }) => micros / 1000).sort((a, b) => a - b)

/** The start of an event-loop turn: CPU time and idle time of the thread until then. */
type Mark = { readonly micros: number; readonly idleMs: number }

/**
 * Measures how long requests of one key wait for the main thread: the CPU time of the thread from the turn in which a
 * request may have arrived until its response was written. Other processes on the machine cannot change CPU time.
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
