import type { Instant } from '@quipu/core'
import { instantOfNanos, itemAt } from '@quipu/core/values'
import type { BlockEntry, Blocks, SeriesRecord } from './blocks.ts'
import { appendRows, firstRow, makeRows, type RowKind, type Rows, type Time, timeOf } from './rows.ts'

/** Both ends are inclusive; an omitted end is open. */
export type RowRange = { readonly from?: Instant; readonly to?: Instant }
export type RowOrder = 'asc' | 'desc'

/** Rows `start` to `end` (exclusive) of a shared block. Callers must not change the rows. */
export type Slice = { readonly rows: Rows; readonly start: number; readonly end: number }

/** The rows of a series, wherever they are stored. */
export type SeriesRows = Pick<Series, 'kind' | 'symbol' | 'frame' | 'first' | 'last' | 'slices'>

/** One series as it was when it was requested. All reads are synchronous; damage is thrown as StoreDamaged. */
export class Series {
  readonly kind: RowKind
  readonly symbol: string
  readonly frame: string | undefined
  readonly rows: number
  readonly bytes: number
  readonly first: Instant
  readonly last: Instant
  readonly digest: string
  readonly record: SeriesRecord
  readonly #blocks: Blocks
  #entries: readonly BlockEntry[] | undefined

  constructor(record: SeriesRecord, blocks: Blocks) {
    this.record = record
    this.kind = record.kind
    this.symbol = record.symbol
    this.frame = record.frame
    this.rows = record.rows
    this.bytes = record.bytes
    this.digest = record.digest
    this.first = instantOfNanos(BigInt(record.first))
    this.last = instantOfNanos(BigInt(record.last))
    this.#blocks = blocks
  }

  /** The slices of the range. With `desc` the newest slice comes first; rows within a slice always ascend. */
  *slices(range: RowRange, order: RowOrder = 'asc'): Generator<Slice> {
    const [from, to] = [timeOrEnd(range.from, -1), timeOrEnd(range.to, 1)]
    this.#entries ??= this.#blocks.entries(this.record)
    for (const entry of inOrder(overlapping(this.#entries, from, to), order)) {
      const slice = cut(this.#blocks.rows(this.record, entry), entry, from, to)
      if (slice.start < slice.end) yield slice
    }
  }

  /** At most `limit` rows of the range, the first ones in the requested order. */
  read(range: RowRange, limit: number, order: RowOrder = 'asc'): Rows {
    const found = makeRows(this.kind, Math.min(limit, this.rows))
    for (const { rows, start, end } of limit > 0 ? this.slices(range, order) : []) {
      const count = Math.min(end - start, limit - found.count)
      if (order === 'asc') appendRows(found, rows, start, start + count)
      else for (let row = end - 1; row >= end - count; row--) appendRows(found, rows, row, row + 1)
      if (found.count >= limit) break
    }
    return found
  }
}

const timeOrEnd = (at: Instant | undefined, end: 1 | -1): Time =>
  at === undefined ? { micros: end * Number.POSITIVE_INFINITY, nanos: 0 } : timeOf(at)

/** Nanoseconds are compared within the block. */
const cut = (rows: Rows, { first, last }: BlockEntry, from: Time, to: Time): Slice => ({
  rows,
  start: first > from.micros ? 0 : firstRow(rows, from),
  end: last < to.micros ? rows.count : firstRow(rows, to, true),
})

/** The blocks that overlap the range. */
function overlapping(entries: readonly BlockEntry[], from: Time, to: Time): readonly BlockEntry[] {
  const start = lowest(entries, ({ last }) => last >= from.micros)
  const end = lowest(entries, ({ first }) => first > to.micros)
  return entries.slice(start, end)
}

/** Binary search for the first entry for which `holds` is true; it must be true for all later entries. */
function lowest(entries: readonly BlockEntry[], holds: (entry: BlockEntry) => boolean): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(itemAt(entries, middle))) high = middle
    else low = middle + 1
  }
  return low
}

const inOrder = <One>(list: readonly One[], order: RowOrder): readonly One[] =>
  order === 'asc' ? list : list.toReversed()
