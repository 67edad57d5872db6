import { apply, emptyState, forget, type State } from '@quipu/core'
import type { JournalPosition } from '../../journal/journal.ts'
import { eventOf } from '../../journal/stored-event.ts'
import { runInThread } from '../../threads/run-in-thread.ts'
import { portOfThread } from '../../threads/thread.ts'
import type { EventReader } from '../writer.ts'
import type { StatePart } from './state-lines.ts'

/** The journal and the snapshots of one world. */
export type SnapshotStore = {
  readonly reader: () => EventReader
  readonly readSnapshot: (name: string, part?: StatePart) => Promise<State | undefined>
  /** Writes a snapshot and returns its name. */
  readonly writeSnapshot: (state: State, hash: string) => Promise<string>
}

/** What to make: the state at a durable event, from an earlier snapshot or from the first event. */
export type SnapshotTask = { readonly base: string | undefined; readonly head: JournalPosition }

/** A written snapshot, and the number of orders in it. */
export type MadeSnapshot = JournalPosition & { readonly name: string; readonly orders: number }

/** Replays the journal on a temporary state and writes that state. */
export async function makeSnapshot(
  store: SnapshotStore,
  { base, head }: SnapshotTask,
): Promise<MadeSnapshot> {
  const state = (base === undefined ? undefined : await store.readSnapshot(base)) ?? emptyState()
  const reader = store.reader()
  try {
    for await (const group of reader.read(state.seq, head.seq)) {
      for (const entry of group) apply(state, eventOf(entry))
      forget(state, state.seq)
    }
  } finally {
    await reader.close()
  }
  const name = await store.writeSnapshot(state, head.hash)
  return { ...head, name, orders: state.orders.size }
}

/** The folder of the module `snapshot-thread`, and the data that its store needs. */
export type SnapshotThread = { readonly url: string; readonly data: object }

/** Makes a snapshot in a thread, whose memory is released when the snapshot is written. */
export const makeInThread = ({ url, data }: SnapshotThread, task: SnapshotTask): Promise<MadeSnapshot> =>
  runInThread(url, 'snapshot-thread', { store: data, task })

/** Runs this thread as a snapshot thread. */
export async function runSnapshotThread(store: SnapshotStore, task: SnapshotTask): Promise<void> {
  portOfThread().postMessage(await makeSnapshot(store, task))
}
