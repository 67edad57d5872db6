import type { WorldId } from '@quipu/core'
import type { Journal } from '../journal/journal.ts'
import { dropTables } from './database.ts'
import type { ReaderData, ViewsLimits, WriterData } from './messages.ts'
import { soundSnapshots } from './snapshot.ts'
import { openThreadedViews } from './threaded.ts'
import type { Views } from './views.ts'

export type SqliteViewsParts = {
  readonly world: WorldId
  /** The database. */
  readonly file: string
  readonly journal: Journal
  /** Where that journal has its files. */
  readonly journalFolder: string
  /** The folder of snapshots. */
  readonly snapshots: string
  readonly limits?: Partial<ViewsLimits>
  readonly log: (line: string) => void
  /** The views are over; what is left is to close them and open them anew. Not called before they are open. */
  readonly failed: (error: unknown) => void
}

/** Query tables in a database file of their own, made from the journal's files. */
export function openSqliteViews(parts: SqliteViewsParts): Promise<Views> {
  const { world, file, journalFolder, snapshots, ...rest } = parts
  const writes: Omit<WriterData, 'limits'> = { world, file, journalFolder, snapshots }
  const answers: ReaderData = { world, file }
  return openThreadedViews({
    ...rest,
    writer: { name: 'writer-thread', data: writes },
    reader: { name: 'reader-thread', data: answers },
    newestSnapshot: async (upTo) => (await soundSnapshots(snapshots, parts.journal, upTo).next()).value?.path,
    drop: () => dropTables(file),
  })
}
