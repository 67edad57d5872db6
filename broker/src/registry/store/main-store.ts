import { openFilesAccess } from '../../access/files.ts'
import { bytesAt } from '../../data-folder/disk-usage.ts'
import { diskOperations } from '../../data-folder/file-operations.ts'
import { mainPaths } from '../../data-folder/folder-layout.ts'
import { type CheckedJournal, openFilesJournal } from '../../journal/files.ts'
import type { Recovered } from '../../journal/journal.ts'
import { loadSnapshot } from '../../query-tables/snapshot/snapshot.ts'
import { openSqliteQueryTables } from '../../query-tables/sqlite/sqlite.ts'
import { MAIN, type MainStore } from '../worlds.ts'
import { lossInFolder, moveProofAside } from './folder-loss.ts'

/** Callbacks for findings while a store is opened. */
export type MainStoreReport = {
  readonly warn: (message: string, level?: 'error') => void
  readonly recovered: (what: Recovered) => void
  /** Continue with the rest of a journal that lost its end. Applies to the first opening only. */
  readonly acceptJournalLoss?: boolean | undefined
}

/** Journal, query tables and snapshots in the data folder. `disk` performs the file operations of the journal. */
export function filesStore(path: string, report: MainStoreReport, disk = diskOperations): MainStore {
  const { journal: journalFolder, queryTables, snapshots, access } = mainPaths(path)
  let accept = report.acceptJournalLoss
  const onChecked = async (checked: CheckedJournal): Promise<void> => {
    const loss = await lossInFolder(path, checked.head.seq)
    if (loss && !accept) throw loss
    if (loss)
      report.warn(`${loss.message}; the proof is kept in ${await moveProofAside(path, loss, checked)}`)
    accept = false
  }
  return {
    async openJournal() {
      const journal = await openFilesJournal(journalFolder, { operations: disk, onChecked })
      if (journal.recovered) report.recovered(journal.recovered)
      return journal
    },
    openQueryTables: (journal, onFailure) =>
      openSqliteQueryTables({
        world: MAIN,
        file: queryTables,
        journalFolder,
        journal,
        snapshots,
        log: report.warn,
        onFailure,
      }),
    snapshot: (journal, upTo) => loadSnapshot(snapshots, journal, upTo),
    access: openFilesAccess(access, disk),
    async size() {
      const tables = await Promise.all([queryTables, `${queryTables}-wal`, `${queryTables}-shm`].map(bytesAt))
      return {
        kind: 'files',
        journalBytes: await bytesAt(journalFolder),
        queryTablesBytes: tables.reduce((sum, bytes) => sum + bytes, 0),
        snapshotsBytes: await bytesAt(snapshots),
      }
    },
  }
}
