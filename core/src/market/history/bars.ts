import { toPrice, toQuantity } from '../../amount.ts'
import type { Instant } from '../../time.ts'
import type { Asset } from '../assets/asset.ts'
import { countsInDay } from '../calendar.ts'
import { type BarFrame, type DayFrame, dayBucket, isDayFrame, minuteBucket } from './frame.ts'
import { instantOfMicros, microsBefore } from './micros.ts'
import { barOf, type Span, scaleOf, sixDecimals } from './span.ts'
import type { Bar, Trade } from './tape.ts'
import { dayIn, midnightIn, type Zone, zoneOf } from './zone.ts'

/** The start of the bar that contains an instant. */
export function barStart(frame: BarFrame, at: Instant, zone: Zone = 'newYork'): Instant {
  const micros = microsBefore(at)
  return instantOfMicros(
    isDayFrame(frame)
      ? midnightIn(zone, dayBucket(frame, dayIn(zone, micros)).start)
      : minuteBucket(frame, micros, zone).start,
  )
}

/**
 * Folds bars into a longer frame, oldest first: first open, last close, highest high, lowest low, summed
 * volume and trades, and the volume-weighted average price.
 */
export function foldBars(bars: readonly Bar[], frame: BarFrame, zone: Zone = 'newYork'): readonly Bar[] {
  return groups(bars, (bar) => barStart(frame, bar.start, zone)).map(([start, group]) =>
    joinBars(start, group),
  )
}

/** Joins one or more bars, oldest first, into one bar with this start. */
export function joinBars(start: Instant, bars: readonly Bar[]): Bar {
  let [high, low, volume, trades, turnover] = [bars[0]!.high, bars[0]!.low, 0, 0, 0]
  for (const bar of bars) {
    high = Math.max(high, bar.high)
    low = Math.min(low, bar.low)
    volume += bar.volume
    trades += bar.trades
    turnover += bar.vwap * bar.volume
  }
  const [open, close] = [bars[0]!.open, bars.at(-1)!.close]
  const vwap = volume === 0 ? 0 : sixDecimals(turnover / volume)
  return { start, open, high, low, close, volume: withoutNoise(volume), trades, vwap }
}

/** Removes floating-point noise of summed fractions: keeps twelve digits and at most nine decimals. */
function withoutNoise(volume: number): number {
  if (Number.isInteger(volume)) return volume
  let places = 1_000_000_000
  while (places > 1 && volume * places >= 1_000_000_000_000) places /= 10
  return Math.round(volume * places) / places
}

/**
 * Condition of a trade outside the regular session. Such a trade counts in minute bars, but adds only volume
 * to a day bar.
 */
export const EXTENDED_HOURS = 'T'

type Terms = Pick<Asset, 'class' | 'tick' | 'lot'>

/** A hundredth of a cent is the smallest price increment of a stock. */
const STOCK: Terms = { class: 'usEquity', tick: toPrice(100_000n), lot: toQuantity(1_000_000_000n) }

/** Bars of one minute or one day from trades, oldest first. Canceled trades are ignored. */
export function foldTrades(
  trades: readonly Trade[],
  frame: Extract<BarFrame, { unit: 'minute' }> | (DayFrame & { unit: 'day' }),
  terms: Terms = STOCK,
): readonly Bar[] {
  const bars: Bar[] = []
  const zone = zoneOf(terms.class)
  const isExtended = (trade: Trade): boolean => trade.conditions.includes(EXTENDED_HOURS)
  const isCounted = (trade: Trade): boolean =>
    isValid(trade) && (frame.unit !== 'day' || zone === 'utc' || countsInDay(trade.at))
  for (const [start, group] of groups(trades.filter(isCounted), (trade) => barStart(frame, trade.at, zone))) {
    const priced = foldPriced(
      frame.unit === 'day' ? group.filter((trade) => !isExtended(trade)) : group,
      terms,
    )
    if (!priced) continue
    const all = { ...priced, volume: volumeOf(group, terms), trades: group.length }
    bars.push(barOf(all, microsBefore(start), scaleOf(terms), priced.volume))
  }
  return bars
}

const isValid = ({ update }: Trade): boolean => update === undefined || update === 'corrected'

function foldPriced(trades: readonly Trade[], terms: Terms): Span | undefined {
  if (trades.length === 0) return undefined
  const prices = trades.map((trade) => Number(trade.price / terms.tick))
  const turnover = trades.reduce((sum, trade, index) => sum + prices[index]! * lotsOf(trade, terms), 0)
  return {
    start: 0,
    open: prices[0]!,
    high: prices.reduce((a, b) => Math.max(a, b)),
    low: prices.reduce((a, b) => Math.min(a, b)),
    close: prices.at(-1)!,
    volume: volumeOf(trades, terms),
    trades: trades.length,
    turnover,
  }
}

const lotsOf = (trade: Trade, { lot }: Terms): number => Number(trade.size / lot)
const volumeOf = (trades: readonly Trade[], terms: Terms): number =>
  trades.reduce((sum, trade) => sum + lotsOf(trade, terms), 0)

/** Groups neighbours with the same key, in order. */
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
