import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { copyAccess } from '../access/access-store.ts'
import { openFilesAccess } from '../access/files.ts'
import { copySealingKey } from '../access/sealing-key.ts'
import { diskOperations, makeFolder } from '../data-folder/file-operations.ts'
import { marketModelOf, writeFormat } from '../data-folder/folder.ts'
import { mainPaths } from '../data-folder/folder-layout.ts'
import { giveTo, ownerToKeep } from '../data-folder/keep-owner.ts'
import { credentialsPath, readCredentials, writeCredentials } from '../data-folder/owner-file.ts'
import { copyJournal } from '../journal/copy.ts'
import type { JournalPosition } from '../journal/journal.ts'
import { assertNothingLost } from '../registry/store/folder-loss.ts'
import { MAIN } from '../registry/worlds.ts'
import type { CheckProgress } from './check-journal.ts'
import { BackupFailed } from './failures.ts'
import { copyImportedData } from './imported-data.ts'
import { noteBackup } from './last-backup.ts'
import { type Manifest, newManifest, storeManifest } from './manifest.ts'
import { runFilesIn, writeRunFiles } from './run-files.ts'
import { copyWorlds, type Only } from './worlds.ts'

export type BackupParts = Only & {
  readonly data: string
  /** The folder to create. */
  readonly to: string
  /** The last durable event, if a server is running. Without it, no server may use the folder. */
  readonly head?: JournalPosition | undefined
  readonly withCredentials: boolean
  readonly progress?: CheckProgress
}

/**
 * Copies the journals of `main` and of the durable worlds, or of one world, the imported data that they use, and the files of
 * runs, into a new folder. Every record and the hash are checked, and the folder gets its name when all of it is on disk. Query tables and
 * snapshots are not copied, because they are rebuilt from the journal. The lock file is not touched.
 */
export async function backUp(parts: BackupParts): Promise<Manifest> {
  const { only = MAIN } = parts
  const manifest = await inNewFolder(parts.to, (folder) =>
    only === MAIN ? fill(folder, parts) : fillWithWorld(folder, only, parts),
  )
  if (parts.only === undefined) await noteBackup(parts.data, resolve(parts.to), manifest)
  return manifest
}

async function fill(folder: string, parts: BackupParts): Promise<Manifest> {
  const { data, head, withCredentials, progress, only } = parts
  const [from, to] = [mainPaths(data).journal, mainPaths(folder).journal]
  const copied = await copyJournal(from, to, { upTo: head?.seq, progress })
  if (head && (copied.seq !== head.seq || copied.hash !== head.hash))
    throw new BackupFailed(
      `${data} has another journal than the server: the server has hash ${head.hash} at event ${head.seq}, the folder has ${copied.hash} at ${copied.seq}; pass the server's data folder with --data`,
    )
  if (!head) await assertNothingLost(data, copied.seq)
  // After the journal, because an address is stored before the record that refers to it.
  await copyAccessFiles(data, folder)
  await writeFormat(folder, await marketModelOf(data))
  if (withCredentials) copyCredentials(data, folder)
  const worlds = await copyWorlds(data, folder, { progress, only })
  // After the journal, because a file is stored before the record that names it.
  const runs = await writeRunFiles(folder, runFilesIn(data))
  return complete(data, folder, newManifest({ world: MAIN, ...copied }, worlds, runs))
}

/** Copies one durable world besides `main`. */
async function fillWithWorld(
  folder: string,
  only: string,
  { data, progress }: BackupParts,
): Promise<Manifest> {
  const [head] = await copyWorlds(data, folder, { progress, only })
  if (!head) throw new BackupFailed(`${data} has no durable world ${only}`)
  await writeFormat(folder, await marketModelOf(data))
  return complete(data, folder, newManifest(head))
}

/** Copies client addresses and the last use of keys. */
export async function copyAccessFiles(from: string, to: string): Promise<void> {
  const target = openFilesAccess(mainPaths(to).access)
  await copyAccess(openFilesAccess(mainPaths(from).access), target).finally(() => target.close())
}

/** Adds the imported data of a data folder, if there is one, and the manifest, which completes a backup. */
export async function complete(
  data: string | undefined,
  folder: string,
  manifest: Manifest,
): Promise<Manifest> {
  if (data !== undefined) copyImportedData(data, folder, manifest)
  await storeManifest(folder, manifest)
  await diskOperations.syncFolder(folder)
  return manifest
}

/** Copies secrets, readable only by the same owner. */
export function copyCredentials(data: string, folder: string): void {
  if (!existsSync(credentialsPath(data)))
    throw new BackupFailed(`${data} has no credentials.json; omit --with-credentials`)
  writeCredentials(folder, readCredentials(data))
  copySealingKey(data, folder)
}

/** Fills a new folder and renames it when all of it is on disk. On failure the folder is removed. */
export async function inNewFolder<Value>(
  name: string,
  fill: (folder: string) => Promise<Value>,
): Promise<Value> {
  const to = resolve(name)
  if (existsSync(to)) throw new BackupFailed(`${to} already exists; choose a new folder`)
  await makeFolder(diskOperations, dirname(to))
  const unfinished = await mkdtemp(join(dirname(to), `${basename(to)}.tmp-`))
  try {
    const value = await fill(unfinished)
    // A server lists the backups in its own folder.
    giveTo(unfinished, ownerToKeep(dirname(to)))
    await diskOperations.rename(unfinished, to)
    await diskOperations.syncFolder(dirname(to))
    return value
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
}
