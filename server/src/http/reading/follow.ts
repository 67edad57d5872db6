import type { World } from '../../world.ts'
import { type Filter, isWanted, mayBeWanted, type Seen, seenCommitted, seenEntry } from './seen.ts'

/** What may wait for a reader in memory. Beyond it the reader catches up from the journal. */
const QUEUE_MAX = 1_000

/**
 * Wanted events after a number, for ever, each exactly once: from the journal while the reader is behind, then as they
 * become durable. Gives what it has in batches, at times empty ones, each with the last number looked at.
 */
export async function* follow(
  world: World,
  after: number,
  filter: Filter,
  signal: AbortSignal,
): AsyncGenerator<{ readonly seen: readonly Seen[]; readonly upTo: number }> {
  const line = new Line(world, signal)
  let upTo = after
  try {
    while (!signal.aborted) {
      if (line.isBehind) {
        line.begin()
        for await (const entries of world.journal.read(upTo)) {
          const first = upTo + 1
          upTo += entries.length
          const seen = entries.flatMap((entry, index) =>
            mayBeWanted(entry, filter) ? [seenEntry(first + index, entry)] : [],
          )
          yield { seen: seen.filter((one) => isWanted(one, filter)), upTo }
          if (signal.aborted) return
        }
        continue
      }
      const fresh = line.take().filter(({ seq }) => seq > upTo)
      if (fresh.length > 0) {
        upTo = fresh.at(-1)!.seq
        yield { seen: fresh.filter((one) => isWanted(one, filter)), upTo }
      } else await line.more()
    }
  } finally {
    line.close()
  }
}

/** What became durable since a reader began, as far as there is room. */
class Line {
  isBehind = true
  #waiting: Seen[] = []
  #wake: (() => void) | undefined
  readonly #detach: readonly (() => void)[]
  readonly #signal: AbortSignal
  #isOver = false

  constructor(world: World, signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', this.#ring, { once: true })
    const told = world.listen((events) => {
      if (this.isBehind) return
      if (this.#waiting.length + events.length > QUEUE_MAX) {
        this.isBehind = true
        this.#waiting = []
      } else for (const committed of events) this.#waiting.push(seenCommitted(committed))
      this.#ring()
    })
    const ended = () => {
      this.#isOver = true
      this.#ring()
    }
    this.#detach = [told, world.attach({ carried: async () => undefined, ended })]
  }

  /** From here on what comes is kept; whoever reads the journal afterwards misses nothing. */
  begin(): void {
    this.isBehind = false
    this.#waiting = []
  }

  take(): readonly Seen[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }

  async more(): Promise<void> {
    if (this.#isOver) throw new Error('the world is closed')
    if (this.#waiting.length > 0 || this.isBehind || this.#signal.aborted) return
    await new Promise<void>((wake) => {
      this.#wake = wake
    })
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#ring)
    for (const detach of this.#detach) detach()
  }

  readonly #ring = (): void => {
    this.#wake?.()
    this.#wake = undefined
  }
}
