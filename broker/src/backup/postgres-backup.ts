import { dirname, resolve } from 'node:path'
import { copyAccess } from '../access/access-store.ts'
import { openFilesAccess } from '../access/files.ts'
import { diskOperations, makeFolder } from '../data-folder/file-operations.ts'
import { writeFormat } from '../data-folder/folder.ts'
import { mainPaths, worldPaths } from '../data-folder/folder-layout.ts'
import { openFilesJournal } from '../journal/files.ts'
import type { JournalPosition } from '../journal/journal.ts'
import { addressOf } from '../postgres/connection.ts'
import { postgresAccess } from '../registry/store/postgres-access.ts'
import { MAIN } from '../registry/worlds.ts'
import { complete, copyCredentials, inNewFolder } from './backup.ts'
import type { CheckProgress } from './check-journal.ts'
import { BackupFailed } from './failures.ts'
import { type Manifest, newManifest } from './manifest.ts'
import { noteBackupIn } from './postgres-note.ts'
import { type JournalSnapshot, type SnapshotWorld, withJournalSnapshot } from './postgres-snapshot.ts'
import { runFilesOfPostgres, writeRunFiles } from './run-files.ts'
import { type Only, storeRecord, type WorldHead } from './worlds.ts'

export type PostgresBackupParts = Only & {
  readonly url: string
  /** The folder to create. */
  readonly to: string
  /** The data folder of that database's server, if it is on this machine. */
  readonly data?: string | undefined
  readonly withCredentials: boolean
  readonly progress?: CheckProgress | undefined
}

/**
 * Writes a consistent copy of the journals in PostgreSQL, or of one, into files, in the same format as a backup of a
 * data folder.
 */
export async function backUpPostgres(parts: PostgresBackupParts): Promise<Manifest> {
  const { url, to, data, only } = parts
  const manifest = await inNewFolder(to, (folder) =>
    withJournalSnapshot(url, async (snapshot) => {
      await writeFormat(folder, snapshot.marketModel)
      const isMain = only === undefined || only === MAIN
      const head = isMain
        ? await copyMainOut(snapshot, folder, parts)
        : await copyWorldOut(await snapshot.world(only), folder, parts)
      const worlds: WorldHead[] = []
      if (isMain)
        for (const stored of await snapshot.worlds(only))
          worlds.push(await copyWorldOut(stored, folder, parts))
      const runs = isMain ? await writeRunFiles(folder, runFilesOfPostgres(snapshot.connection)) : undefined
      return complete(data, folder, newManifest(head, worlds, runs))
    }),
  )
  if (only === undefined) await noteBackupIn(url, { folder: resolve(to), ...manifest })
  return manifest
}

async function copyMainOut(
  snapshot: JournalSnapshot,
  folder: string,
  { url, data, withCredentials, progress }: PostgresBackupParts,
): Promise<WorldHead> {
  if (snapshot.loss) throw snapshot.loss
  const copied = await copyOut(url, snapshot, mainPaths(folder).journal, progress)
  await copyAccessOut(snapshot, folder)
  if (data !== undefined && withCredentials) copyCredentials(data, folder)
  return { world: MAIN, ...copied }
}

async function copyWorldOut(
  stored: SnapshotWorld,
  folder: string,
  { url, progress }: PostgresBackupParts,
): Promise<WorldHead> {
  const { world, journal } = stored.record
  const copied = await copyOut(url, stored, worldPaths(folder).journal(journal), progress)
  await storeRecord(folder, stored.record)
  return { world, ...copied }
}

async function copyAccessOut({ connection }: JournalSnapshot, folder: string): Promise<void> {
  const target = openFilesAccess(mainPaths(folder).access)
  await copyAccess(
    postgresAccess(() => connection, MAIN),
    target,
  ).finally(() => target.close())
}

async function copyOut(
  url: string,
  { head, read }: Pick<JournalSnapshot, 'head' | 'read'>,
  to: string,
  progress?: CheckProgress,
): Promise<JournalPosition> {
  await makeFolder(diskOperations, dirname(to))
  const journal = await openFilesJournal(to)
  try {
    for await (const entries of read(0, head.seq)) {
      await journal.append(entries)
      progress?.(journal.head().seq)
    }
    const { seq, hash } = journal.head()
    if (hash === head.hash) return { seq, hash }
    throw new BackupFailed(
      `${addressOf(url)} is damaged: its events lead to hash ${hash} at ${seq}, expected ${head.hash}`,
    )
  } finally {
    await journal.close()
  }
}
