import type { DatabaseSync } from 'node:sqlite'
import type { SeriesRecord } from './blocks.ts'
import { seriesName } from './series-key.ts'

/** The statements of an import on the records of series. */
export class SeriesTable {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  rowsOf(name: string): number {
    return Number(this.#database.prepare('SELECT rows FROM series WHERE name = ?').get(name)?.['rows'] ?? 0)
  }

  save(record: SeriesRecord): void {
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO series (name, kind, symbol, frame, generation, digest, rows, bytes, first, last)
         VALUES (:name, :kind, :symbol, :frame, :generation, :digest, :rows, :bytes, :first, :last)`,
      )
      .run({ ...record, name: seriesName(record), frame: record.frame ?? null })
  }

  delete(name: string): void {
    this.#database.prepare('DELETE FROM series WHERE name = ?').run(name)
  }
}
