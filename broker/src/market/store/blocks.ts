import { createHash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { LruCache } from '@quipu/core/values'
import { decodeBlock } from './block.ts'
import { readingDatabase } from './database.ts'
import { StoreChanged, StoreDamaged } from './failures.ts'
import type { RowKind, Rows } from './rows.ts'
import { type SeriesKey, seriesName } from './series-key.ts'

/** A series as an import left it. Its generation is the number of that import. */
export type SeriesRecord = SeriesKey & {
  readonly generation: number
  /** SHA-256 of the name and of the checksums of all blocks: the same rows give the same digest. */
  readonly digest: string
  readonly rows: number
  readonly bytes: number
  /** The first and the last instant, in nanoseconds since 1970. */
  readonly first: string
  readonly last: string
}

/** A block without its rows. Blocks never change; an import replaces them by new ones. */
export type BlockEntry = {
  readonly id: number
  readonly period: number
  readonly rows: number
  /** The first and the last time, in microseconds since 1970. */
  readonly first: number
  readonly last: number
  readonly sha256: string
}

export const checksumOf = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex')

export function blockDigest(key: SeriesKey, entries: readonly Pick<BlockEntry, 'sha256'>[]): string {
  const hash = createHash('sha256').update(seriesName(key))
  for (const { sha256 } of entries) hash.update(`\n${sha256}`)
  return hash.digest('hex')
}

/** Reads the blocks of a store. The most recently used ones stay decoded. */
export class Blocks {
  readonly #path: string
  readonly #decoded: LruCache<number, Rows>
  readonly #entries: StatementSync
  readonly #data: StatementSync

  constructor(path: string, database: DatabaseSync, decodedMax: number) {
    this.#path = path
    this.#decoded = new LruCache(decodedMax)
    this.#entries = database.prepare(
      `SELECT id, period, rows, first, last, sha256 FROM blocks
       WHERE series = :name AND since <= :generation AND coalesce(until > :generation, 1) ORDER BY period`,
    )
    this.#data = database.prepare('SELECT data FROM blocks WHERE id = ?')
  }

  /** The blocks of a series, oldest first. Throws StoreChanged or StoreDamaged if they are not the recorded ones. */
  entries(record: SeriesRecord): readonly BlockEntry[] {
    const name = seriesName(record)
    const found = readingDatabase(this.#path, () =>
      this.#entries.all({ name, generation: record.generation }),
    ) as unknown as readonly BlockEntry[]
    if (blockDigest(record, found) === record.digest) return found
    // An import deletes blocks that were replaced before it began.
    if (found.reduce((sum, { rows }) => sum + rows, 0) < record.rows) throw new StoreChanged(name)
    throw new StoreDamaged(this.#path, `the list of blocks of ${name} has another checksum`)
  }

  rows(record: SeriesRecord, entry: BlockEntry): Rows {
    return this.#decoded.getOrMake(entry.id, () =>
      decodeBlock(record.kind as RowKind, this.data(record, entry)),
    )
  }

  /** The bytes of a block, checked. */
  data(record: SeriesRecord, { id, sha256 }: BlockEntry): Uint8Array {
    const found = readingDatabase(this.#path, () => this.#data.get(id))
    if (!found) throw new StoreChanged(seriesName(record))
    const data = found['data'] as Uint8Array
    if (checksumOf(data) === sha256) return data
    throw new StoreDamaged(this.#path, `a block of ${seriesName(record)} has another checksum`)
  }
}
