import { statSync } from 'node:fs'
import { ensureFolder, lockFolder } from '../../process/folder.ts'
import { BlockCache } from './block-cache.ts'
import { type Manifest, manifestPath, readManifest, type SeriesRecord } from './manifest.ts'
import { Series } from './series.ts'
import { type SeriesKey, seriesName } from './series-key.ts'
import { StoreWriter, type WriteOptions } from './writer.ts'

export type StoreOptions = {
  /** Decoded blocks that are kept, of 4,096 rows each: one of bars takes 270 kB. */
  readonly cacheBlocks?: number
}

/** The imported data of a folder. Many may read it, also other processes, while one writes. */
export class Store {
  readonly folder: string
  readonly #cache: BlockCache
  #stamp = ''
  #series: ReadonlyMap<string, Series> = new Map()

  constructor(folder: string, { cacheBlocks = 64 }: StoreOptions = {}) {
    this.folder = folder
    this.#cache = new BlockCache(folder, cacheBlocks)
    this.#refresh()
  }

  /** Every series, by name. */
  list(): readonly Series[] {
    this.#refresh()
    return [...this.#series.values()]
  }

  find(key: SeriesKey): Series | undefined {
    this.#refresh()
    return this.#series.get(seriesName(key))
  }

  /** A series as it was when a world took it. */
  pinned(record: SeriesRecord): Series {
    return new Series(record, this.#cache)
  }

  /** Begins an import. Throws FolderInUse while another one runs, in this process or in another. */
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
    this.#cache.close()
  }

  /** Every import makes a new manifest file, so a look at the file tells whether there was one. */
  #refresh(): void {
    const stamp = stampOf(this.folder)
    if (stamp === this.#stamp) return
    this.#series = seriesOf(readManifest(this.folder), this.#cache)
    this.#stamp = stamp
  }
}

/** Opens the store of a folder; one that is not there yet is empty. */
export const openStore = (folder: string, options?: StoreOptions): Store => new Store(folder, options)

const seriesOf = ({ series }: Manifest, cache: BlockCache): ReadonlyMap<string, Series> =>
  new Map(
    series
      .filter(({ parts }) => parts.length > 0)
      .map((record) => [seriesName(record), new Series(record, cache)]),
  )

function stampOf(folder: string): string {
  const found = statSync(manifestPath(folder), { bigint: true, throwIfNoEntry: false })
  return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : 'none'
}
