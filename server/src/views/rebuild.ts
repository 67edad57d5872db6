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
  /** Where to leave a snapshot of the state there. */
  readonly snapshots?: string
  /** Called after each batch with the number it came to. */
  readonly progress?: ((seq: number) => void) | undefined
}

/**
 * Drops the query tables and makes them again from the first event on, in this thread. Nobody else may have them
 * open. Stopped half-way, the next start goes on from there.
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
