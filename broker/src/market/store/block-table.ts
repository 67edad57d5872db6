import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { encodeBlock } from './block.ts'
import { checksumOf, type SeriesRecord } from './blocks.ts'
import type { Rows } from './rows.ts'
import { valueAt } from './rows.ts'
import { seriesName } from './series-key.ts'

/** A current block, as the writer reads it. */
export type StoredBlock = {
  readonly id: number
  readonly since: number
  readonly sha256: string
  readonly data: Uint8Array
}

type Summary = { readonly rows: number; readonly bytes: number; readonly sha256: string }

/** The statements of an import on blocks. Each import has a generation; blocks are valid from `since` until before `until`. */
export class BlockTable {
  readonly #database: DatabaseSync
  readonly #at: StatementSync
  readonly #insert: StatementSync
  readonly #end: StatementSync
  readonly #delete: StatementSync
  readonly #generation: number

  constructor(database: DatabaseSync, generation: number) {
    this.#database = database
    this.#generation = generation
    this.#at = database.prepare(
      'SELECT id, since, sha256, data FROM blocks WHERE series = ? AND period = ? AND until IS NULL',
    )
    this.#insert = database.prepare(
      `INSERT INTO blocks (series, period, since, rows, first, last, sha256, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#end = database.prepare('UPDATE blocks SET until = ? WHERE id = ?')
    this.#delete = database.prepare('DELETE FROM blocks WHERE id = ?')
  }

  /** Deletes the blocks that earlier imports replaced, except blocks of pinned series. */
  deleteReplaced(pinned: readonly SeriesRecord[]): void {
    const pins = pinned.map((record) => ({ name: seriesName(record), generation: record.generation }))
    this.#database
      .prepare(
        `DELETE FROM blocks WHERE until IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM json_each(?) AS pin WHERE pin.value ->> 'name' = series
             AND pin.value ->> 'generation' >= since AND pin.value ->> 'generation' < until)`,
      )
      .run(JSON.stringify(pins))
  }

  at(name: string, period: number): StoredBlock | undefined {
    return this.#at.get(name, period) as unknown as StoredBlock | undefined
  }

  insert(name: string, period: number, rows: Rows, from: number, to: number): void {
    const data = encodeBlock(rows, from, to)
    const [first, last] = [valueAt(rows.micros, from), valueAt(rows.micros, to - 1)]
    this.#insert.run(name, period, this.#generation, to - from, first, last, checksumOf(data), data)
  }

  /** Ends a block of an earlier import, or deletes a block of this import. */
  remove({ id, since }: StoredBlock): void {
    if (since === this.#generation) this.#delete.run(id)
    else this.#end.run(this.#generation, id)
  }

  /** Ends all blocks of earlier imports. */
  removeEarlier(name: string): void {
    this.#database
      .prepare('UPDATE blocks SET until = :now WHERE series = :name AND until IS NULL AND since < :now')
      .run({ name, now: this.#generation })
  }

  /** The current blocks of a series, oldest first. */
  summaries(name: string): readonly Summary[] {
    return this.#database
      .prepare(
        `SELECT rows, length(data) AS bytes, sha256 FROM blocks
         WHERE series = ? AND until IS NULL ORDER BY period`,
      )
      .all(name) as unknown as readonly Summary[]
  }

  /** The bytes of the first or of the last block of a series. */
  edge(name: string, direction: 'ASC' | 'DESC'): Uint8Array {
    const found = this.#database
      .prepare(
        `SELECT data FROM blocks WHERE series = ? AND until IS NULL ORDER BY period ${direction} LIMIT 1`,
      )
      .get(name)
    return found!['data'] as Uint8Array
  }
}
