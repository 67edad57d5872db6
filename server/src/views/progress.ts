import { type Journal, lossOf } from '../journal/journal.ts'
import type { TablesState } from './tables.ts'

/** The position of the views, and the callers that wait for a later one. */
export class Progress {
  #position: number
  #waiting: {
    readonly seq: number
    readonly resolve: () => void
    readonly reject: (error: unknown) => void
  }[] = []
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
    const ready = this.#waiting.filter(({ seq }) => seq <= to)
    this.#waiting = this.#waiting.filter(({ seq }) => seq > to)
    for (const { resolve } of ready) resolve()
  }

  /** Rejects every waiting caller, because the position will not change anymore. */
  fail(error: unknown): void {
    this.#failure = { error }
    const waiting = this.#waiting
    this.#waiting = []
    for (const { reject } of waiting) reject(error)
  }

  reached(seq: number): Promise<void> {
    if (seq <= this.#position) return Promise.resolve()
    if (this.#failure) return Promise.reject(this.#failure.error)
    return new Promise((resolve, reject) => this.#waiting.push({ seq, resolve, reject }))
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
