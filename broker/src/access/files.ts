import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  diskOperations,
  type FileOperations,
  makeFolder,
  replaceFile,
  writeAll,
} from '../data-folder/file-operations.ts'
import {
  type AccessStore,
  type AddressRow,
  accessDay,
  type Erasure,
  isErased,
  REF,
  type Uses,
} from './access-store.ts'

/**
 * A folder with one file of addresses per day, one JSON line per address, and `key-uses.json`. Day files are appended
 * to; every other change replaces a file by a rename. An incomplete last line was never confirmed: readers skip it, and
 * the next writer truncates it.
 */
export function openFilesAccess(folder: string, disk: FileOperations = diskOperations): AccessStore {
  return new FilesAccess(folder, disk)
}

type Open = { readonly day: string; readonly file: number; length: number }

class FilesAccess implements AccessStore {
  readonly #folder: string
  readonly #disk: FileOperations
  #open: Open | undefined

  constructor(folder: string, disk: FileOperations) {
    this.#folder = folder
    this.#disk = disk
  }

  async addAddresses(rows: readonly AddressRow[]): Promise<void> {
    for (const [day, ofDay] of Map.groupBy(rows, ({ ref }) => accessDay(ref))) await this.#append(day, ofDay)
  }

  async days(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch(none<string[]>([]))
    return names.flatMap((name) => DAY_FILE.exec(name)?.[1] ?? []).sort()
  }

  async addressesOf(day: string): Promise<readonly AddressRow[]> {
    const text = await readFile(this.#pathOf(day), 'utf8').catch(none(''))
    return text.split('\n').slice(0, -1).flatMap(rowOf)
  }

  async eraseAddresses(what: Erasure): Promise<number> {
    await this.#closeFile()
    let erased = 0
    for (const day of await this.days()) {
      const rows = await this.addressesOf(day)
      const kept = rows.filter((row) => !isErased(row, what))
      if (kept.length === rows.length) continue
      erased += rows.length - kept.length
      if (kept.length > 0) await replaceFile(this.#disk, this.#pathOf(day), linesOf(kept))
      else await rm(this.#pathOf(day))
    }
    if (erased > 0) await this.#disk.syncFolder(this.#folder)
    return erased
  }

  async keyUses(): Promise<Uses> {
    const text = await readFile(this.#usesPath, 'utf8').catch(none('{}'))
    return usesIn(text)
  }

  async storeKeyUses(_: Uses, all: Uses): Promise<void> {
    await makeFolder(this.#disk, this.#folder)
    await replaceFile(this.#disk, this.#usesPath, `${JSON.stringify(Object.fromEntries(all))}\n`)
    await this.#disk.syncFolder(this.#folder)
  }

  async close(): Promise<void> {
    await this.#closeFile()
  }

  get #usesPath(): string {
    return join(this.#folder, 'key-uses.json')
  }

  readonly #pathOf = (day: string): string => join(this.#folder, `${day}.jsonl`)

  async #append(day: string, rows: readonly AddressRow[]): Promise<void> {
    const open = this.#open?.day === day ? this.#open : await this.#openDay(day)
    const bytes = Buffer.from(linesOf(rows))
    try {
      await writeAll(this.#disk, open.file, bytes, open.length)
      await this.#disk.datasync(open.file)
      open.length += bytes.length
    } catch (error) {
      // The content of the file is unknown now: the next write reopens it and truncates an incomplete line.
      await this.#closeFile().catch(() => undefined)
      throw error
    }
  }

  async #openDay(day: string): Promise<Open> {
    await this.#closeFile()
    await makeFolder(this.#disk, this.#folder)
    const text = await readFile(this.#pathOf(day)).catch(none(undefined))
    const file = await this.#disk.open(this.#pathOf(day), text === undefined ? 'wx' : 'r+')
    try {
      const length = text === undefined ? 0 : text.lastIndexOf('\n') + 1
      if (text !== undefined && length < text.length) await this.#disk.truncate(file, length)
      await this.#disk.syncFolder(this.#folder)
      this.#open = { day, file, length }
      return this.#open
    } catch (error) {
      await this.#disk.close(file)
      throw error
    }
  }

  async #closeFile(): Promise<void> {
    const open = this.#open
    this.#open = undefined
    if (open) await this.#disk.close(open.file)
  }
}

const DAY_FILE = /^(\d{8})\.jsonl$/

const linesOf = (rows: readonly AddressRow[]): string =>
  rows.map(({ ref, address }) => `${JSON.stringify({ ref, address })}\n`).join('')

function rowOf(line: string): AddressRow[] {
  try {
    const { ref, address } = JSON.parse(line)
    return REF.test(ref) && typeof address === 'string' ? [{ ref, address }] : []
  } catch {
    return []
  }
}

/** Damaged last uses are ignored: they must not prevent a start. */
function usesIn(text: string): Uses {
  try {
    const uses = Object.entries<unknown>(JSON.parse(text))
    return new Map(uses.filter((use): use is [string, string] => /^\d+$/.test(String(use[1]))))
  } catch {
    return new Map()
  }
}

/** Returns a default for a file or folder that does not exist. */
const none =
  <Value>(value: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code === 'ENOENT') return value
    throw error
  }
