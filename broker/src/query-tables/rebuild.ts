import type { State, WorldId } from '@quipu/core'
import type { JournalPosition } from '../journal/journal.ts'
import { JournalReader } from '../journal/reader.ts'
import { defaultQueryTablesLimits } from './messages.ts'
import { Projection } from './projection.ts'
import { writeSnapshot } from './snapshot/snapshot.ts'
import { dropTables, Tables } from './sqlite/tables.ts'
import { type EventReader, TablesWriter, type WritableTables } from './writer.ts'

export type RebuildParts = {
  readonly world: WorldId
  /** The database. */
  readonly file: string
  readonly journalFolder: string
  /** The journal's last durable event. */
  readonly head: JournalPosition
  /** Folder for a snapshot of the state at the head. */
  readonly snapshots?: string
  /** Called after each batch with its last event number. */
  readonly progress?: ((seq: number) => void) | undefined
}

/**
 * Drops the query tables and rebuilds them from the first event, in this thread. No other process may have them open.
 * After an interruption the next start continues.
 */
export async function rebuildQueryTables({
  world,
  file,
  journalFolder,
  head,
  snapshots,
  progress,
}: RebuildParts): Promise<void> {
  dropTables(file)
  const state = await fillTables(new Tables(file, world), new JournalReader(journalFolder), head, progress)
  const { snapshotsKept: keep } = defaultQueryTablesLimits
  if (snapshots !== undefined) await writeSnapshot(snapshots, state, { hash: head.hash, keep })
}

/** Fills empty tables from the first event, closes tables and reader, and returns the state at the head. */
export async function fillTables(
  tables: WritableTables,
  reader: EventReader,
  head: JournalPosition,
  progress?: (seq: number) => void,
): Promise<State> {
  const projection = new Projection()
  const { batchEventsMax } = defaultQueryTablesLimits
  const writer = new TablesWriter({ tables, reader, projection, batchEventsMax })
  try {
    for await (const seq of writer.follow(head)) progress?.(seq)
    return projection.state
  } finally {
    await writer.close()
  }
}
