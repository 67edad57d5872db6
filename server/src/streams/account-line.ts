import type { AccountId, ActivityPlace, Instant } from '@quipu/core'
import type { Committed } from '../engine.ts'
import type { HistoryPart, HistoryQuery } from '../views/history.ts'
import type { World } from '../world.ts'

/** One message to the listeners of an account. Ids sort as what they tell of happened. */
export type Told = {
  readonly id: string
  readonly at: Instant
  /** Of the event behind it. */
  readonly seq: number
  readonly data: string
}

/** Where messages come from: what a committed event means, and a record of the past. */
export type Telling = {
  readonly part: HistoryPart
  readonly tell: (committed: Committed) => readonly Told[]
  readonly read: (record: string) => { readonly told: readonly Told[]; readonly place: ActivityPlace }
}

/** And the id behind which everything comes that happens after an event of this number. */
export type NumberedTelling = Telling & { readonly lastId: (at: Instant, seq: number) => string }

export type LineParts = {
  readonly world: World
  readonly accountId: AccountId
  readonly telling: Telling
  /** Whatever happened before is of no interest. */
  readonly from: Instant
  readonly signal: AbortSignal
  /** Messages that may wait for a reader; beyond it the reader catches up from the books. */
  readonly queueMax: number
  /** How often a reader who waits for an end looks whether it has come. */
  readonly lookMs?: number
}

/** Rows of the past read in one question. */
const ROWS = 16
/** How long a steered clock waits for a reader. */
const CARRY_MS = 5_000

/**
 * Everything there is to tell of an account, each once and in order: from its past while the reader is behind, then as
 * it becomes durable. It ends when the reader is gone, and with the world.
 */
export class AccountLine {
  readonly #parts: LineParts
  readonly #detach: readonly (() => void)[]
  #waiting: Told[] = []
  #isBehind = true
  #isCarrying = true
  /** The journal number of the last event heard. */
  #heardSeq: number | undefined
  #over: Error | undefined
  #wake: (() => void) | undefined
  #carried: (() => void)[] = []

  constructor(parts: LineParts) {
    this.#parts = parts
    const { world, signal } = parts
    signal.addEventListener('abort', this.#ring, { once: true })
    const ended = () => this.#end(new Error('the world is closed'))
    this.#detach = [
      world.listen((events) => this.#heard(events)),
      world.attach({ carried: () => this.#allCarried(), ended }),
    ]
  }

  /** What is told goes out before the next is asked for. Batches may be empty: then it was only looked. */
  async *follow(): AsyncGenerator<readonly Told[]> {
    let last = ''
    const fresh = (some: readonly Told[]): readonly Told[] => {
      const later = some.filter(({ id }) => id > last)
      last = later.at(-1)?.id ?? last
      return later
    }
    try {
      while (!this.#isDone) {
        if (this.#isBehind) for await (const some of this.#past()) yield fresh(some)
        const some = fresh(this.#take())
        if (some.length > 0) yield some
        else yield await this.#more()
      }
      if (this.#over) throw this.#over
    } finally {
      this.#close()
    }
  }

  get #isDone(): boolean {
    return this.#parts.signal.aborted || this.#over !== undefined
  }

  /** From here on what comes is kept; then all that is durable by now is read, so nothing falls between. */
  async *#past(): AsyncGenerator<readonly Told[]> {
    const { world, accountId, telling, from } = this.#parts
    this.#isBehind = false
    this.#waiting = []
    const { views } = world
    const { seq } = world.view
    await world.engine.reached(seq)
    await views.reached(seq)
    let query: HistoryQuery = {
      accountId,
      part: telling.part,
      after: (from - 1n) as Instant,
      direction: 'asc',
      limit: ROWS,
    }
    for (;;) {
      const rows = (await views.history(query)).map(telling.read)
      yield rows.flatMap(({ told }) => told)
      if (rows.length < ROWS || this.#isDone) return
      query = { ...query, beyond: rows.at(-1)!.place }
    }
  }

  #heard(events: readonly Committed[]): void {
    const { telling, accountId, queueMax } = this.#parts
    const [first] = events
    // After a failure of the journal some events may be durable that nobody was told of.
    const isGap = first && this.#heardSeq !== undefined && first.seq !== this.#heardSeq + 1
    this.#heardSeq = events.at(-1)?.seq ?? this.#heardSeq
    for (const committed of events) {
      if (this.#isBehind || !concerns(committed, accountId)) continue
      this.#waiting.push(...telling.tell(committed))
    }
    if (isGap || this.#waiting.length > queueMax) {
      this.#isBehind = true
      this.#waiting = []
    }
    this.#ring()
  }

  #take(): readonly Told[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }

  /** Nothing more to carry for now. */
  async #more(): Promise<readonly Told[]> {
    if (this.#waiting.length > 0 || this.#isBehind || this.#isDone) return []
    this.#isCarrying = false
    for (const resolve of this.#carried.splice(0)) resolve()
    await new Promise<void>((wake) => {
      const { lookMs } = this.#parts
      const timer = lookMs === undefined ? undefined : setTimeout(wake, lookMs)
      this.#wake = () => {
        clearTimeout(timer)
        wake()
      }
    })
    this.#isCarrying = true
    return []
  }

  async #allCarried(): Promise<void> {
    if (!this.#isCarrying && this.#waiting.length === 0) return
    const timer = setTimeout(() => this.#end(new Error('the reader is too slow')), CARRY_MS)
    await new Promise<void>((resolve) => this.#carried.push(resolve))
    clearTimeout(timer)
  }

  #end(why: Error): void {
    this.#over ??= why
    this.#ring()
  }

  #close(): void {
    this.#parts.signal.removeEventListener('abort', this.#ring)
    for (const detach of this.#detach) detach()
    for (const resolve of this.#carried.splice(0)) resolve()
  }

  readonly #ring = (): void => {
    this.#wake?.()
    this.#wake = undefined
  }
}

/** Whether an event may have something to tell an account; what it books on it shows later. */
function concerns({ event, order, request }: Committed, accountId: AccountId): boolean {
  if (order) return order.accountId === accountId
  // Its issuer listens too.
  if (request) return true
  return 'posting' in event || ('accountId' in event && event.accountId === accountId)
}
