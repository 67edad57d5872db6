import {
  dayIn,
  firstOf,
  type Instant,
  lastOf,
  microsBefore,
  type PricePath,
  recordEntries,
  type Zone,
} from '@quipu/core'
import {
  columnOf,
  FIELDS,
  firstRow,
  indexes,
  isPairKey,
  makeRows,
  type SeriesRows,
  timeOf,
} from '../store/index.ts'

const BAR = indexes(FIELDS.bars.numbers)
const MINUTE_MICROS = 60_000_000
const DOLLAR = 1e9
/** Shares per minute of a point without a volume. */
const VOLUME = 12_000

/** The price path of a symbol as a series of minute bars. */
export function pathSeries(path: PricePath): SeriesRows {
  const minutes = minutesOf(path)
  const rows = makeRows('bars', minutes.length)
  for (const [row, { micros, open, close, volume }] of minutes.entries()) {
    rows.micros[row] = micros
    const values: Record<keyof typeof BAR, number> = {
      open,
      high: Math.max(open, close),
      low: Math.min(open, close),
      close,
      volume,
      trades: Number.NaN,
      vwap: Number.NaN,
    }
    for (const [name, column] of recordEntries(BAR)) columnOf(rows, column)[row] = values[name]
  }
  rows.count = minutes.length
  return {
    kind: 'bars',
    symbol: path.symbol,
    frame: '1Min',
    first: firstOf(path.points).at,
    last: lastOf(path.points).at,
    *slices({ from, to }) {
      const start = from === undefined ? 0 : firstRow(rows, timeOf(from))
      const end = to === undefined ? rows.count : firstRow(rows, timeOf(to), true)
      if (start < end) yield { rows, start, end }
    },
  }
}

type Minute = {
  readonly micros: number
  readonly open: number
  readonly close: number
  readonly volume: number
}

/** The minutes from each point to the next one of the same day. The last point of a day is one minute without a change. */
function minutesOf({ symbol, points }: PricePath): readonly Minute[] {
  const zone: Zone = isPairKey(symbol) ? 'utc' : 'newYork'
  const day = (at: Instant): number => dayIn(zone, microsBefore(at))
  return points.flatMap(({ at, price, volume = VOLUME }, index) => {
    const next = points[index + 1]
    const [from, start] = [microsBefore(at), Number(price) / DOLLAR]
    if (!next || day(next.at) !== day(at)) return [{ micros: from, open: start, close: start, volume }]
    const count = (microsBefore(next.at) - from) / MINUTE_MICROS
    const step = (Number(next.price) / DOLLAR - start) / count
    const priceAt = (minute: number): number => rounded(start + step * minute, zone)
    return Array.from({ length: count }, (_, minute) => ({
      micros: from + minute * MINUTE_MICROS,
      open: priceAt(minute),
      close: priceAt(minute + 1),
      volume,
    }))
  })
}

/** To a cent, or a hundredth of a cent below two dollars; coins to a billionth. */
function rounded(price: number, zone: Zone): number {
  const steps = zone === 'utc' ? DOLLAR : price < 2 ? 10_000 : 100
  return Math.round(price * steps) / steps
}
