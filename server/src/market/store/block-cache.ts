import { join } from 'node:path'
import { partsFolder } from './manifest.ts'
import { PartReader } from './part-file.ts'
import type { BlockEntry } from './part-format.ts'
import type { Kind, Rows } from './rows.ts'

/** Files that are kept open. */
const FILES_MAX = 64

/** The blocks and files used last. Both are found by name: a file never changes once it is named. */
export class BlockCache {
  readonly #folder: string
  readonly #blocksMax: number
  readonly #blocks = new Map<string, Rows>()
  readonly #files = new Map<string, PartReader>()

  constructor(storeFolder: string, blocksMax: number) {
    this.#folder = partsFolder(storeFolder)
    this.#blocksMax = blocksMax
  }

  entries(file: string): readonly BlockEntry[] {
    return this.#file(file).entries
  }

  rows(file: string, kind: Kind, entry: BlockEntry): Rows {
    return kept(this.#blocks, `${file}:${entry.at}`, this.#blocksMax, () =>
      this.#file(file).rows(kind, entry),
    )
  }

  close(): void {
    for (const reader of this.#files.values()) reader.close()
    this.#files.clear()
    this.#blocks.clear()
  }

  #file(file: string): PartReader {
    return kept(
      this.#files,
      file,
      FILES_MAX,
      () => new PartReader(join(this.#folder, file)),
      (reader) => reader.close(),
    )
  }
}

/** From the map, or made and put into it; what was not used for longest goes when there are too many. */
function kept<Value>(
  map: Map<string, Value>,
  key: string,
  most: number,
  make: () => Value,
  drop?: (value: Value) => void,
): Value {
  const known = map.get(key)
  if (known !== undefined) map.delete(key)
  const value = known ?? make()
  map.set(key, value)
  if (map.size > most) {
    const [oldest, dropped] = map.entries().next().value!
    map.delete(oldest)
    drop?.(dropped)
  }
  return value
}
