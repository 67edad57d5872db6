import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { errorCode } from '@quipu/core/values'
import { replaceFileSync } from '../../data-folder/file-operations.ts'
import { ensureFolder } from '../../data-folder/folder.ts'
import type { SeriesRecord } from './blocks.ts'
import { StoreDamaged } from './failures.ts'

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
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** JSON in the first line, its CRC-32 in the second. A file that does not exist is undefined. */
function readChecked<Value>(path: string): Value | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  const end = text.indexOf('\n')
  const [line, checksum] = [text.slice(0, end), text.slice(end + 1).trim()]
  if (end < 0 || checksum !== hex(crc32(line))) throw new StoreDamaged(path, 'its checksum differs')
  return JSON.parse(line) as Value
}

/** Replaces a file durably and atomically. */
function storeChecked(path: string, value: unknown): void {
  const line = JSON.stringify(value)
  replaceFileSync(path, `${line}\n${hex(crc32(line))}\n`, { isDurable: true })
  syncFolder(dirname(path))
}

/** Makes new names in a folder durable. */
function syncFolder(path: string): void {
  // Windows cannot open a folder and needs no sync.
  if (process.platform === 'win32') return
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const hex = (value: number): string => value.toString(16).padStart(8, '0')
