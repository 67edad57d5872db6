import type { Forwarder } from '@quipu/broker/world/publisher.ts'
import { lastOf } from '@quipu/core/values'

/** Where a stream gets its items. */
export type ReadingSource<Item, Position extends string | number> = {
  /** Positions increase from item to item. */
  readonly positionOf: (item: Item) => Position
  /** The position of the last item that the reader has received. */
  readonly after: Position
  /** The items that exist now, oldest first. May begin with items up to `last`, which are skipped. */
  readonly past: (last: Position) => AsyncIterable<readonly Item[]>
  /** Passes new items in order, until the returned function is called. */
  readonly listen: (receive: (items: readonly Item[]) => void) => () => void
  /** Attaches the stream to its world; the stream ends with the world. */
  readonly attach: (forwarder: Forwarder) => () => void
}

export type ReadingOptions = {
  readonly signal: AbortSignal
  /** Items that may wait in memory for a slow reader. Beyond this limit the reader reads them from the past. */
  readonly queueMax?: number
  /** The interval of empty batches while there are no new items. */
  readonly checkMs?: number | undefined
}

const QUEUE_MAX = 1_000
/** The time that a virtual clock waits for a reader. */
const FLUSH_MS = 5_000

/**
 * Yields the past items of a source, then new ones: each item after the reader's position once, in order, in batches
 * that may be empty. Ends when the signal aborts, and fails when the world is closed.
 */
export async function* followReading<Item, Position extends string | number>(
  source: ReadingSource<Item, Position>,
  options: ReadingOptions,
): AsyncGenerator<readonly Item[]> {
  let last = source.after
  const fresh = (items: readonly Item[]): readonly Item[] => {
    const later = items.filter((item) => source.positionOf(item) > last)
    if (later.length > 0) last = source.positionOf(lastOf(later))
    return later
  }
  const queue = new EventQueue(source, options)
  try {
    while (!queue.isOver) {
      if (queue.isBehind) {
        queue.begin()
        for await (const items of source.past(last)) {
          yield fresh(items)
          if (queue.isOver) break
        }
      }
      const items = fresh(queue.take())
      if (items.length === 0) await queue.more()
      yield items
    }
    queue.assertOpen()
  } finally {
    queue.close()
  }
}

/** The new items of a source for one reader, up to the limit of its memory. */
class EventQueue<Item> {
  readonly #options: ReadingOptions
  readonly #detach: readonly (() => void)[]
  #waiting: Item[] = []
  #isBehind = true
  #isDelivering = true
  #flushWaiters: (() => void)[] = []
  #failure: Error | undefined
  #wake: (() => void) | undefined

  constructor(
    { listen, attach }: Pick<ReadingSource<Item, never>, 'listen' | 'attach'>,
    options: ReadingOptions,
  ) {
    this.#options = options
    options.signal.addEventListener('abort', this.#wakeUp, { once: true })
    const closed = () => this.#fail(new Error('the world is closed'))
    this.#detach = [
      listen((items) => this.#receive(items)),
      attach({ flushed: () => this.#flushed(), closed }),
    ]
  }

  /** Whether there were more new items than memory holds. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  get isOver(): boolean {
    return this.#options.signal.aborted || this.#failure !== undefined
  }

  assertOpen(): void {
    if (this.#failure) throw this.#failure
  }

  /** Begins to queue new items. A reader that reads the past afterwards misses none. */
  begin(): void {
    this.#isBehind = false
    this.#waiting = []
  }

  take(): readonly Item[] {
    return this.#waiting.splice(0)
  }

  /** Resolves when there are new items, or after checkMs. */
  async more(): Promise<void> {
    if (this.#waiting.length > 0 || this.#isBehind || this.isOver) return
    this.#isDelivering = false
    for (const resolve of this.#flushWaiters.splice(0)) resolve()
    const { checkMs } = this.#options
    await new Promise<void>((wake) => {
      const timer = checkMs === undefined ? undefined : setTimeout(wake, checkMs)
      this.#wake = () => {
        clearTimeout(timer)
        wake()
      }
    })
    this.#isDelivering = true
  }

  close(): void {
    this.#options.signal.removeEventListener('abort', this.#wakeUp)
    for (const detach of this.#detach) detach()
    for (const resolve of this.#flushWaiters.splice(0)) resolve()
  }

  #receive(items: readonly Item[]): void {
    if (this.#isBehind || items.length === 0) return
    this.#waiting.push(...items)
    if (this.#waiting.length > (this.#options.queueMax ?? QUEUE_MAX)) {
      this.#isBehind = true
      this.#waiting = []
    }
    this.#wakeUp()
  }

  async #flushed(): Promise<void> {
    if (!this.#isDelivering && this.#waiting.length === 0) return
    const timer = setTimeout(() => this.#fail(new Error('the reader is too slow')), FLUSH_MS)
    await new Promise<void>((resolve) => this.#flushWaiters.push(resolve))
    clearTimeout(timer)
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#wakeUp()
  }

  readonly #wakeUp = (): void => {
    this.#wake?.()
    this.#wake = undefined
  }
}
