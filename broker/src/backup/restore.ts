import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { mkdtemp, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { copySealingKey } from '../access/sealing-key.ts'
import { diskOperations, makeFolder } from '../data-folder/file-operations.ts'
import { marketModelOf, openFolder, writeFormat } from '../data-folder/folder.ts'
import { mainPaths } from '../data-folder/folder-layout.ts'
import { giveTo, keepOwner, ownerToKeep } from '../data-folder/keep-owner.ts'
import { credentialsPath, readCredentials, writeCredentials } from '../data-folder/owner-file.ts'
import { copyJournal } from '../journal/copy.ts'
import { MAIN } from '../registry/worlds.ts'
import { copyAccessFiles } from './backup.ts'
import { type CheckProgress, checkJournal } from './check-journal.ts'
import { BackupUnusable, FolderNotEmpty, FolderNotMovable } from './failures.ts'
import { copyImportedData } from './imported-data.ts'
import { backupsIn, lastBackupOf, noteBackup } from './last-backup.ts'
import { type Manifest, partOf, readManifest } from './manifest.ts'
import { checkRunFiles, runFilesIn, writeRunFiles } from './run-files.ts'
import { checkWorlds, copyWorlds, differencesOf, type Only } from './worlds.ts'

export type RestoreParts = Only & {
  readonly from: string
  readonly data: string
  /** Whether a folder that is not empty may be renamed and replaced. */
  readonly replace: boolean
  readonly progress?: CheckProgress
}

export type Restored = Manifest & {
  /** The new path of the replaced folder. */
  readonly before?: string
  readonly credentials: 'of the backup' | 'of the folder before' | 'none'
}

export type CheckedParts = Only & { readonly progress?: CheckProgress | undefined }

/**
 * Checks a backup, or one of its worlds, against its manifest: every record, the hash chain, every balance. Throws
 * BackupUnusable.
 */
export async function checkBackup(folder: string, { progress, only }: CheckedParts = {}): Promise<Manifest> {
  const manifest = partOf(folder, await readManifest(folder), only)
  const isMain = manifest.world === MAIN
  const problems = isMain ? await problemsOfMain(folder, manifest, progress) : []
  const stored = await checkWorlds(folder, { progress, only })
  const expected = isMain ? (manifest.worlds ?? []) : [manifest]
  if (isMain) problems.push(...(await checkRunFiles(folder, manifest.runs)))
  problems.push(...stored.problems, ...differencesOf(expected, stored.worlds))
  if (problems.length > 0)
    throw new BackupUnusable(`${folder} is damaged: ${problems.slice(0, 3).join('; ')}`)
  return manifest
}

async function problemsOfMain(
  folder: string,
  { seq, hash }: Manifest,
  progress?: CheckProgress,
): Promise<string[]> {
  const report = await checkJournal(mainPaths(folder).journal, { progress })
  const isExpected = report.seq === seq && report.hash === hash
  if (!report.sound || isExpected) return [...report.problems]
  return [`its journal ends at event ${report.seq} with hash ${report.hash}, expected ${seq} with ${hash}`]
}

/** Checks a backup with `main`. One without it is restored into a store that has `main`. */
export async function checkMainBackup(folder: string, parts: CheckedParts): Promise<Manifest> {
  const { world } = await readManifest(folder)
  if (world === MAIN) return checkBackup(folder, parts)
  throw new BackupUnusable(`${folder} has only world ${world}: add --world ${world}`)
}

/**
 * Restores a backup as a data folder. The existing folder is unchanged until the backup is checked and its copy is on
 * disk. Then the folders are renamed, and the existing folder is kept beside it.
 */
export async function restore(parts: RestoreParts): Promise<Restored> {
  const data = withoutLink(resolve(parts.data))
  for (const folder of [data, backupsIn(data)])
    if (isMountPoint(folder))
      throw new FolderNotMovable(
        `${folder} is a mount point, which cannot be renamed; use a folder inside it, or for backups QUIPU_BACKUPS`,
      )
  const isTaken = existsSync(data) && readdirSync(data).length > 0
  if (isTaken && !parts.replace)
    throw new FolderNotEmpty(
      `${data} is not empty; add --replace to rename and keep it, or choose another folder`,
    )
  // Locked to the end, so that no server starts on the folder that is being replaced.
  const locked = isTaken ? await openFolder(data) : undefined
  try {
    const manifest = await checkMainBackup(parts.from, parts)
    await makeFolder(diskOperations, dirname(data))
    const staged = await mkdtemp(join(dirname(data), `${basename(data)}.restoring-`))
    try {
      const credentials = await fill(staged, parts, manifest)
      giveTo(staged, ownerToKeep(data))
      const before = await exchange(staged, data, locked?.release)
      if (before !== undefined) {
        // The replaced folder may be deleted, so it does not keep the backups that were made over HTTP.
        if (existsSync(backupsIn(before))) await rename(backupsIn(before), backupsIn(data))
        keepOwner(before)
      }
      return { ...manifest, ...(before ? { before } : {}), credentials }
    } catch (error) {
      await rm(staged, { recursive: true, force: true })
      throw error
    }
  } finally {
    locked?.release()
  }
}

/** The folder that a link names: the link of a service manager stays, and its folder is replaced. */
function withoutLink(path: string): string {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path
  return existsSync(path) ? realpathSync(path) : resolve(dirname(path), readlinkSync(path))
}

const isMountPoint = (folder: string): boolean =>
  existsSync(folder) && statSync(folder).dev !== statSync(dirname(folder)).dev

async function fill(
  staged: string,
  { from, data, progress, only }: RestoreParts,
  manifest: Manifest,
): Promise<Restored['credentials']> {
  const { seq, hash, worlds = [] } = manifest
  const copied = await copyJournal(mainPaths(from).journal, mainPaths(staged).journal, { progress })
  const copies = await copyWorlds(from, staged, { progress, only })
  if (copied.seq !== seq || copied.hash !== hash || differencesOf(worlds, copies).length > 0)
    throw new BackupUnusable(`${from} changed while it was read; try again`)
  await copyAccessFiles(from, staged)
  await writeRunFiles(staged, runFilesIn(from))
  await writeFormat(staged, await marketModelOf(from))
  copyImportedData(from, staged, manifest)
  const last = await lastBackupOf(data)
  if (last) await noteBackup(staged, last.folder, last)
  const [source, credentials] = existsSync(credentialsPath(from))
    ? ([from, 'of the backup'] as const)
    : ([data, existsSync(credentialsPath(data)) ? 'of the folder before' : 'none'] as const)
  if (credentials !== 'none') writeCredentials(staged, readCredentials(source))
  if (!copySealingKey(from, staged)) copySealingKey(data, staged)
  // Throws if this version cannot read the format.
  const opened = await openFolder(staged)
  opened.release()
  await diskOperations.syncFolder(staged)
  return credentials
}

/** Renames both folders or neither. Returns the new path of the replaced folder. */
async function exchange(
  staged: string,
  data: string,
  release: (() => void) | undefined,
): Promise<string | undefined> {
  const before = release && `${data}.before-restore-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`
  if (before !== undefined) {
    // Windows cannot rename a folder with an open file.
    if (process.platform === 'win32') release?.()
    await rename(data, before)
  } else if (existsSync(data)) await rmdir(data)
  try {
    await rename(staged, data)
  } catch (error) {
    if (before !== undefined) await rename(before, data)
    throw error
  }
  await diskOperations.syncFolder(dirname(data))
  return before
}
