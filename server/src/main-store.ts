import { openFilesAccess } from './access/files.ts'
import { mainPlaces } from './folder-layout.ts'
import { diskOperations } from './journal/file-operations.ts'
import { openFilesJournal } from './journal/files.ts'
import type { Recovered } from './journal/journal.ts'
import { openMemoryJournal } from './journal/memory.ts'
import { openMemoryViews } from './views/memory.ts'
import { loadSnapshot } from './views/snapshot.ts'
import { openSqliteViews } from './views/sqlite.ts'
import { MAIN, type MainStore } from './worlds.ts'

/** Who is told what opening a store finds. */
export type StoreTold = {
  readonly warn: (message: string) => void
  readonly recovered: (what: Recovered) => void
}

/** Keeps nothing. */
export const memoryStore: MainStore = {
  openJournal: async () => openMemoryJournal(),
  openViews: openMemoryViews,
  snapshot: async () => undefined,
}

/** Journal, views and snapshots in the data folder; `disk` is what the journal is written through. */
export function filesStore(path: string, told: StoreTold, disk = diskOperations): MainStore {
  const { journal: journalFolder, views, snapshots, access } = mainPlaces(path)
  return {
    async openJournal() {
      const journal = await openFilesJournal(journalFolder, { operations: disk })
      if (journal.recovered) told.recovered(journal.recovered)
      return journal
    },
    openViews: (journal, failed) =>
      openSqliteViews({
        world: MAIN,
        file: views,
        journalFolder,
        journal,
        snapshots,
        log: told.warn,
        failed,
      }),
    snapshot: (journal, upTo) => loadSnapshot(snapshots, journal, upTo),
    access: openFilesAccess(access, disk),
  }
}
