import type { Instant } from '../time.ts'
import type { Bar } from './tape.ts'

/**
 * Bars as columns, of which the first `count` entries hold: ten thousand bars without ten thousand records. A start is
 * whole microseconds since 1970 and the nanoseconds below.
 */
export type BarColumns = {
  count: number
  readonly micros: Float64Array
  readonly nanos: Uint16Array
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
  readonly volume: Float64Array
  readonly trades: Float64Array
  readonly vwap: Float64Array
}

export function makeBarColumns(capacity: number): BarColumns {
  const column = (): Float64Array => new Float64Array(capacity)
  return {
    count: 0,
    micros: column(),
    nanos: new Uint16Array(capacity),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
    trades: column(),
    vwap: column(),
  }
}

export const startAt = ({ micros, nanos }: BarColumns, row: number): Instant =>
  (BigInt(micros[row]!) * 1000n + BigInt(nanos[row]!)) as Instant

export function columnsOfBars(bars: readonly Bar[]): BarColumns {
  const columns = makeBarColumns(bars.length)
  for (const bar of bars) pushBar(columns, bar)
  return columns
}

function pushBar(columns: BarColumns, bar: Bar): void {
  const row = columns.count++
  const below = ((bar.start % 1000n) + 1000n) % 1000n
  columns.micros[row] = Number((bar.start - below) / 1000n)
  columns.nanos[row] = Number(below)
  columns.open[row] = bar.open
  columns.high[row] = bar.high
  columns.low[row] = bar.low
  columns.close[row] = bar.close
  columns.volume[row] = bar.volume
  columns.trades[row] = bar.trades
  columns.vwap[row] = bar.vwap
}

export const barsOfColumns = (columns: BarColumns): readonly Bar[] =>
  Array.from({ length: columns.count }, (_, row) => ({
    start: startAt(columns, row),
    open: columns.open[row]!,
    high: columns.high[row]!,
    low: columns.low[row]!,
    close: columns.close[row]!,
    volume: columns.volume[row]!,
    trades: columns.trades[row]!,
    vwap: columns.vwap[row]!,
  }))

/** The bars of several, one after the other. */
export function joinColumns(parts: readonly BarColumns[]): BarColumns {
  if (parts.length === 1) return parts[0]!
  const joined = makeBarColumns(parts.reduce((sum, { count }) => sum + count, 0))
  for (const part of parts) {
    for (const name of NAMES) joined[name].set(part[name].subarray(0, part.count), joined.count)
    joined.count += part.count
  }
  return joined
}

const NAMES = ['micros', 'nanos', 'open', 'high', 'low', 'close', 'volume', 'trades', 'vwap'] as const
