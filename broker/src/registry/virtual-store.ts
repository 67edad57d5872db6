import { copyState, forget, type State, type WorldSettings } from '@quipu/core'
import type { Journal } from '../journal/journal.ts'
import { openForkQueryTables } from '../query-tables/fork/fork-query-tables.ts'
import { openMemoryQueryTables } from '../query-tables/memory.ts'
import type { QueryTables } from '../query-tables/query-tables.ts'
import { replayWhile } from '../world/replay-while.ts'
import type { RefusalStore } from '../world/requests/refused-orders.ts'
import type { OutcomeLimits } from '../world/requests/request-outcomes.ts'
import type { WorldParts } from '../world/world.ts'

/** Where a fork began: its last shared event, and the query tables of its parent up to that event. */
export type ForkPoint = { readonly seq: number; readonly parentQueryTables: () => QueryTables }

/** A storage that has the refused orders of its world. Default: those of the process have them, if the world is stored. */
export type WithRefusals = { readonly refusals?: (refusalsMax: number) => RefusalStore }

/** The limits of a world with this storage. A world in memory ends with the process, and so do its refusals. */
export const outcomesOf = (
  limits: OutcomeLimits | undefined,
  { refusals }: WithRefusals,
  isStored: boolean,
): OutcomeLimits | undefined =>
  limits && {
    ...limits,
    refusedOrders: isStored ? (refusals?.(limits.refusedOrdersMax) ?? limits.refusedOrders) : undefined,
  }

/** The storage of a virtual world. */
export type VirtualStore = Pick<WorldParts, 'settings' | 'openJournal' | 'openQueryTables' | 'snapshot'> &
  WithRefusals

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
      openQueryTables: openMemoryQueryTables,
      snapshot: async () => undefined,
    }
  return forkStore(settings, journal, await stateAt(journal, fork.seq), fork.parentQueryTables)
}

/** The storage of a fork. `state` is that of the fork point; closed orders are released from it. */
export function forkStore(
  settings: WorldSettings,
  journal: Journal,
  state: State,
  parentQueryTables: ForkPoint['parentQueryTables'],
): VirtualStore {
  forget(state, state.seq)
  const snapshot = copyState(state)
  return {
    settings,
    openJournal: async () => journal,
    async openQueryTables(journal) {
      const queryTables = openForkQueryTables({ journal, state, parent: parentQueryTables })
      queryTables.follow(journal.head().seq)
      return queryTables
    },
    snapshot: async () => snapshot,
  }
}

/** The open state after an event. */
const stateAt = (journal: Journal, seq: number): Promise<State> =>
  replayWhile(journal, (_, number) => number <= seq)
