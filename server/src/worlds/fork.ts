import { copyState, type Instant } from '@quipu/core'
import type { Journal } from '../journal/journal.ts'
import type { World } from '../world/world.ts'
import { type ForkPoint, forkStore, type VirtualStore } from './virtual-store.ts'

/** What a fork starts with. */
export type ForkSource = VirtualStore & { readonly now: Instant; readonly fork: ForkPoint }

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
  const parentViews = durable ? () => world.views : () => views
  const { seq } = state
  return { now, fork: { seq, parentViews }, ...forkStore(state.settings!, journal, state, parentViews) }
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
