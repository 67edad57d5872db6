import { setImmediate as nextTurn } from 'node:timers/promises'
import { copyState, type Instant, max, settingsOf } from '@quipu/core'
import type { Journal } from '../journal/journal.ts'
import { openMemoryJournal } from '../journal/memory.ts'
import { copyEvents } from '../journal/mirror.ts'
import { eventOf, storedKind } from '../journal/stored-event.ts'
import { replayWhile } from '../world/replay-while.ts'
import type { World } from '../world/world.ts'
import type { DurableWorld } from './durable.ts'
import type { NewWorld, Origin } from './opening/open-virtual.ts'
import { type ForkPoint, forkStore, storeOf, type VirtualStore } from './virtual-store.ts'
import type { WorldEntry } from './world-entry.ts'

/** What a fork starts with. */
export type ForkSource = VirtualStore & { readonly now: Instant; readonly fork: ForkPoint }

/**
 * Copies the open state of a world. Closed orders stay in the parent, and the fork reads them there. `durable`: the
 * parent may reopen its query tables after a failure. Query tables in memory remain usable after the parent is deleted.
 */
async function prepareFork(world: World, durable: boolean): Promise<ForkSource> {
  await world.commands.quiet()
  // No other command runs until the next await, so all of these are from one moment.
  const { view, engine, storage } = world
  const { now } = engine
  const { queryTables } = storage
  const state = copyState(view)
  const journal = await world.storage.journal.fork()
  await engine.untilDurable(state.seq)
  await world.storage.untilQueryTables(state.seq)
  await copyTail(journal, world.storage.journal, state.seq)
  const parentQueryTables = durable ? () => world.storage.queryTables : () => queryTables
  const { seq } = state
  // The store has a second copy. Other worlds wait for one copy at a time.
  await nextTurn()
  const store = forkStore(settingsOf(state), journal, state, parentQueryTables)
  await nextTurn()
  return { now, fork: { seq, parentQueryTables }, ...store }
}

/**
 * Replays the journal of a world up to an instant. Events up to the number `least` are the creation of the world and
 * always included: they take some nanoseconds.
 */
async function prepareForkAt(
  world: World,
  { at, least, durable }: { readonly at: Instant; readonly least: number; readonly durable: boolean },
): Promise<ForkSource> {
  await world.commands.quiet()
  const { journal, queryTables } = world.storage
  const state = await replayWhile(journal, (event, number) => number <= least || event.at <= at)
  const { seq } = state
  await world.storage.untilQueryTables(seq)
  const parentQueryTables = durable ? () => world.storage.queryTables : () => queryTables
  const now = max(at, state.lastAt)
  return {
    now,
    fork: { seq, parentQueryTables },
    ...forkStore(settingsOf(state), await journal.fork(seq), state, parentQueryTables),
  }
}

/** What a fork starts with: the state of its parent, now or at an earlier instant. */
export function forkSource(parent: WorldEntry, at: Instant | undefined): Promise<ForkSource> {
  const { world, clock } = parent
  const durable = parent.durable && !clock
  if (at === undefined) return prepareFork(world, durable)
  return prepareForkAt(world, { at, least: creationOf(parent), durable })
}

/**
 * The parts of a new fork. It has a copy of the past if it is durable, or if the past is not in memory: the parent may
 * be deleted.
 */
export async function forkParts(
  { now: start, fork, ...store }: ForkSource,
  parent: WorldEntry,
  durable: DurableWorld | undefined,
): Promise<Pick<NewWorld, 'start' | 'store' | 'fork' | 'loaded' | 'durable'>> {
  const { settings, openJournal } = store
  if (durable) {
    await durable.journal.fill(await openJournal())
    return { start, store: durable.journal.store(settings), loaded: fork.seq, durable }
  }
  if (parent.storage?.journal.isInMemory !== false) return { start, store, fork }
  const copy = openMemoryJournal()
  await copyEvents(await openJournal(), copy)
  return { start, store: await storeOf(settings, copy), loaded: fork.seq }
}

/** The first instant that a world can be forked at: its creation, or its first account if its past is that of another. */
export async function firstForkInstant({ world, origin }: WorldEntry): Promise<Instant | undefined> {
  if (origin && isRoot(origin)) return origin.at
  for await (const entries of world.storage.journal.read(0))
    for (const entry of entries) if (storedKind(entry) === 'accountOpened') return eventOf(entry).at
  return undefined
}

/** The event that completes a new world. */
const creationOf = ({ origin }: WorldEntry): number => (origin && isRoot(origin) ? origin.seq : 0)

/** Whether a world was created with its own accounts, not forked or loaded. */
const isRoot = ({ fork, loaded }: Origin): boolean => !fork && loaded === undefined

/** Copies the events that were decided but not durable when the journal was forked. */
async function copyTail(journal: Journal, parent: Journal, to: number): Promise<void> {
  const { seq: from } = journal.head()
  if (from >= to) return
  for await (const entries of parent.read(from)) {
    await journal.append(entries.slice(0, to - journal.head().seq))
    if (journal.head().seq >= to) return
  }
}
