import {
  type Bar,
  type BarColumns,
  type BarQuery,
  earlier,
  type Instant,
  later,
  min,
  type Zone,
} from '@quipu/core'
import {
  columnOf,
  FIELDS,
  indexes,
  instantAt,
  numberAt,
  type Rows,
  type Slice,
  valueAt,
} from '../store/index.ts'
import { spanEnd } from './bar-span.ts'
import type { BarSeries } from './frames.ts'

/** Starts of bars, both included. */
export type BarRange = { readonly from: Instant; readonly to: Instant }
export type Sort = 'asc' | 'desc'

const BAR = indexes(FIELDS.bars.numbers)

/**
 * A stored bar. Without a count or average in the file, it has 0 trades and the typical price (h + l + c) / 3. Stock
 * volume is in whole shares, because clients read only whole shares.
 */
export function storedBar(rows: Rows, row: number, zone: Zone): Bar {
  const number = (column: number): number => numberAt(rows, column, row)
  const [high, low, close] = [number(BAR.high), number(BAR.low), number(BAR.close)]
  const [trades, vwap] = [number(BAR.trades), number(BAR.vwap)]
  return {
    start: instantAt(rows, row),
    open: number(BAR.open),
    high,
    low,
    close,
    volume: (zone === 'newYork' ? Math.round(number(BAR.volume)) : number(BAR.volume)) || 0,
    trades: Number.isNaN(trades) ? 0 : trades,
    vwap: Number.isNaN(vwap) ? typicalPrice(high, low, close) : vwap,
  }
}

const typicalPrice = (high: number, low: number, close: number): number =>
  Math.round(((high + low + close) / 3) * 1e6) / 1e6

/** Stored bars as columns in the requested order. Uses the memory of the block if no conversion is needed. */
export function storedColumns(
  { rows, start, end }: Slice,
  sort: Sort,
  countMax: number,
  zone: Zone,
): BarColumns {
  const count = Math.min(end - start, countMax)
  const from = sort === 'asc' ? start : end - count
  const part = <Column extends Float64Array | Uint16Array>(column: Column): Column => {
    const piece = column.subarray(from, from + count) as Column
    return sort === 'asc' ? piece : (piece.slice().reverse() as Column)
  }
  const number = (index: number): Float64Array => part(columnOf(rows, index))
  const [high, low, close] = [number(BAR.high), number(BAR.low), number(BAR.close)]
  return {
    count,
    micros: part(rows.micros),
    nanos: part(rows.nanos),
    open: number(BAR.open),
    high,
    low,
    close,
    volume:
      zone === 'newYork'
        ? wholeShares(withoutGaps(number(BAR.volume), () => 0))
        : withoutGaps(number(BAR.volume), () => 0),
    trades: withoutGaps(number(BAR.trades), () => 0),
    vwap: withoutGaps(number(BAR.vwap), (row) =>
      typicalPrice(valueAt(high, row), valueAt(low, row), valueAt(close, row)),
    ),
  }
}

/** A column without gaps: itself, or a filled copy. */
function withoutGaps(column: Float64Array, fill: (row: number) => number): Float64Array {
  let sum = 0
  for (let row = 0; row < column.length; row++) sum += valueAt(column, row)
  // One NaN makes the sum NaN.
  return Number.isNaN(sum) ? column.map((value, row) => (Number.isNaN(value) ? fill(row) : value)) : column
}

/** A column of whole numbers: itself, or a rounded copy. */
const wholeShares = (column: Float64Array): Float64Array =>
  column.every((value) => Number.isInteger(value)) ? column : column.map(Math.round)

/** The range of starts (inclusive), without the bars of the previous page. */
export function storedRange({ from, to, sort, after, now }: BarQuery): BarRange {
  const end = min(to, now)
  if (after === undefined) return { from, to: end }
  return sort === 'asc'
    ? { from: after >= from ? later(after, 1n) : from, to: end }
    : { from, to: after <= end ? earlier(after, 1n) : end }
}

/** The finished bars of a series; unfinished bars are not visible. */
export function* barsOver(
  { series, frame }: BarSeries,
  range: BarRange,
  sort: Sort,
  now: Instant,
  zone: Zone,
): Generator<Bar> {
  if (range.from > range.to) return
  for (const { rows, start, end } of series.slices(range, sort))
    for (let step = 0; step < end - start; step++) {
      const bar = storedBar(rows, sort === 'asc' ? start + step : end - 1 - step, zone)
      if (spanEnd(bar.start, frame, zone) <= now) yield bar
    }
}
