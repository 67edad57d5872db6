import { copyState, forget, type Instant, type State, type WorldSettings } from '@quipu/core'
import type { Journal } from '../journal/journal.ts'
import { openForkViews } from '../views/fork/fork-views.ts'
import type { Views } from '../views/views.ts'
import type { World } from '../world/world.ts'

/** What a fork starts with. */
export type ForkSource = {
  readonly settings: WorldSettings
  readonly now: Instant
  readonly journal: Journal
  readonly state: State
  readonly openViews: (journal: Journal) => Promise<Views>
}

/**
 * Copies the open state of a world. Closed orders stay in the parent, and the fork reads them there. `durable`: the
 * parent may reopen its views after a failure. Views in memory remain usable after the parent is deleted.
 */
export async function prepareFork(world: World, durable: boolean): Promise<ForkSource> {
  await world.quiet()
  // No other command runs until the next await, so all of these are from one moment.
  const { now, view, engine, views } = world
  const state = copyState(view)
  const journal = await world.journal.fork()
  await engine.untilDurable(state.seq)
  await world.views.reached(state.seq)
  await copyTail(journal, world.journal, state.seq)
  forget(state, state.seq)
  const parent = durable ? () => world.views : () => views
  return {
    settings: state.settings!,
    now,
    journal,
    state: copyState(state),
    openViews: async (journal) => openForkViews({ journal, state, parent }),
  }
}

/** Copies the events that were decided but not durable when the journal was forked. */
async function copyTail(journal: Journal, parent: Journal, to: number): Promise<void> {
  const { seq: from } = journal.head()
  if (from >= to) return
  for await (const entries of parent.read(from)) {
    await journal.append(entries.slice(0, to - journal.head().seq))
    if (journal.head().seq >= to) return
  }
}
