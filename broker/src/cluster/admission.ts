import { setTimeout as sleep } from 'node:timers/promises'
import type { WorldId } from '@quipu/core'

/** Counts the requests to each world that this node answers, and holds back new ones while a world is handed over. */
export class Admission {
  readonly #begun = new Map<WorldId, number>()
  readonly #closed = new Map<WorldId, PromiseWithResolvers<true>>()

  isClosed(world: WorldId): boolean {
    return this.#closed.has(world)
  }

  /** The count of a world, for one request. */
  of(world: WorldId): { begin(): void; end(): void } {
    return { begin: () => this.#add(world, 1), end: () => this.#add(world, -1) }
  }

  /**
   * From now on no request to the world begins. Resolves when the begun ones have ended; false if they have not after
   * this time.
   */
  async close(world: WorldId, timeoutMs: number): Promise<boolean> {
    const none = Promise.withResolvers<true>()
    this.#closed.set(world, none)
    if (!this.#begun.has(world)) return true
    const timeout = new AbortController()
    const late = sleep(timeoutMs, false, { ref: false, signal: timeout.signal }).catch(() => false)
    try {
      return await Promise.race([none.promise, late])
    } finally {
      timeout.abort()
    }
  }

  open(world: WorldId): void {
    this.#closed.delete(world)
  }

  #add(world: WorldId, change: 1 | -1): void {
    const count = (this.#begun.get(world) ?? 0) + change
    if (count > 0) this.#begun.set(world, count)
    else {
      this.#begun.delete(world)
      this.#closed.get(world)?.resolve(true)
    }
  }
}
