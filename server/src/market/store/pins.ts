import { createHash } from 'node:crypto'
import { constants, copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureFolder } from '../../process/folder.ts'
import { readChecked, storeChecked, syncFolder } from './checked-file.ts'
import { partsFolder, type SeriesRecord } from './manifest.ts'
import { seriesName } from './series-key.ts'

/**
 * A pin file names the series that one world uses, as they were when the world took them. Imports and deletions keep
 * the files that a pin names.
 */
type Pins = { readonly series: readonly SeriesRecord[] }

const pinsFolder = (folder: string): string => join(folder, 'pins')
const pathOf = (folder: string, world: string): string => join(pinsFolder(folder), `${world}.json`)

export const readPins = (folder: string, world: string): readonly SeriesRecord[] =>
  readChecked<Pins>(pathOf(folder, world))?.series ?? []

export function storePins(folder: string, world: string, series: readonly SeriesRecord[]): void {
  ensureFolder(pinsFolder(folder))
  storeChecked(pathOf(folder, world), { series } satisfies Pins)
}

export const removePins = (folder: string, world: string): void =>
  rmSync(pathOf(folder, world), { force: true })

/** Copies the series that a world uses into another store. The next start checks every byte of them. */
export function copyPinned(world: string, from: string, to: string): void {
  const series = readPins(from, world)
  if (series.length === 0) return
  ensureFolder(partsFolder(to))
  for (const { file } of series.flatMap(({ parts }) => parts)) {
    const path = join(partsFolder(to), file)
    // Files are immutable; where the file system can, both stores share the bytes.
    if (!existsSync(path)) copyFileSync(join(partsFolder(from), file), path, constants.COPYFILE_FICLONE)
  }
  syncFolder(partsFolder(to))
  storePins(to, world, series)
}

/** The worlds that have pins. */
export function pinnedBy(folder: string): readonly string[] {
  try {
    return readdirSync(pinsFolder(folder))
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Names the content of a series: the same imports in the same order into an empty store give the same digest. */
export function digestOf(record: SeriesRecord): string {
  const hash = createHash('sha256').update(seriesName(record))
  for (const { sha256 } of record.parts) hash.update(`\n${sha256}`)
  return hash.digest('hex')
}
