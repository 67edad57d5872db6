import { TAPE_END_DAY } from '../kernel/segments.ts'
import type { Tape } from '../kernel/tape.ts'
import type { TreeRange } from '../kernel/tree.ts'
import { type BarColumns, columnsOfBars, makeBarColumns } from './bar-columns.ts'
import { foldBars } from './bars.ts'
import { type DayFrame, dayBucket, isDayFrame, type MinuteFrame, minuteBucket } from './frame.ts'
import { MINUTE_MICROS, microsAfter, microsBefore } from './micros.ts'
import { barOf, joinSpans, putBar, quietAt, type Scale, type Span } from './span.ts'
import type { Bar, BarQuery } from './tape.ts'
import { dayIn, midnightIn } from './zone.ts'

/** A resolved query: bar starts from `from` to `to` (inclusive), built from data before `cut`. */
type Window = {
  readonly from: number
  readonly to: number
  /** End of the last finished minute. */
  readonly cut: number
  readonly backwards: boolean
  readonly limit: number
}

/** The bars of a query, from a tape with this tick and lot scale. */
export function barsOf(tape: Tape, scale: Scale, query: BarQuery): readonly Bar[] {
  const window = windowOf(query)
  const { frame } = query
  if (window.from > window.to || window.limit <= 0) return []
  if (isDayFrame(frame)) return dayBars(tape, scale, frame, window)
  if (frame.unit === 'minute' && frame.count === 1) return minuteBars(tape, scale, window)
  return foldedBars(tape, scale, frame, window)
}

/** Like `barsOf`, as columns without one record per bar. */
export function barColumnsOf(tape: Tape, scale: Scale, query: BarQuery): BarColumns {
  const { unit, count } = query.frame
  if (unit !== 'minute' || count !== 1) return columnsOfBars(barsOf(tape, scale, query))
  const window = windowOf(query)
  const columns = makeBarColumns(Math.max(0, Math.min(window.limit, minutesIn(window))))
  if (window.from > window.to || window.limit <= 0) return columns
  eachMinuteIn(tape, window, (start, span) => {
    putBar(columns, span, start, scale)
    return columns.count < window.limit
  })
  return columns
}

const minutesIn = ({ from, to }: Window): number => Math.floor((to - from) / MINUTE_MICROS) + 1

function windowOf({ from, to, now, sort, limit, after }: BarQuery): Window {
  const cut = Math.floor(microsBefore(now) / MINUTE_MICROS) * MINUTE_MICROS
  const backwards = sort === 'desc'
  const first = Math.max(0, microsAfter(from))
  const last = Math.min(microsBefore(to), cut - 1)
  if (after === undefined) return { from: first, to: last, cut, backwards, limit }
  return backwards
    ? { from: first, to: Math.min(last, microsAfter(after) - 1), cut, backwards, limit }
    : { from: Math.max(first, microsBefore(after) + 1), to: last, cut, backwards, limit }
}

function minuteBars(tape: Tape, scale: Scale, window: Window): readonly Bar[] {
  const bars: Bar[] = []
  eachMinuteIn(tape, window, (start, span) => {
    bars.push(barOf(span, start, scale))
    return bars.length < window.limit
  })
  return bars
}

function eachMinuteIn(tape: Tape, window: Window, visit: (start: number, span: Span) => boolean): void {
  const from = Math.ceil(window.from / MINUTE_MICROS) * MINUTE_MICROS
  const to = (Math.floor(window.to / MINUTE_MICROS) + 1) * MINUTE_MICROS
  const range = { from, to: Math.min(to, window.cut), backwards: window.backwards }
  if (tradesAroundTheClock(tape)) eachMinuteOf(tape, range, visit)
  else tape.minutes(range, visit)
}

/** Bars of several minutes or hours: reads whole nodes of the tape at once. */
function foldedBars(tape: Tape, scale: Scale, frame: MinuteFrame, window: Window): readonly Bar[] {
  const bars: Bar[] = []
  const { from, to, cut, backwards, limit } = window
  let cursor = backwards ? to : from
  while (bars.length < limit) {
    const at = tape.nearestTradingTime(cursor, backwards)
    if (at === undefined || at > to) break
    const { start, end } = minuteBucket(frame, at, tape.zone)
    cursor = backwards ? start - 1 : end
    if (start < from) {
      if (backwards) break
      continue
    }
    const last = Math.min(end, cut)
    const traded = tape.fold(start, last)
    const span = tradesAroundTheClock(tape) ? withQuietStart(tape, start, last, traded) : traded
    if (span) bars.push(barOf(span, start, scale))
  }
  return bars
}

function dayBars(tape: Tape, scale: Scale, frame: DayFrame, window: Window): readonly Bar[] {
  const bars: Bar[] = []
  const { from, to, cut, backwards, limit } = window
  let block = dayBucket(frame, dayIn(tape.zone, backwards ? to : from))
  if (!backwards && midnightIn(tape.zone, block.start) < from) block = dayBucket(frame, block.end)
  while (bars.length < limit) {
    const start = midnightIn(tape.zone, block.start)
    if (backwards ? start < from : start > to) break
    const days: Bar[] = []
    for (let day = block.start; day < block.end; day++) {
      const bar = dayBar(tape, scale, day, cut)
      if (bar) days.push(bar)
    }
    bars.push(...(frame.unit === 'day' ? days : foldBars(days, frame, tape.zone)))
    block = dayBucket(frame, backwards ? block.start - 1 : block.end)
  }
  return bars
}

function dayBar(tape: Tape, scale: Scale, day: number, cut: number): Bar | undefined {
  const [start, end] = [midnightIn(tape.zone, day), midnightIn(tape.zone, day + 1)]
  const traded = tape.day(day, cut)
  const span = tradesAroundTheClock(tape) ? withQuietStart(tape, start, Math.min(end, cut), traded) : traded
  return span && barOf(span, start, scale, traded?.priced ?? 0)
}

/**
 * A tape that trades around the clock has bars for minutes without trades: the midpoint of the quote, which
 * equals the last trade price, and no volume.
 */
export const tradesAroundTheClock = (tape: Tape): boolean => tape.zone === 'utc'

const END = midnightIn('utc', TAPE_END_DAY)

/** Visits every minute of `[from, to)`, both whole minutes, until `visit` returns false. */
export function eachMinuteOf(
  tape: Tape,
  { from, to, backwards }: TreeRange,
  visit: (start: number, span: Span) => boolean,
): void {
  const [first, last] = [Math.max(0, from), Math.min(to, END) - MINUTE_MICROS]
  const step = backwards ? -MINUTE_MICROS : MINUTE_MICROS
  let expected = backwards ? last : first
  let price = backwards ? undefined : tape.last(first - 1)?.price
  let shouldContinue = true
  const fillUpTo = (end: number, at: number | undefined): void => {
    for (; shouldContinue && at !== undefined && expected !== end; expected += step)
      shouldContinue = visit(expected, quietAt(at, expected))
  }
  tape.minutes({ from: first, to: last + MINUTE_MICROS, backwards }, (start, span) => {
    fillUpTo(start, backwards ? span.close : price)
    expected = start + step
    price = span.close
    shouldContinue = shouldContinue && visit(start, span)
    return shouldContinue
  })
  if (first > last) return
  fillUpTo(backwards ? first + step : last + step, backwards ? tape.last(first - 1)?.price : price)
}

/** The trades of `[from, to)`, starting at the price that was valid at `from`. */
export function withQuietStart<Part extends Span>(
  tape: Tape,
  from: number,
  to: number,
  span: Part | undefined,
): Span | undefined {
  if (from >= to || from >= END) return undefined
  if (span && tape.fold(from, Math.min(to, from + MINUTE_MICROS))) return span
  const price = tape.last(from - 1)?.price
  return price === undefined ? span : joinSpans(quietAt(price, from), span)
}
