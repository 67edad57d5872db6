import { signal } from '@preact/signals'
import { collect } from '../../live/frames.ts'
import { repeat } from '../../live/repeat.ts'

/** The pause between two changes of the list: a flood of rows is a few changes a second. */
const PAUSE_MS = 250

/** Rows that a log keeps; older ones are dropped. */
const KEPT_MAX = 5000

type Numbered = { readonly number: number }

/** Where a log reads: the last rows, then each new row after a number. */
type LogSource<Row> = {
  readonly read: (signal: AbortSignal) => Promise<readonly Row[]>
  readonly follow: (after: number | undefined, signal: AbortSignal) => AsyncIterable<Row>
}

/** A list that grows at its top. New rows wait while it is paused or the viewer has scrolled down. */
export class LiveLog<Row extends Numbered> {
  /** Newest first; undefined while they are read. */
  readonly rows = signal<readonly Row[] | undefined>(undefined)
  /** Newest first. */
  readonly waiting = signal<readonly Row[]>([])
  readonly isPaused = signal(false)
  readonly problem = signal<Error | undefined>(undefined)
  #isAtTop = true

  /** Follows a source until the returned function is called. */
  open(source: LogSource<Row>, onRows: (rows: readonly Row[]) => void = () => undefined): () => void {
    const closing = new AbortController()
    this.rows.value = undefined
    this.waiting.value = []
    this.problem.value = undefined
    void this.#follow(source, closing.signal, onRows)
    return () => closing.abort()
  }

  setPaused(isPaused: boolean): void {
    this.isPaused.value = isPaused
    if (!isPaused) this.showWaiting()
  }

  setAtTop(isAtTop: boolean): void {
    this.#isAtTop = isAtTop
  }

  /** Puts the waiting rows on top. */
  showWaiting(): void {
    if (this.waiting.peek().length === 0) return
    this.rows.value = [...this.waiting.peek(), ...(this.rows.peek() ?? [])].slice(0, KEPT_MAX)
    this.waiting.value = []
  }

  async #follow(
    source: LogSource<Row>,
    signal: AbortSignal,
    onRows: (rows: readonly Row[]) => void,
  ): Promise<void> {
    const take = collect<Row>((added) => {
      if (signal.aborted) return
      this.#take(added)
      onRows(added)
    }, PAUSE_MS)
    await repeat(signal, async () => {
      try {
        const read = await source.read(signal)
        this.rows.value = read.toReversed()
        this.waiting.value = []
        this.problem.value = undefined
        for await (const row of source.follow(read.at(-1)?.number, signal)) take(row)
      } catch (error) {
        if (!signal.aborted) this.problem.value = error as Error
      }
    })
  }

  #take(added: readonly Row[]): void {
    const newest = added.toReversed()
    if (this.isPaused.peek() || !this.#isAtTop)
      this.waiting.value = [...newest, ...this.waiting.peek()].slice(0, KEPT_MAX)
    else this.rows.value = [...newest, ...(this.rows.peek() ?? [])].slice(0, KEPT_MAX)
  }
}
