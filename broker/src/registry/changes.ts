import type { WorldId } from '@quipu/core'
import type { AdvanceReport } from './advance.ts'

/**
 * A change that is not an event of a journal:
 *   world     a world was created, forked, loaded or reset, or its accounts, market events or corporate actions changed
 *   deleted   a world was deleted
 *   released  another node takes a world over
 *   faults    a fault rule was created, applied or deleted
 *   clock     its clock moved, started or stopped, or an advance began or ended
 *   advanced  an advance that a caller requested has ended
 */
export type WorldChange =
  | { readonly kind: 'world' | 'deleted' | 'released' | 'faults' | 'clock'; readonly world: WorldId }
  | { readonly kind: 'advanced'; readonly world: WorldId; readonly report: AdvanceReport }

type Listener = (change: WorldChange) => void

/** Publishes what changes in the worlds of this process. */
export class WorldChanges {
  readonly #listeners = new Set<Listener>()

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  publish(change: WorldChange): void {
    for (const listener of this.#listeners) listener(change)
  }
}
