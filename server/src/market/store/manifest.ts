import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { StoreDamaged, StoreNewer } from './failures.ts'
import type { Time } from './rows.ts'
import type { SeriesKey } from './series-key.ts'

/** The layout of a store that this program writes. */
export const STORE_FORMAT = 1

export type Part = {
  /** Its name in the folder `parts`. */
  readonly file: string
  readonly bytes: number
  readonly rows: number
  readonly first: Time
  readonly last: Time
}

/** A series and its parts, oldest first; two parts share at most the instant where they meet. */
export type SeriesRecord = SeriesKey & { readonly parts: readonly Part[] }

/** Everything that is in the store: what is not named here is not there. */
export type Manifest = {
  readonly format: number
  /** How many imports have been stored. */
  readonly generation: number
  readonly series: readonly SeriesRecord[]
}

export const EMPTY: Manifest = { format: STORE_FORMAT, generation: 0, series: [] }

export const manifestPath = (folder: string): string => join(folder, 'manifest.json')
export const partsFolder = (folder: string): string => join(folder, 'parts')
export const runsFolder = (folder: string): string => join(folder, 'runs')

/** JSON in the first line, its CRC-32 in the second. A folder without one is an empty store. */
export function readManifest(folder: string): Manifest {
  const path = manifestPath(folder)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY
    throw error
  }
  const end = text.indexOf('\n')
  const [line, checksum] = [text.slice(0, end), text.slice(end + 1).trim()]
  if (end < 0 || checksum !== hex(crc32(line))) throw new StoreDamaged(path, 0, 'its checksum differs')
  const manifest = JSON.parse(line) as Manifest
  if (manifest.format > STORE_FORMAT) throw new StoreNewer(path, manifest.format, STORE_FORMAT)
  return manifest
}

/** After this the store is what the manifest says, also after a power cut; before it, what it was. */
export function swapManifest(folder: string, manifest: Manifest): void {
  const line = JSON.stringify(manifest)
  const unfinished = `${manifestPath(folder)}.tmp`
  const file = openSync(unfinished, 'w', 0o600)
  try {
    writeAll(file, Buffer.from(`${line}\n${hex(crc32(line))}\n`))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, manifestPath(folder))
  syncFolder(folder)
}

/** The names in a folder are on the disk afterwards. */
export function syncFolder(path: string): void {
  // Windows can not open a folder, and keeps names without being asked.
  if (process.platform === 'win32') return
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(file, bytes, written, bytes.length - written)
}

const hex = (value: number): string => value.toString(16).padStart(8, '0')
