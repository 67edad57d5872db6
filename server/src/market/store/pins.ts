import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureFolder } from '../../process/folder.ts'
import type { SeriesRecord } from './blocks.ts'
import { readChecked, storeChecked } from './checked-file.ts'

/**
 * A pin file names the series that one world uses, as they were when the world took them. Imports and deletions keep
 * their blocks. Pins are files, because a world can take series while an import holds the database.
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
