import { copyState, forget, type Instant, type State, type WorldSettings } from '@quipu/core'
import type { Journal } from '../journal/journal.ts'
import { openForkViews } from '../views/fork/fork-views.ts'
import type { Views } from '../views/views.ts'
import type { World } from '../world/world.ts'

/** What a fork begins with. */
export type Origin = {
  readonly settings: WorldSettings
  readonly now: Instant
  readonly journal: Journal
  readonly state: State
  readonly openViews: (journal: Journal) => Promise<Views>
}

/**
 * Takes what is open in a world, by copying it; what has ended stays where it is, and the fork reads it there. `durable`
 * says that the world may open its views again after a failure; views in memory stay of use when the world is deleted.
 */
export async function originOf(world: World, durable: boolean): Promise<Origin> {
  await world.quiet()
  // No other turn runs until the next await: these are all of one moment.
  const { now, view, engine, views } = world
  const state = copyState(view)
  const journal = await world.journal.fork()
  await engine.reached(state.seq)
  await world.views.reached(state.seq)
  await takeRest(journal, world.journal, state.seq)
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

/** What was decided but not durable when the journal was forked. */
async function takeRest(journal: Journal, parent: Journal, to: number): Promise<void> {
  const { seq: from } = journal.head()
  if (from >= to) return
  for await (const entries of parent.read(from)) {
    await journal.append(entries.slice(0, to - journal.head().seq))
    if (journal.head().seq >= to) return
  }
}
