import { setTimeout as sleep } from 'node:timers/promises'

/** The minimum time between two rebuilds: each reads the journal, and a failed disk rarely recovers at once. */
const REBUILD_PAUSE_MS = 500
/** A rebuild that has run for so long reads a large world. One that fails, fails earlier. */
const LONG_MS = 2_000

export type RebuildsParts = {
  /** Reads the world again. Reports its failure itself. */
  readonly begin: () => Promise<void>
  /** Whether the world is down and may be opened here. */
  readonly isWanted: () => boolean
}

/**
 * Rebuilds a world after a failure. The cause, such as a full disk, may persist: it retries until the world is up, may
 * not be opened here any more, or is closed.
 */
export class Rebuilds {
  readonly #parts: RebuildsParts
  readonly #closing = new AbortController()
  #running: Promise<void> | undefined
  #begunMs = Number.NEGATIVE_INFINITY
  #isBeginning = false

  constructor(parts: RebuildsParts) {
    this.#parts = parts
  }

  /** The world is closed, so that no more rebuild begins. */
  get isEnded(): boolean {
    return this.#closing.signal.aborted
  }

  /** A rebuild of a large world is under way. */
  get isLong(): boolean {
    return this.#isBeginning && performance.now() - this.#begunMs > LONG_MS
  }

  /** Rebuilds the world when it has left the failed parts. */
  start(left: Promise<void>): void {
    this.#running = Promise.all([this.#running, left])
      .then(() => this.#repeat())
      .finally(() => {
        this.#running = undefined
      })
  }

  /** Resolves when no rebuild is under way. */
  async end(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted && this.#parts.isWanted()) {
      const pauseMs = this.#begunMs + REBUILD_PAUSE_MS - performance.now()
      // Ends early when the world is closed.
      if (pauseMs > 0) await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => undefined)
      if (signal.aborted) return
      this.#begunMs = performance.now()
      this.#isBeginning = true
      await this.#parts.begin()
      this.#isBeginning = false
    }
  }
}
