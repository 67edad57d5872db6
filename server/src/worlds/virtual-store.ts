import { apply, copyState, emptyState, forget, type State, type WorldSettings } from '@quipu/core'
import type { Journal } from '../journal/journal.ts'
import { eventOf } from '../journal/stored-event.ts'
import { openForkViews } from '../views/fork/fork-views.ts'
import { openMemoryViews } from '../views/memory.ts'
import type { Views } from '../views/views.ts'
import type { WorldParts } from '../world/world.ts'

/** Where a fork began: its last shared event, and the views of its parent up to that event. */
export type ForkPoint = { readonly seq: number; readonly parentViews: () => Views }

/** The storage of a virtual world. */
export type VirtualStore = Pick<WorldParts, 'settings' | 'openJournal' | 'openViews' | 'snapshot'>

/** The storage of a world with this journal. A fork reads the closed orders of its past in the parent. */
export async function storeOf(
  settings: WorldSettings,
  journal: Journal,
  fork?: ForkPoint,
): Promise<VirtualStore> {
  if (!fork)
    return {
      settings,
      openJournal: async () => journal,
      openViews: openMemoryViews,
      snapshot: async () => undefined,
    }
  return forkStore(settings, journal, await stateAt(journal, fork.seq), fork.parentViews)
}

/** The storage of a fork. `state` is that of the fork point; closed orders are released from it. */
export function forkStore(
  settings: WorldSettings,
  journal: Journal,
  state: State,
  parentViews: ForkPoint['parentViews'],
): VirtualStore {
  forget(state, state.seq)
  const snapshot = copyState(state)
  return {
    settings,
    openJournal: async () => journal,
    async openViews(journal) {
      const views = openForkViews({ journal, state, parent: parentViews })
      views.follow(journal.head().seq)
      return views
    },
    snapshot: async () => snapshot,
  }
}

/** The open state after an event. */
async function stateAt(journal: Journal, seq: number): Promise<State> {
  const state = emptyState()
  for await (const entries of journal.read(0)) {
    for (const entry of entries.slice(0, seq - state.seq)) apply(state, eventOf(entry))
    forget(state, state.seq)
    if (state.seq >= seq) return state
  }
  return state
}
