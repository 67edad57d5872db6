import { type Journal, lossOf } from '../journal/journal.ts'
import type { TablesState } from './sqlite/tables.ts'

type Waiting = {
  readonly seq: number
  /** Whether a position that stays the same ends the wait. */
  readonly orStalled: boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** The position of the query tables, and the callers that wait for a later one. */
export class TablesProgress {
  #position: number
  #waiting: Waiting[] = []
  #isStalled = false
  #failure: { readonly error: unknown } | undefined

  constructor(position: number) {
    this.#position = position
  }

  get position(): number {
    return this.#position
  }

  get isAwaited(): boolean {
    return this.#waiting.length > 0
  }

  advance(to: number): void {
    this.#position = to
    this.#isStalled = false
    this.#resolve(({ seq }) => seq <= to)
  }

  /** The position stays the same until the next call of `advance`. */
  stall(): void {
    this.#isStalled = true
    this.#resolve(({ orStalled }) => orStalled)
  }

  /** Rejects every waiting caller, because the position will not change anymore. */
  fail(error: unknown): void {
    this.#failure = { error }
    const waiting = this.#waiting
    this.#waiting = []
    for (const { reject } of waiting) reject(error)
  }

  reached(seq: number): Promise<void> {
    return this.#wait(seq, false)
  }

  reachedOrStalled(seq: number): Promise<void> {
    return this.#wait(seq, true)
  }

  #wait(seq: number, orStalled: boolean): Promise<void> {
    if (seq <= this.#position || (orStalled && this.#isStalled)) return Promise.resolve()
    if (this.#failure) return Promise.reject(this.#failure.error)
    return new Promise((resolve, reject) => this.#waiting.push({ seq, orStalled, resolve, reject }))
  }

  #resolve(isReady: (one: Waiting) => boolean): void {
    const ready = this.#waiting.filter(isReady)
    this.#waiting = this.#waiting.filter((one) => !isReady(one))
    for (const { resolve } of ready) resolve()
  }
}

/** Why tables do not belong to a journal; undefined if they do. Throws JournalLost if they are ahead of it. */
export async function mismatch(
  journal: Journal,
  { position, mark }: TablesState,
): Promise<string | undefined> {
  const head = journal.head()
  const loss = lossOf(head.seq, [{ name: 'the query tables', seq: position }])
  if (loss) throw loss
  if (mark && (await journal.hashAt(mark.seq)) !== mark.hash) return 'they were made from another journal'
  return undefined
}
