import type { WorldId } from '@quipu/core'
import type { Position } from '../journal/journal.ts'
import { JournalReader } from '../journal/reader.ts'
import { dropTables } from './database.ts'
import { Projection } from './projection.ts'
import { writeSnapshot } from './snapshot.ts'
import { Tables } from './tables.ts'
import { defaultViewsLimits } from './threaded.ts'
import { Writer } from './writer.ts'

export type RebuildParts = {
  readonly world: WorldId
  /** The database. */
  readonly file: string
  readonly journalFolder: string
  /** The journal's last durable event. */
  readonly head: Position
  /** Folder for a snapshot of the state at the head. */
  readonly snapshots?: string
  /** Called after each batch with its last event number. */
  readonly progress?: ((seq: number) => void) | undefined
}

/**
 * Drops the query tables and rebuilds them from the first event, in this thread. No other process may have them open.
 * After an interruption the next start continues.
 */
export async function rebuildViews({
  world,
  file,
  journalFolder,
  head,
  snapshots,
  progress,
}: RebuildParts): Promise<void> {
  dropTables(file)
  const { batchEventsMax, snapshotsKept: keep } = defaultViewsLimits
  const tables = new Tables(file, world)
  const reader = new JournalReader(journalFolder)
  const projection = new Projection()
  const writer = new Writer({ tables, reader, projection, batchEventsMax })
  try {
    for await (const seq of writer.follow(head)) progress?.(seq)
    if (snapshots !== undefined) await writeSnapshot(snapshots, projection.state, { hash: head.hash, keep })
  } finally {
    await writer.close()
  }
}
