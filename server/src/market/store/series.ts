import type { Instant } from '@quipu/core'
import type { BlockCache } from './block-cache.ts'
import type { Part, SeriesRecord } from './manifest.ts'
import type { BlockEntry } from './part-format.ts'
import { digestOf } from './pins.ts'
import {
  appendRows,
  compareTimes,
  firstRow,
  instantOf,
  type Kind,
  makeRows,
  type Rows,
  type Time,
  timeOf,
} from './rows.ts'

/** Both ends are inclusive; what is left out is open. */
export type Range = { readonly from?: Instant; readonly to?: Instant }
export type Order = 'asc' | 'desc'

/** Rows `start` up to `end` of a block that others use too: look, and change nothing. */
export type Slice = { readonly rows: Rows; readonly start: number; readonly end: number }

/** One series as it was when it was asked for. Everything is synchronous; damage is thrown as StoreDamaged. */
export class Series {
  readonly kind: Kind
  readonly symbol: string
  readonly frame: string | undefined
  readonly rows: number
  readonly bytes: number
  readonly first: Instant
  readonly last: Instant
  readonly record: SeriesRecord
  #digest: string | undefined
  readonly #parts: readonly Part[]
  readonly #cache: BlockCache

  constructor(record: SeriesRecord, cache: BlockCache) {
    const { parts } = record
    this.record = record
    this.kind = record.kind
    this.symbol = record.symbol
    this.frame = record.frame
    this.rows = parts.reduce((sum, part) => sum + part.rows, 0)
    this.bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
    this.first = instantOf(parts[0]!.first.micros, parts[0]!.first.nanos)
    this.last = instantOf(parts.at(-1)!.last.micros, parts.at(-1)!.last.nanos)
    this.#parts = parts
    this.#cache = cache
  }

  /** Names its content. */
  get digest(): string {
    return (this.#digest ??= digestOf(this.record))
  }

  /** The blocks that hold the range. With `desc` the newest comes first; rows in a block always rise. */
  *slices(range: Range, order: Order = 'asc'): Generator<Slice> {
    const [from, to] = [timeOrEnd(range.from, -1), timeOrEnd(range.to, 1)]
    for (const part of inOrder(overlapping(this.#parts, from, to), order))
      for (const entry of inOrder(overlapping(this.#cache.entries(part.file), from, to), order)) {
        const slice = cut(this.#cache.rows(part.file, this.kind, entry), entry, from, to)
        if (slice.start < slice.end) yield slice
      }
  }

  /** At most `limit` rows of the range, the first ones in the order asked for. */
  read(range: Range, limit: number, order: Order = 'asc'): Rows {
    const found = makeRows(this.kind, Math.min(limit, this.rows))
    for (const { rows, start, end } of limit > 0 ? this.slices(range, order) : []) {
      const count = Math.min(end - start, limit - found.count)
      if (order === 'asc') appendRows(found, rows, start, start + count)
      else for (let row = end - 1; row >= end - count; row--) appendRows(found, rows, row, row + 1)
      if (found.count >= limit) break
    }
    return found
  }

  /** The newest row at or before an instant. */
  lastAt(at: Instant): Rows | undefined {
    const rows = this.read({ to: at }, 1, 'desc')
    return rows.count === 1 ? rows : undefined
  }
}

const timeOrEnd = (at: Instant | undefined, end: 1 | -1): Time =>
  at === undefined ? { micros: end * Number.POSITIVE_INFINITY, nanos: 0 } : timeOf(at)

const cut = (rows: Rows, { first, last }: BlockEntry, from: Time, to: Time): Slice => ({
  rows,
  start: compareTimes(first, from) >= 0 ? 0 : firstRow(rows, from),
  end: compareTimes(last, to) <= 0 ? rows.count : firstRow(rows, to, true),
})

type Span = { readonly first: Time; readonly last: Time }

/** Those that hold something from one time to another, among spans that follow each other. */
function overlapping<One extends Span>(spans: readonly One[], from: Time, to: Time): readonly One[] {
  const start = lowest(spans, ({ last }) => compareTimes(last, from) >= 0)
  const end = lowest(spans, ({ first }) => compareTimes(first, to) > 0)
  return spans.slice(start, end)
}

/** The first of which a claim holds that holds of all after it. */
function lowest<One>(list: readonly One[], claim: (one: One) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (claim(list[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

const inOrder = <One>(list: readonly One[], order: Order): readonly One[] =>
  order === 'asc' ? list : list.toReversed()
