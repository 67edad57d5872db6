import { setImmediate } from 'node:timers/promises'
import { definedFields, entryIn, type ImportedSeries, tickerOf } from '@quipu/core'
import { ensureFolder, lockFolder } from '../data-folder/folder.ts'
import {
  assertSeries,
  ImportedDataMissing,
  type MarketStore,
  pinnedBy,
  readPins,
  removePins,
  type Series,
  type SeriesBlocks,
  type SeriesRecord,
  StoreChanged,
  StoreDamaged,
  storePinned,
  storePins,
} from './store/index.ts'

/** The imported data of a data folder, and the series that each world uses. */
export class Library {
  readonly #store: MarketStore
  readonly #durable: ReadonlySet<string>
  readonly #pins = new Map<string, ReadonlyMap<string, SeriesRecord>>()
  readonly #intact = new Set<string>()

  /**
   * `worlds`: the durable worlds beside `main`. The pins of all other worlds end with the process. Throws StoreDamaged
   * where the list of series cannot be read.
   */
  constructor(store: MarketStore, worlds: readonly string[] = []) {
    this.#store = store
    this.#durable = new Set(['main', ...worlds])
    for (const world of pinnedBy(store.folder))
      if (this.#durable.has(world)) this.#pins.set(world, byDigest(readPins(store.folder, world)))
      else removePins(store.folder, world)
  }

  get folder(): string {
    return this.#store.folder
  }

  /** Every series as it is now. */
  list(): readonly Series[] {
    return this.#store.list()
  }

  delete(series: readonly Series[]): void {
    const writer = this.#store.write()
    for (const { record } of series) writer.remove(record)
    writer.commit()
  }

  /** Reads the blocks of these series, one at a time. Throws ImportedDataMissing where one is missing or damaged. */
  async check(world: string, data: readonly ImportedSeries[]): Promise<void> {
    for (const one of data) for (const _ of this.#check(world, one)) await setImmediate()
  }

  /** Keeps the blocks of these series until the world releases them. Call it before the world uses them. */
  pin(world: string, data: readonly ImportedSeries[]): void {
    const known = this.#pins.get(world)
    const added = data.filter(({ digest }) => !known?.has(digest))
    if (added.length === 0) return
    const pins = new Map([...(known ?? []), ...byDigest(added.map((one) => this.#recordOf(world, one)))])
    storePins(this.#store.folder, world, [...pins.values()])
    this.#pins.set(world, pins)
    // An import may have deleted the blocks before the pin was set.
    for (const one of added)
      if (!this.#store.has(entryIn(pins, one.digest))) throw new StoreChanged(described(one))
  }

  /** The series that a world uses. Throws ImportedDataMissing where one is missing or, of a durable world at the start, damaged. */
  open(world: string, data: readonly ImportedSeries[]): readonly Series[] {
    const missing = data.filter((one) => !this.#find(one.digest))
    if (missing.length > 0) throw this.#missing(world, missing)
    if (this.#durable.has(world)) for (const one of data) for (const _ of this.#check(world, one));
    this.pin(world, data)
    return data.map(({ digest }) => this.#store.pinned(entryIn(entryIn(this.#pins, world), digest)))
  }

  /** The series that a world uses, with their blocks. */
  blocksOf(world: string, data: readonly ImportedSeries[]): readonly SeriesBlocks[] {
    return data.map((one) => {
      const record = this.#recordOf(world, one)
      return { record, blocks: this.#store.blocksOf(record) }
    })
  }

  /**
   * Stores series of another machine for one world, except those that are here already. Throws FolderInUse while an
   * import runs, and an Error for a series that no import could have written.
   */
  async add(world: string, series: readonly SeriesBlocks[]): Promise<void> {
    const missing = series.filter(({ record }) => !this.#find(record.digest))
    for (const one of missing) for (const _ of assertSeries(one)) await setImmediate()
    if (missing.length === 0) return
    ensureFolder(this.#store.folder)
    const release = lockFolder(this.#store.folder)
    try {
      const records = storePinned(this.#store.folder, missing)
      storePins(this.#store.folder, world, records)
      this.#pins.set(world, byDigest(records))
    } finally {
      release()
    }
  }

  /** The world was deleted. */
  release(world: string): void {
    if (this.#pins.delete(world)) removePins(this.#store.folder, world)
  }

  #recordOf(world: string, one: ImportedSeries): SeriesRecord {
    const record = this.#find(one.digest)
    if (record) return record
    throw this.#missing(world, [one])
  }

  #missing(world: string, data: readonly ImportedSeries[]): ImportedDataMissing {
    const names = data.map(described).join(', ')
    return new ImportedDataMissing(world, names, `${this.#store.folder} does not have it`)
  }

  #find(digest: string): SeriesRecord | undefined {
    for (const pins of this.#pins.values()) {
      const record = pins.get(digest)
      if (record) return record
    }
    return this.#store.list().find((series) => series.digest === digest)?.record
  }

  /** The blocks of a series are checked once per process. */
  *#check(world: string, one: ImportedSeries): Generator<void> {
    if (this.#intact.has(one.digest)) return
    try {
      yield* this.#store.check(this.#recordOf(world, one))
    } catch (error) {
      if (error instanceof StoreDamaged || error instanceof StoreChanged)
        throw new ImportedDataMissing(world, described(one), error.message)
      throw error
    }
    this.#intact.add(one.digest)
  }
}

/** Reads the series that a world will use. Throws ImportedDataMissing where one is missing or damaged. */
export async function checkSeries(
  library: Library | undefined,
  world: string,
  data: readonly ImportedSeries[],
): Promise<void> {
  if (library) await library.check(world, data)
  else if (data.length > 0) throw withoutFolder(world, data)
}

const withoutFolder = (world: string, data: readonly ImportedSeries[]): ImportedDataMissing =>
  new ImportedDataMissing(world, data.map(described).join(', '), 'this server has no data folder')

/** The series that a world uses; a server without a data folder has none. */
export function seriesOf(
  library: Library | undefined,
  world: string,
  data: readonly ImportedSeries[],
): readonly Series[] {
  if (library) return library.open(world, data)
  throw withoutFolder(world, data)
}

/** A series as the journal of a world names it. */
export const importedSeriesOf = ({ symbol, kind, frame, rows, digest }: Series): ImportedSeries => ({
  symbol: tickerOf(symbol),
  kind,
  ...definedFields({ frame }),
  rows,
  digest,
})

/** `bars 1Min AAPL: 780 rows`. */
export const described = ({ kind, frame, symbol, rows }: ImportedSeries): string =>
  `${[kind, frame, symbol].filter(Boolean).join(' ')}: ${rows} rows`

const byDigest = (records: readonly SeriesRecord[]): ReadonlyMap<string, SeriesRecord> =>
  new Map(records.map((record) => [record.digest, record]))
