import type { WorldId } from '@quipu/core'
import type { Journal } from '../../journal/journal.ts'
import type { ReaderData, ViewsLimits, WriterData } from '../messages.ts'
import { soundSnapshots } from '../snapshot/snapshot.ts'
import { openThreadedViews } from '../threaded.ts'
import type { Views } from '../views.ts'
import { dropTables } from './tables.ts'

export type SqliteViewsParts = {
  readonly world: WorldId
  /** The database. */
  readonly file: string
  readonly journal: Journal
  /** The folder of the journal files. */
  readonly journalFolder: string
  /** The folder of snapshots. */
  readonly snapshots: string
  readonly limits?: Partial<ViewsLimits>
  readonly log: (line: string, level?: 'error') => void
  /** Called when the open views fail. The caller must close and reopen them. */
  readonly onFailure: (error: unknown) => void
}

/** Query tables in an SQLite file, built from the journal files. */
export function openSqliteViews(parts: SqliteViewsParts): Promise<Views> {
  const { world, file, journalFolder, snapshots, ...rest } = parts
  const writes: Omit<WriterData, 'limits'> = { world, file, journalFolder, snapshots }
  const readerData: ReaderData = { world, file }
  return openThreadedViews({
    ...rest,
    writer: { name: 'sqlite/writer-thread', data: writes },
    reader: { name: 'sqlite/reader-thread', data: readerData },
    newestSnapshot: async (upTo) => (await soundSnapshots(snapshots, parts.journal, upTo).next()).value?.path,
    dropTables: () => dropTables(file),
  })
}
