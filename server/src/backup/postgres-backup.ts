import { copyAccess } from '../access/access-store.ts'
import { openFilesAccess } from '../access/files.ts'
import { postgresAccess } from '../access/postgres.ts'
import { openFilesJournal } from '../journal/files.ts'
import type { Position } from '../journal/journal.ts'
import { addressOf } from '../postgres/connection.ts'
import { writeFormat } from '../process/folder.ts'
import { mainPaths } from '../process/folder-layout.ts'
import { MAIN } from '../worlds/worlds.ts'
import { copyCredentials, inNewFolder, writeManifest } from './backup.ts'
import type { Progress } from './check-journal.ts'
import { BackupFailed } from './failures.ts'
import { copyImportedData } from './imported-data.ts'
import type { Manifest } from './manifest.ts'
import { type JournalSnapshot, withJournalSnapshot } from './postgres-snapshot.ts'

export type PostgresBackupParts = {
  readonly url: string
  /** The folder to create. */
  readonly to: string
  /** The data folder of the server of that database, if it is on this machine. */
  readonly data?: string | undefined
  readonly withCredentials: boolean
  readonly progress?: Progress | undefined
}

/**
 * Writes a consistent copy of the journal in PostgreSQL into files, in the same format as a backup of a data folder.
 */
export function backUpPostgres(parts: PostgresBackupParts): Promise<Manifest> {
  const { url, to, data, withCredentials, progress } = parts
  return inNewFolder(to, (folder) =>
    withJournalSnapshot(url, async (snapshot) => {
      if (snapshot.loss) throw snapshot.loss
      const copied = await copyOut(snapshot, mainPaths(folder).journal, progress)
      if (copied.hash !== snapshot.head.hash)
        throw new BackupFailed(
          `${addressOf(url)} is damaged: its events lead to hash ${copied.hash} at ${copied.seq}, expected ${snapshot.head.hash}`,
        )
      await copyAccessOut(snapshot, folder)
      await writeFormat(folder, snapshot.marketModel)
      if (data !== undefined && withCredentials) copyCredentials(data, folder)
      if (data !== undefined) copyImportedData(data, folder)
      return writeManifest(folder, copied)
    }),
  )
}

async function copyAccessOut({ connection }: JournalSnapshot, folder: string): Promise<void> {
  const target = openFilesAccess(mainPaths(folder).access)
  await copyAccess(
    postgresAccess(async () => connection, MAIN),
    target,
  ).finally(() => target.close())
}

async function copyOut({ head, read }: JournalSnapshot, to: string, progress?: Progress): Promise<Position> {
  const journal = await openFilesJournal(to)
  try {
    for await (const entries of read(0, head.seq)) {
      await journal.append(entries)
      progress?.(journal.head().seq)
    }
    return journal.head()
  } finally {
    await journal.close()
  }
}
