import { LruCache } from '../../lru-cache.ts'
import type { DaySpan } from '../history/span.ts'
import { midnightIn, type Zone } from '../history/zone.ts'

/**
 * Cache of finished days, stored as numbers in blocks, because charts request years repeatedly. A day costs
 * 11 microseconds to calculate and less than one to read here.
 */
export type Days = { get(day: number, make: () => DaySpan | undefined): DaySpan | undefined }

/** A block is 64 days of 8 numbers, 4 kB; this many are kept for all symbols of a market. */
const BLOCK_DAYS = 64
const FIELDS = 8
const BLOCKS_KEPT = 4096
/** Marks a day without a bar, in the field of the trade count. */
const NONE = -1

export type DayBlocks = LruCache<string, Float64Array>
export const dayBlocks = (): DayBlocks => new LruCache(BLOCKS_KEPT)

export function keptDays(symbol: string, zone: Zone, blocks: DayBlocks): Days {
  let latest: { number: number; values: Float64Array } = { number: Number.NaN, values: new Float64Array() }
  return {
    get(day, make) {
      const number = Math.floor(day / BLOCK_DAYS)
      if (number !== latest.number)
        latest = { number, values: blocks.getOrMake(`${symbol} ${number}`, emptyBlock) }
      const { values } = latest
      const at = (day - number * BLOCK_DAYS) * FIELDS
      if (Number.isNaN(values[at])) write(values, at, make())
      return values[at] === NONE ? undefined : read(values, at, midnightIn(zone, day))
    },
  }
}

const emptyBlock = (): Float64Array => new Float64Array(BLOCK_DAYS * FIELDS).fill(Number.NaN)

function write(values: Float64Array, at: number, span: DaySpan | undefined): void {
  if (!span) {
    values[at] = NONE
    return
  }
  values[at] = span.trades
  values[at + 1] = span.open
  values[at + 2] = span.high
  values[at + 3] = span.low
  values[at + 4] = span.close
  values[at + 5] = span.volume
  values[at + 6] = span.turnover
  values[at + 7] = span.priced
}

const read = (values: Float64Array, at: number, start: number): DaySpan => ({
  start,
  trades: values[at]!,
  open: values[at + 1]!,
  high: values[at + 2]!,
  low: values[at + 3]!,
  close: values[at + 4]!,
  volume: values[at + 5]!,
  turnover: values[at + 6]!,
  priced: values[at + 7]!,
})
