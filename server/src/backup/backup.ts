import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { copyAccess } from '../access/access-store.ts'
import { openFilesAccess } from '../access/files.ts'
import { copyJournal } from '../journal/copy.ts'
import type { Position } from '../journal/journal.ts'
import { diskOperations, makeFolder } from '../process/file-operations.ts'
import { mainPaths } from '../process/folder-layout.ts'
import { credentialsPath, readCredentials, writeCredentials } from '../process/owner-file.ts'
import { version } from '../process/version.ts'
import { MAIN } from '../worlds/worlds.ts'
import type { Progress } from './check-journal.ts'
import { BackupFailed } from './failures.ts'
import { assertNothingLost } from './folder-loss.ts'
import { copyImportedData } from './imported-data.ts'
import { noteBackup } from './last-backup.ts'
import { formatWith, type Manifest, storeManifest, withWorlds } from './manifest.ts'
import { copyWorlds, type WorldHead } from './worlds.ts'

export type BackupParts = {
  readonly data: string
  /** The folder to create. */
  readonly to: string
  /** The last durable event, if a server is running. Without it, no server may use the folder. */
  readonly head?: Position | undefined
  readonly withCredentials: boolean
  readonly progress?: Progress
}

/**
 * Copies the journals of `main` and of the durable worlds, and the imported data that they use, into a new folder. Every record and the hash are
 * checked, and the folder gets its name when all of it is on disk. Views and snapshots are not copied, because they
 * are rebuilt from the journal. The lock file is not touched.
 */
export async function backUp(parts: BackupParts): Promise<Manifest> {
  const manifest = await inNewFolder(parts.to, (folder) => fill(folder, parts))
  await noteBackup(parts.data, resolve(parts.to), manifest)
  return manifest
}

async function fill(folder: string, parts: BackupParts): Promise<Manifest> {
  const { data, head, withCredentials, progress } = parts
  const [from, to] = [mainPaths(data).journal, mainPaths(folder).journal]
  const copied = await copyJournal(from, to, { upTo: head?.seq, progress })
  if (head && (copied.seq !== head.seq || copied.hash !== head.hash))
    throw new BackupFailed(
      `${data} has another journal than the server: the server has hash ${head.hash} at event ${head.seq}, the folder has ${copied.hash} at ${copied.seq}; pass the server's data folder with --data`,
    )
  if (!head) await assertNothingLost(data, copied.seq)
  // After the journal, because an address is stored before the record that refers to it.
  await copyAccessFiles(data, folder)
  await copyFile(join(data, 'format.json'), join(folder, 'format.json'))
  if (withCredentials) copyCredentials(data, folder)
  const worlds = await copyWorlds(data, folder, progress)
  copyImportedData(data, folder, worlds)
  return writeManifest(folder, copied, worlds)
}

/** Copies client addresses and the last use of keys. */
export async function copyAccessFiles(from: string, to: string): Promise<void> {
  const target = openFilesAccess(mainPaths(to).access)
  await copyAccess(openFilesAccess(mainPaths(from).access), target).finally(() => target.close())
}

/** Writes the manifest, which completes a backup. */
export async function writeManifest(
  folder: string,
  head: Position,
  worlds: readonly WorldHead[],
): Promise<Manifest> {
  const at = new Date().toISOString()
  const manifest = { format: formatWith(worlds), world: MAIN, ...head, ...withWorlds(worlds), at, version }
  await storeManifest(folder, manifest)
  await diskOperations.syncFolder(folder)
  return manifest
}

/** Copies secrets, readable only by the same owner. */
export function copyCredentials(data: string, folder: string): void {
  if (!existsSync(credentialsPath(data)))
    throw new BackupFailed(`${data} has no credentials.json; omit --with-credentials`)
  writeCredentials(folder, readCredentials(data))
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
    await diskOperations.rename(unfinished, to)
    await diskOperations.syncFolder(dirname(to))
    return value
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
}
