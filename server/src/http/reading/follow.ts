import type { Forwarder } from '../../world/publisher.ts'

/** Where the items of a stream come from. */
export type Source<Item, Place extends string | number> = {
  /** Places rise from item to item. */
  readonly placeOf: (item: Item) => Place
  /** The place of the last item that the reader has. */
  readonly after: Place
  /** The items that exist now, oldest first. May begin with items up to `last`, which are skipped. */
  readonly past: (last: Place) => AsyncIterable<readonly Item[]>
  /** Calls back with new items, in order, until called off. */
  readonly listen: (heard: (items: readonly Item[]) => void) => () => void
  /** Attaches the stream to its world, whose end is the end of the stream. */
  readonly attach: (carrier: Forwarder) => () => void
}

export type FollowOptions = {
  readonly signal: AbortSignal
  /** Items that may wait in memory for a slow reader. Beyond it the reader catches up from the past. */
  readonly queueMax?: number
  /** How often an empty batch is given while nothing happens. */
  readonly lookMs?: number
}

const QUEUE_MAX = 1_000
/** How long a controlled clock waits for a reader. */
const CARRY_MS = 5_000

/**
 * Every stream with a past is made here: it catches up, then follows. Gives each item after the reader's place once and
 * in order, in batches, at times empty ones. Ends when the signal aborts, and fails when the world is closed.
 */
export async function* follow<Item, Place extends string | number>(
  source: Source<Item, Place>,
  options: FollowOptions,
): AsyncGenerator<readonly Item[]> {
  let last = source.after
  const fresh = (items: readonly Item[]): readonly Item[] => {
    const later = items.filter((item) => source.placeOf(item) > last)
    if (later.length > 0) last = source.placeOf(later.at(-1)!)
    return later
  }
  const line = new Line(source, options)
  try {
    while (!line.isOver) {
      if (line.isBehind) {
        line.begin()
        for await (const items of source.past(last)) {
          yield fresh(items)
          if (line.isOver) break
        }
      }
      const items = fresh(line.take())
      if (items.length === 0) await line.more()
      yield items
    }
    line.assertOpen()
  } finally {
    line.close()
  }
}

/** The new items of a source since a reader began, as far as memory may hold them. */
class Line<Item> {
  readonly #options: FollowOptions
  readonly #detach: readonly (() => void)[]
  #waiting: Item[] = []
  #isBehind = true
  #isCarrying = true
  #carried: (() => void)[] = []
  #failure: Error | undefined
  #wake: (() => void) | undefined

  constructor({ listen, attach }: Pick<Source<Item, never>, 'listen' | 'attach'>, options: FollowOptions) {
    this.#options = options
    options.signal.addEventListener('abort', this.#ring, { once: true })
    const ended = () => this.#fail(new Error('the world is closed'))
    this.#detach = [
      listen((items) => this.#heard(items)),
      attach({ flushed: () => this.#allCarried(), closed: ended }),
    ]
  }

  /** More has happened than memory holds for this reader. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  get isOver(): boolean {
    return this.#options.signal.aborted || this.#failure !== undefined
  }

  assertOpen(): void {
    if (this.#failure) throw this.#failure
  }

  /** New items are kept from here on, so a reader who reads the past afterwards misses nothing. */
  begin(): void {
    this.#isBehind = false
    this.#waiting = []
  }

  take(): readonly Item[] {
    return this.#waiting.splice(0)
  }

  /** Resolves when there is something to do, or it is time to look. */
  async more(): Promise<void> {
    if (this.#waiting.length > 0 || this.#isBehind || this.isOver) return
    this.#isCarrying = false
    for (const resolve of this.#carried.splice(0)) resolve()
    const { lookMs } = this.#options
    await new Promise<void>((wake) => {
      const timer = lookMs === undefined ? undefined : setTimeout(wake, lookMs)
      this.#wake = () => {
        clearTimeout(timer)
        wake()
      }
    })
    this.#isCarrying = true
  }

  close(): void {
    this.#options.signal.removeEventListener('abort', this.#ring)
    for (const detach of this.#detach) detach()
    for (const resolve of this.#carried.splice(0)) resolve()
  }

  #heard(items: readonly Item[]): void {
    if (this.#isBehind || items.length === 0) return
    this.#waiting.push(...items)
    if (this.#waiting.length > (this.#options.queueMax ?? QUEUE_MAX)) {
      this.#isBehind = true
      this.#waiting = []
    }
    this.#ring()
  }

  async #allCarried(): Promise<void> {
    if (!this.#isCarrying && this.#waiting.length === 0) return
    const timer = setTimeout(() => this.#fail(new Error('the reader is too slow')), CARRY_MS)
    await new Promise<void>((resolve) => this.#carried.push(resolve))
    clearTimeout(timer)
  }

  #fail(why: Error): void {
    this.#failure ??= why
    this.#ring()
  }

  readonly #ring = (): void => {
    this.#wake?.()
    this.#wake = undefined
  }
}
