import type { Bar, BarColumns, BarQuery, Instant, Zone } from '@quipu/core'
import { FIELDS, instantAt, type Rows, type Slice } from '../store/index.ts'
import { endOf } from './bar-span.ts'
import type { BarSeries } from './frames.ts'

/** Starts of bars, both included. */
export type Range = { readonly from: Instant; readonly to: Instant }
export type Sort = 'asc' | 'desc'

const at = (name: (typeof FIELDS.bars.numbers)[number]): number => FIELDS.bars.numbers.indexOf(name)
const [OPEN, HIGH, LOW, CLOSE] = [at('open'), at('high'), at('low'), at('close')]
const [VOLUME, TRADES, VWAP] = [at('volume'), at('trades'), at('vwap')]

/** A stored bar. Where the file had no count or average, 0 trades and the typical price (h + l + c) / 3 stand. */
export function storedBar(rows: Rows, row: number): Bar {
  const number = (column: number): number => rows.numbers[column]![row]!
  const [high, low, close] = [number(HIGH), number(LOW), number(CLOSE)]
  const [trades, vwap] = [number(TRADES), number(VWAP)]
  return {
    start: instantAt(rows, row),
    open: number(OPEN),
    high,
    low,
    close,
    volume: number(VOLUME) || 0,
    trades: Number.isNaN(trades) ? 0 : trades,
    vwap: Number.isNaN(vwap) ? typicalPrice(high, low, close) : vwap,
  }
}

const typicalPrice = (high: number, low: number, close: number): number =>
  Math.round(((high + low + close) / 3) * 1e6) / 1e6

/** Columns of stored bars, in the order asked for, until so many are there. */
export function putStored(columns: BarColumns, { rows, start, end }: Slice, sort: Sort): void {
  const first = columns.count
  const count = Math.min(end - start, columns.micros.length - first)
  const from = sort === 'asc' ? start : end - count
  for (const [name, column] of columnsOf(rows)) {
    const target = columns[name].subarray(first, first + count)
    target.set(column.subarray(from, from + count))
    if (sort === 'desc') target.reverse()
  }
  columns.count += count
  fillGaps(columns, first)
}

const columnsOf = ({ micros, nanos, numbers }: Rows) =>
  [
    ['micros', micros],
    ['nanos', nanos],
    ['open', numbers[OPEN]!],
    ['high', numbers[HIGH]!],
    ['low', numbers[LOW]!],
    ['close', numbers[CLOSE]!],
    ['volume', numbers[VOLUME]!],
    ['trades', numbers[TRADES]!],
    ['vwap', numbers[VWAP]!],
  ] as const

function fillGaps({ count, high, low, close, volume, trades, vwap }: BarColumns, first: number): void {
  for (let row = first; row < count; row++) {
    if (Number.isNaN(volume[row])) volume[row] = 0
    if (Number.isNaN(trades[row])) trades[row] = 0
    if (Number.isNaN(vwap[row])) vwap[row] = typicalPrice(high[row]!, low[row]!, close[row]!)
  }
}

/** By starts, both included, without those that the page before has. */
export function rangeOf({ from, to, sort, after, now }: BarQuery): Range {
  const end = (to < now ? to : now) as Instant
  if (after === undefined) return { from, to: end }
  return sort === 'asc'
    ? { from: (after >= from ? after + 1n : from) as Instant, to: end }
    : { from, to: (after <= end ? after - 1n : end) as Instant }
}

/** The bars of a series that are over: nothing is seen before. */
export function* barsOver(
  { series, frame }: BarSeries,
  range: Range,
  sort: Sort,
  now: Instant,
  zone: Zone,
): Generator<Bar> {
  if (range.from > range.to) return
  for (const { rows, start, end } of series.slices(range, sort))
    for (let step = 0; step < end - start; step++) {
      const bar = storedBar(rows, sort === 'asc' ? start + step : end - 1 - step)
      if (endOf(bar.start, frame, zone) <= now) yield bar
    }
}
