import { openFilesAccess } from '../access/files.ts'
import { lossInFolder, setProofAside } from '../backup/folder-loss.ts'
import { type CheckedJournal, openFilesJournal } from '../journal/files.ts'
import type { Recovered } from '../journal/journal.ts'
import { openMemoryJournal } from '../journal/memory.ts'
import { diskOperations } from '../process/file-operations.ts'
import { mainPlaces } from '../process/folder-layout.ts'
import { openMemoryViews } from '../views/memory.ts'
import { loadSnapshot } from '../views/snapshot.ts'
import { openSqliteViews } from '../views/sqlite.ts'
import { MAIN, type MainStore } from '../worlds/worlds.ts'

/** Who is told what opening a store finds. */
export type StoreTold = {
  readonly warn: (message: string) => void
  readonly recovered: (what: Recovered) => void
  /** Continue with what is left of a journal that lost its end. Counts for the first opening alone. */
  readonly acceptJournalLoss?: boolean | undefined
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
  let accept = told.acceptJournalLoss
  const found = async (what: CheckedJournal): Promise<void> => {
    const loss = await lossInFolder(path, what.head.seq)
    if (loss && !accept) throw loss
    if (loss) told.warn(`${loss.message}; the proof is kept in ${await setProofAside(path, loss, what)}`)
    accept = false
  }
  return {
    async openJournal() {
      const journal = await openFilesJournal(journalFolder, { operations: disk, onChecked: found })
      if (journal.recovered) told.recovered(journal.recovered)
      return journal
    },
    openViews: (journal, onFailure) =>
      openSqliteViews({
        world: MAIN,
        file: views,
        journalFolder,
        journal,
        snapshots,
        log: told.warn,
        onFailure,
      }),
    snapshot: (journal, upTo) => loadSnapshot(snapshots, journal, upTo),
    access: openFilesAccess(access, disk),
  }
}
