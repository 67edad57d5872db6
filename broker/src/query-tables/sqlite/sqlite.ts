import type { WorldId } from '@quipu/core'
import type { Journal } from '../../journal/journal.ts'
import type { QueryTablesLimits, ReaderData, WriterData } from '../messages.ts'
import type { QueryTables } from '../query-tables.ts'
import { soundSnapshots } from '../snapshot/snapshot.ts'
import { openThreadedQueryTables } from '../threaded.ts'
import { dropTables } from './tables.ts'

export type SqliteQueryTablesParts = {
  readonly world: WorldId
  /** The database. */
  readonly file: string
  readonly journal: Journal
  /** The folder of the journal files. */
  readonly journalFolder: string
  /** The folder of snapshots. */
  readonly snapshots: string
  readonly limits?: Partial<QueryTablesLimits>
  readonly log: (line: string, level?: 'error') => void
  /** Called when the open query tables fail. The caller must close and reopen them. */
  readonly onFailure: (error: unknown) => void
}

/** Query tables in an SQLite file, built from the journal files. */
export function openSqliteQueryTables(parts: SqliteQueryTablesParts): Promise<QueryTables> {
  const { world, file, journalFolder, snapshots, ...rest } = parts
  const writes: Omit<WriterData, 'limits'> = { world, file, journalFolder, snapshots }
  const readerData: ReaderData = { world, file }
  return openThreadedQueryTables({
    ...rest,
    writer: { name: 'sqlite/writer-thread', data: writes },
    reader: { name: 'sqlite/reader-thread', data: readerData },
    newestSnapshot: async (upTo) => (await soundSnapshots(snapshots, parts.journal, upTo).next()).value?.path,
    dropTables: () => dropTables(file),
  })
}
