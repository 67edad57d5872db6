import {
  closeMinute,
  type Instant,
  instantOfSeconds,
  isTradingDay,
  newYorkDayOfSeconds,
  newYorkSeconds,
  OPEN_MINUTE,
  parseFrame,
  tradingDaysBefore,
} from '@quipu/core'
import { isPairKey, type Series, valueAt } from '../market/store/index.ts'

/** A time span of missing bars, from the first missing bar to the last. */
export type ImportGap = { readonly from: Instant; readonly to: Instant; readonly missing: number }

const SHOWN = 5

/** The number of gaps in bars, and the longest ones. A minute without trades has no bar and counts as missing. */
export function summaryOfGaps(series: Series): {
  count: number
  missing: number
  longest: readonly ImportGap[]
} {
  let [count, missing] = [0, 0]
  let longest: ImportGap[] = []
  for (const gap of gapsOf(series)) {
    count++
    missing += gap.missing
    longest = [...longest, gap].sort((a, b) => b.missing - a.missing).slice(0, SHOWN)
  }
  return { count, missing, longest }
}

/**
 * The gaps between the bars of a series, in order. Stocks need bars in regular sessions, daily bars on trading days,
 * and crypto pairs at all times. Weeks and months are not checked.
 */
export function* gapsOf(series: Series): Generator<ImportGap> {
  const frame = parseFrame(series.frame ?? '')
  if (!frame.ok || frame.value.unit === 'week' || frame.value.unit === 'month') return
  const { unit, count } = frame.value
  const step = unit === 'minute' ? count * 60 : unit === 'hour' ? count * 3600 : 86_400
  const between = isPairKey(series.symbol)
    ? aroundTheClock(step)
    : unit === 'day'
      ? tradingDays
      : inSessions(step)
  let before: number | undefined
  for (const { rows, start, end } of series.slices({}))
    for (let row = start; row < end; row++) {
      const at = valueAt(rows.micros, row) / 1e6
      if (before !== undefined && at - before > step) {
        const gap = between(before, at)
        if (gap) yield gap
      }
      before = at
    }
}

/** A gap between two bars, in seconds since 1970. */
type Between = (before: number, at: number) => ImportGap | undefined

const gapOf = (from: number, to: number, missing: number): ImportGap | undefined =>
  missing <= 0 ? undefined : { from: instant(from), to: instant(to), missing }

const instant = (seconds: number): Instant => instantOfSeconds(Math.round(seconds))

const aroundTheClock =
  (step: number): Between =>
  (before, at) =>
    gapOf(before + step, at - step, Math.ceil((at - before) / step) - 1)

const tradingDays: Between = (before, at) => {
  const [first, end] = [newYorkDayOfSeconds(before) + 1, newYorkDayOfSeconds(at)]
  const missing = tradingDaysBefore(end) - tradingDaysBefore(first)
  const [from, to] = [nearestTradingDay(first, 1), nearestTradingDay(end - 1, -1)]
  return gapOf(newYorkSeconds(from, 0), newYorkSeconds(to, 0), missing)
}

function nearestTradingDay(day: number, step: 1 | -1): number {
  let found = day
  for (let tries = 0; tries < 14 && !isTradingDay(found); tries++) found += step
  return found
}

/** Counts the bars that start in a regular session, day by day. */
const inSessions =
  (step: number): Between =>
  (before, at) => {
    let [missing, first, last] = [0, 0, 0]
    for (let day = newYorkDayOfSeconds(before); day <= newYorkDayOfSeconds(at); day++) {
      if (!isTradingDay(day)) continue
      const [open, close] = [newYorkSeconds(day, OPEN_MINUTE), newYorkSeconds(day, closeMinute(day))]
      const from = Math.max(before + step, Math.ceil(open / step) * step)
      const to = Math.min(at, close)
      const bars = Math.ceil((to - from) / step)
      if (bars <= 0) continue
      if (missing === 0) first = from
      last = from + (bars - 1) * step
      missing += bars
    }
    return gapOf(first, last, missing)
  }
