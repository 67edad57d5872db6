import { rm } from 'node:fs/promises'
import { mainPaths } from '../data-folder/folder-layout.ts'
import { type CheckedJournal, openFilesJournal } from '../journal/files.ts'
import type { JournalPosition } from '../journal/journal.ts'
import { rebuildQueryTables } from '../query-tables/rebuild.ts'
import { assertNothingLost } from '../registry/store/folder-loss.ts'
import { MAIN } from '../registry/worlds.ts'
import type { CheckProgress } from './check-journal.ts'

/** Drops and rebuilds the query tables and snapshots of a folder. No other process may have it open. */
export async function rebuildStore(data: string, progress?: CheckProgress): Promise<JournalPosition> {
  const { journal: journalFolder, queryTables: file, snapshots } = mainPaths(data)
  // The query tables may be the only copy of damaged or lost events. Opening also makes the last event durable, which query tables
  // and snapshots rely on.
  const onChecked = ({ head }: CheckedJournal) => assertNothingLost(data, head.seq)
  const journal = await openFilesJournal(journalFolder, { onChecked })
  const head = journal.head()
  await journal.close()
  await rm(snapshots, { recursive: true, force: true })
  await rebuildQueryTables({ world: MAIN, file, journalFolder, head, snapshots, progress })
  return head
}
