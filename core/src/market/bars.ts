import { type Instant, newYorkDay, newYorkDayOfSeconds } from '../time.ts'
import { type DayFrame, dayBucket, type Frame, isDayFrame, midnightMicros, minuteBucket } from './frame.ts'
import { instantOfMicros, microsBefore, SECOND_MICROS } from './micros.ts'
import { barOf, type Span, sixPlaces } from './span.ts'
import type { Bar, Trade } from './tape.ts'

/** The start of the bar in which an instant lies. */
export function barStart(frame: Frame, at: Instant): Instant {
  return instantOfMicros(
    isDayFrame(frame)
      ? midnightMicros(dayBucket(frame, newYorkDay(at)).start)
      : minuteBucket(frame, microsBefore(at)).start,
  )
}

/**
 * Bars of a longer frame from shorter ones, oldest first: open of the first, close of the last, highest high,
 * lowest low, sums of volume and trades, and the mean of the average prices by volume.
 */
export function foldBars(bars: readonly Bar[], frame: Frame): readonly Bar[] {
  return groups(bars, (bar) => barStart(frame, bar.start)).map(([start, group]) => foldGroup(start, group))
}

function foldGroup(start: Instant, bars: readonly Bar[]): Bar {
  let [high, low, volume, trades, turnover] = [bars[0]!.high, bars[0]!.low, 0, 0, 0]
  for (const bar of bars) {
    high = Math.max(high, bar.high)
    low = Math.min(low, bar.low)
    volume += bar.volume
    trades += bar.trades
    turnover += bar.vwap * bar.volume
  }
  const [open, close] = [bars[0]!.open, bars.at(-1)!.close]
  return { start, open, high, low, close, volume, trades, vwap: sixPlaces(turnover / volume) }
}

/** Ten thousandths of a dollar: the finest step a price of the tape has. */
const FINEST_PER_DOLLAR = 10_000
const FINEST = 100_000n

/** The mark of a trade outside the regular session: it counts in minutes, but adds only volume to a day. */
export const EXTENDED_HOURS = 'T'

/** Bars of one minute or one day from trades, oldest first. */
export function foldTrades(
  trades: readonly Trade[],
  frame: Extract<Frame, { unit: 'minute' }> | (DayFrame & { unit: 'day' }),
): readonly Bar[] {
  const bars: Bar[] = []
  for (const [start, group] of groups(trades, (trade) => barStart(frame, trade.at))) {
    const isExtended = (trade: Trade): boolean => trade.conditions.includes(EXTENDED_HOURS)
    const priced = foldPriced(frame.unit === 'day' ? group.filter((trade) => !isExtended(trade)) : group)
    if (!priced) continue
    const all = { ...priced, volume: volumeOf(group), trades: group.length }
    bars.push(barOf(all, microsBefore(start), FINEST_PER_DOLLAR, priced.volume))
  }
  return bars
}

function foldPriced(trades: readonly Trade[]): Span | undefined {
  if (trades.length === 0) return undefined
  const prices = trades.map((trade) => Number(trade.price / FINEST))
  const turnover = trades.reduce((sum, trade, index) => sum + prices[index]! * sharesOf(trade), 0)
  return {
    start: 0,
    open: prices[0]!,
    high: prices.reduce((a, b) => Math.max(a, b)),
    low: prices.reduce((a, b) => Math.min(a, b)),
    close: prices.at(-1)!,
    volume: volumeOf(trades),
    trades: trades.length,
    turnover,
  }
}

const sharesOf = (trade: Trade): number => Number(trade.size / 1_000_000_000n)
const volumeOf = (trades: readonly Trade[]): number => trades.reduce((sum, trade) => sum + sharesOf(trade), 0)

/** Neighbours with the same key, in order. */
function groups<Item>(items: readonly Item[], key: (item: Item) => Instant): [Instant, Item[]][] {
  const found: [Instant, Item[]][] = []
  for (const item of items) {
    const start = key(item)
    const last = found.at(-1)
    if (last && last[0] === start) last[1].push(item)
    else found.push([start, [item]])
  }
  return found
}

/** The New York day of a microsecond. */
export const dayOfMicros = (micros: number): number => newYorkDayOfSeconds(micros / SECOND_MICROS)
