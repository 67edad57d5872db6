import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { diskOperations, storeFile } from '../data-folder/file-operations.ts'
import { version } from '../data-folder/version.ts'
import { MAIN } from '../registry/worlds.ts'
import { BackupUnusable } from './failures.ts'
import type { RunFilesHead } from './run-files.ts'
import type { WorldHead } from './worlds.ts'

/**
 * The newest backup format. Format 1 has only `main`, and format 2 no files of runs. A backup has the oldest format that it can
 * have, so that older versions restore it.
 */
const BACKUP_FORMAT = 3

/** The description of a backup. Restoring compares the journal with it. */
export type Manifest = {
  readonly format: number
  /** `main`, or the only world of the backup. */
  readonly world: string
  /** The last event, and the journal hash at that event. */
  readonly seq: number
  readonly hash: string
  /** The durable worlds besides `main`. Absent: none. */
  readonly worlds?: readonly WorldHead[]
  /** The files of runs. Absent: none. */
  readonly runs?: RunFilesHead
  /** When it was taken, and by which version of the program. */
  readonly at: string
  readonly version: string
}

/** The description of a backup that was taken now. */
export function newManifest(
  head: WorldHead,
  worlds: readonly WorldHead[] = [],
  runs?: RunFilesHead,
): Manifest {
  const format = runs ? BACKUP_FORMAT : head.world === MAIN && worlds.length === 0 ? 1 : 2
  const parts = { ...withWorlds(worlds), ...(runs && { runs }) }
  return { format, ...head, ...parts, at: new Date().toISOString(), version }
}

/** The description of one world of a backup. Default: of all. */
export function partOf(folder: string, manifest: Manifest, only?: string): Manifest {
  if (only === undefined) return manifest
  const { worlds = [], runs, ...first } = manifest
  const head = [first, ...worlds].find(({ world }) => world === only)
  if (!head) throw new BackupUnusable(`${folder} has no world ${only}`)
  return { ...first, ...head, ...(only === MAIN && runs && { runs }) }
}

const pathIn = (folder: string): string => join(folder, 'backup.json')

export const storeManifest = (folder: string, manifest: Manifest): Promise<void> =>
  storeFile(diskOperations, pathIn(folder), `${JSON.stringify(manifest, undefined, 2)}\n`, 'wx')

export async function readManifest(folder: string): Promise<Manifest> {
  const path = pathIn(folder)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
    throw new BackupUnusable(`${folder} is not a backup: it has no backup.json`)
  })
  const manifest = parsed(text)
  if (!manifest) throw new BackupUnusable(`${path} is damaged; use another backup`)
  if (manifest.format > BACKUP_FORMAT)
    throw new BackupUnusable(
      `${folder} has backup format ${manifest.format}, this version reads up to ${BACKUP_FORMAT}: install version ${manifest.version} of quipu or newer`,
    )
  return manifest
}

function parsed(text: string): Manifest | undefined {
  try {
    const { format, world, seq, hash, worlds = [], runs, at, version } = JSON.parse(text)
    const isComplete =
      [format, seq].every(Number.isSafeInteger) &&
      [world, hash, at, version].every(isText) &&
      Array.isArray(worlds) &&
      worlds.every((one) => isText(one?.world) && Number.isSafeInteger(one.seq) && isText(one.hash)) &&
      (runs === undefined || isText(runs?.hash))
    const parts = { ...withWorlds(worlds), ...(runs && { runs }) }
    return isComplete ? { format, world, seq, hash, ...parts, at, version } : undefined
  } catch {
    return undefined
  }
}

const withWorlds = (worlds: readonly WorldHead[]): Pick<Manifest, 'worlds'> =>
  worlds.length === 0 ? {} : { worlds }

const isText = (value: unknown): boolean => typeof value === 'string'
