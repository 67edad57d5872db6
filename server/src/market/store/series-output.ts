import { join } from 'node:path'
import { BLOCK_ROWS } from './block.ts'
import type { Part } from './manifest.ts'
import { PartWriter } from './part-file.ts'
import type { BlockEntry } from './part-format.ts'
import { appendRows, type Kind, makeRows, type Rows } from './rows.ts'

/** Takes rows in order of time and leaves them as new parts of a series. */
export class SeriesOutput {
  readonly #folder: string
  readonly #nameOf: (number: number) => string
  readonly #kind: Kind
  readonly #partBytes: number
  readonly #parts: Part[] = []
  #pending: Rows
  #writer: PartWriter | undefined
  #named = 0

  /** `nameOf` gives the names of the files, which must not be there yet. */
  constructor(folder: string, kind: Kind, partBytes: number, nameOf: (number: number) => string) {
    this.#folder = folder
    this.#partBytes = partBytes
    this.#nameOf = nameOf
    this.#kind = kind
    this.#pending = makeRows(kind, 0)
  }

  add(rows: Rows, from: number, to: number): void {
    let at = from
    while (at < to) {
      const count = Math.min(to - at, BLOCK_ROWS - this.#pending.count)
      if (count === BLOCK_ROWS) this.#open().add(rows, at, at + count)
      else appendRows(this.#pending, rows, at, at + count)
      at += count
      if (this.#pending.count === BLOCK_ROWS) this.#flush()
    }
  }

  /** Can a block of so many rows go in as it is, without leaving many small ones behind? */
  takesWhole(rows: number): boolean {
    const isLarge = (count: number): boolean => count >= BLOCK_ROWS / 2
    return isLarge(rows) && (this.#pending.count === 0 || isLarge(this.#pending.count))
  }

  copy(payload: Buffer, entry: BlockEntry): void {
    this.#flush()
    this.#open().copy(payload, entry)
  }

  /** The parts, which are on the disk now. */
  finish(): readonly Part[] {
    this.#flush()
    this.#close()
    return this.#parts
  }

  abandon(): void {
    this.#writer?.abandon()
  }

  #flush(): void {
    if (this.#pending.count === 0) return
    this.#open().add(this.#pending, 0, this.#pending.count)
    this.#pending = makeRows(this.#kind, BLOCK_ROWS)
  }

  #open(): PartWriter {
    if (this.#writer && this.#writer.bytes >= this.#partBytes) this.#close()
    return (this.#writer ??= new PartWriter(join(this.#folder, this.#nameOf(this.#named++))))
  }

  #close(): void {
    const writer = this.#writer
    if (!writer) return
    this.#writer = undefined
    const { bytes, sha256 } = writer.finish({ sync: true })
    const { entries } = writer
    this.#parts.push({
      file: this.#nameOf(this.#named - 1),
      bytes,
      sha256,
      rows: entries.reduce((sum, entry) => sum + entry.rows, 0),
      first: entries[0]!.first,
      last: entries.at(-1)!.last,
    })
  }
}
