import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { BLOCK_ROWS } from './block.ts'
import { runsFolder } from './manifest.ts'
import type { MergeBlock, MergeSource } from './merge.ts'
import { PartReader, PartWriter } from './part-file.ts'
import type { BlockEntry } from './part-format.ts'
import { type Kind, type Rows, timeAt } from './rows.ts'

/** Blocks of a file as a source of a merge. */
export const storedBlocks = (reader: PartReader, kind: Kind, entries: readonly BlockEntry[]): MergeSource =>
  entries.map((entry) => ({
    first: entry.first,
    last: entry.last,
    rows: entry.rows,
    load: () => reader.rows(kind, entry),
    stored: { entry, payload: () => reader.payload(entry) },
  }))

/** Sorted rows in memory as a source of a merge. */
export const rowsInMemory = (rows: Rows): MergeBlock => ({
  first: timeAt(rows, 0),
  last: timeAt(rows, rows.count - 1),
  rows: rows.count,
  load: () => rows,
})

/** Sorted rows that an import lays aside, so that its memory stays bounded. */
export class Runs {
  readonly #folder: string
  readonly #readers: PartReader[] = []

  constructor(storeFolder: string) {
    this.#folder = runsFolder(storeFolder)
  }

  /** One file for all of them; answers a source for each. */
  layAside(all: readonly Rows[]): readonly MergeSource[] {
    const writer = new PartWriter(join(this.#folder, `${this.#readers.length}.run`))
    const spans = all.map((rows) => {
      const first = writer.entries.length
      for (let from = 0; from < rows.count; from += BLOCK_ROWS)
        writer.add(rows, from, Math.min(from + BLOCK_ROWS, rows.count))
      return { kind: rows.kind, first, end: writer.entries.length }
    })
    writer.finish({ sync: false })
    const reader = new PartReader(writer.path)
    this.#readers.push(reader)
    return spans.map(({ kind, first, end }) => storedBlocks(reader, kind, reader.entries.slice(first, end)))
  }

  drop(): void {
    for (const reader of this.#readers.splice(0)) {
      reader.close()
      rmSync(reader.path, { force: true })
    }
  }
}
