import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { missing } from '@quipu/core/values'
import { ensureFolder, lockFolder } from '../../data-folder/folder.ts'
import { type BlockEntry, Blocks, type SeriesRecord } from './blocks.ts'
import { databasePath, generationOf, openMarketDatabase, openReadOnly, readingDatabase } from './database.ts'
import { StoreChanged } from './failures.ts'
import { readPins, storePins } from './pins.ts'
import { Series } from './series.ts'
import { type SeriesKey, seriesName } from './series-key.ts'
import { StoreWriter, type WriteOptions } from './writer.ts'

export type StoreOptions = {
  /** Decoded blocks to keep. Eight days of minute bars take 250 to 800 kB. */
  readonly cacheBlocks?: number
  /** For a thread beside the one that writes: it must never create or change the database. */
  readonly readOnly?: boolean
}

/** The imported data of a folder. Any number of processes can read while one writes. */
export class MarketStore {
  readonly folder: string
  readonly #cacheBlocks: number
  readonly #readOnly: boolean
  #open: OpenStore | undefined

  constructor(folder: string, { cacheBlocks = 64, readOnly = false }: StoreOptions = {}) {
    this.folder = folder
    this.#cacheBlocks = cacheBlocks
    this.#readOnly = readOnly
    this.#opened()
  }

  /** All series, by name. */
  list(): readonly Series[] {
    return [...(this.#opened()?.series().values() ?? [])]
  }

  find(key: SeriesKey): Series | undefined {
    return this.#opened()?.series().get(seriesName(key))
  }

  /** A series as it was when a world took it. */
  pinned(record: SeriesRecord): Series {
    return new Series(record, this.#blocksOf(record))
  }

  /** Whether all blocks of a series still exist. */
  has(record: SeriesRecord): boolean {
    try {
      this.#blocksOf(record).entries(record)
      return true
    } catch (error) {
      if (error instanceof StoreChanged) return false
      throw error
    }
  }

  /** Reads and checks every block of a series; yields between blocks. */
  *check(record: SeriesRecord): Generator<void> {
    const blocks = this.#blocksOf(record)
    for (const entry of blocks.entries(record)) {
      blocks.data(record, entry)
      yield
    }
  }

  /** The blocks of a series with their bytes. */
  *blocksOf(record: SeriesRecord): Generator<BlockEntry & { readonly data: Uint8Array }> {
    const blocks = this.#blocksOf(record)
    for (const entry of blocks.entries(record)) yield { ...entry, data: blocks.data(record, entry) }
  }

  /** Begins an import. Throws FolderInUse while another import runs, in this or another process. */
  write(options: WriteOptions = {}): StoreWriter {
    ensureFolder(this.folder)
    const release = lockFolder(this.folder)
    try {
      return new StoreWriter(this.folder, release, options)
    } catch (error) {
      release()
      throw error
    }
  }

  delete(key: SeriesKey): void {
    const writer = this.write()
    writer.remove(key)
    writer.commit()
  }

  close(): void {
    this.#open?.close()
    this.#open = undefined
  }

  /** The database, once an import has created it. */
  #opened(): OpenStore | undefined {
    if (this.#open) return this.#open
    const path = databasePath(this.folder)
    const database = this.#readOnly ? openReadOnly(this.folder) : openMarketDatabase(this.folder, false)
    if (database) this.#open = readingDatabase(path, () => new OpenStore(path, database, this.#cacheBlocks))
    return this.#open
  }

  #blocksOf(record: SeriesRecord): Blocks {
    const open = this.#opened()
    if (!open) throw new StoreChanged(seriesName(record))
    return open.blocks
  }
}

/** Opens the store of a folder. A folder without a database is an empty store. */
export const openStore = (folder: string, options?: StoreOptions): MarketStore =>
  new MarketStore(folder, options)

class OpenStore {
  readonly blocks: Blocks
  readonly #path: string
  readonly #database: DatabaseSync
  readonly #version: StatementSync
  readonly #list: StatementSync
  #readVersion: unknown
  #series: ReadonlyMap<string, Series> = new Map()

  constructor(path: string, database: DatabaseSync, cacheBlocks: number) {
    this.#path = path
    this.#database = database
    this.blocks = new Blocks(path, database, cacheBlocks)
    this.#version = database.prepare('PRAGMA data_version')
    this.#list = database.prepare(
      'SELECT kind, symbol, frame, generation, digest, rows, bytes, first, last FROM series ORDER BY name',
    )
  }

  /** All series by name. The data version changes when another connection commits an import. */
  series(): ReadonlyMap<string, Series> {
    return readingDatabase(this.#path, () => {
      const version = (this.#version.get() ?? missing('the version'))['data_version']
      if (version === this.#readVersion) return this.#series
      this.#series = new Map(
        this.#list.all().map((row) => {
          const { frame, ...record } = row as unknown as SeriesRecord & { readonly frame: string | null }
          const series = new Series(frame === null ? record : { ...record, frame }, this.blocks)
          return [seriesName(series), series]
        }),
      )
      this.#readVersion = version
      return this.#series
    })
  }

  close(): void {
    this.#database.close()
  }
}

/** A series with all of its blocks, oldest first. */
export type SeriesBlocks = {
  readonly record: SeriesRecord
  readonly blocks: Iterable<Omit<BlockEntry, 'id'> & { readonly data: Uint8Array }>
}

/** Copies the series that a world uses into another store. Copied blocks are used by the world only. */
export function copyPinned(world: string, from: string, to: string): void {
  const records = readPins(from, world)
  if (records.length === 0) return
  const source = openStore(from)
  try {
    const copied = storePinned(
      to,
      records.map((record) => ({ record, blocks: source.blocksOf(record) })),
    )
    storePins(to, world, copied)
  } finally {
    source.close()
  }
}

/** Stores series that only the pins of a world show. Returns their records in this store. */
export function storePinned(folder: string, series: readonly SeriesBlocks[]): readonly SeriesRecord[] {
  const target = openMarketDatabase(folder, true) ?? missing('the store')
  try {
    return readingDatabase(databasePath(folder), () => {
      // The blocks of a pinned series end with their own generation, so no other reader finds them.
      target.exec('BEGIN IMMEDIATE; UPDATE store SET generation = generation + 2')
      const generation = generationOf(target) - 1
      const insert = target.prepare(
        `INSERT INTO blocks (series, period, since, until, rows, first, last, sha256, data)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      for (const { record, blocks } of series)
        for (const { period, rows, first, last, sha256, data } of blocks)
          insert.run(seriesName(record), period, generation, generation + 1, rows, first, last, sha256, data)
      target.exec('COMMIT')
      return series.map(({ record }) => ({ ...record, generation }))
    })
  } finally {
    target.close()
  }
}
