import type { WorldId } from '@quipu/core'
import { Fenced } from '../../journal/journal.ts'
import { LeaseHeld } from '../../journal/lease.ts'
import { Rebuilds } from '../../world/rebuilds.ts'

/** Whether another process has taken the world. */
export const isTakenWorld = (error: unknown): boolean => error instanceof LeaseHeld || error instanceof Fenced

/**
 * Changes of stored worlds that have failed on the way, such as without the database:
 *   a world whose reset or deletion has failed is opened again as it is stored, or it was deleted
 *   what a failed creation has stored is deleted
 * Each is tried again until it succeeds, or this process ends.
 */
export class Unfinished {
  readonly #failed: (world: WorldId, error: unknown) => void
  readonly #running = new Set<Rebuilds>()

  constructor(failed: (world: WorldId, error: unknown) => void) {
    this.#failed = failed
  }

  /** Tries until `attempt` succeeds. */
  retry(world: WorldId, attempt: () => Promise<unknown>): void {
    let isDone = false
    const attempts = new Rebuilds({
      begin: () =>
        attempt().then(
          () => {
            isDone = true
            this.#running.delete(attempts)
          },
          (error) => this.#failed(world, error),
        ),
      isWanted: () => !isDone,
    })
    this.#running.add(attempts)
    attempts.start(Promise.resolve())
  }

  /** Resolves when no attempt is under way. */
  async close(): Promise<void> {
    for (const attempts of this.#running) await attempts.end()
  }
}
