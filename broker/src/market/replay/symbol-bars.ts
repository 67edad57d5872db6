import {
  type Asset,
  type Bar,
  type BarFrame,
  type BarQuery,
  barStart,
  countsInDay,
  type DayFrame,
  earlier,
  foldTrades,
  type Instant,
  isDayFrame,
  joinBars,
  later,
  MINUTE,
  min,
  newYork,
  session,
  type Trade,
  type Zone,
  zoneOf,
} from '@quipu/core'
import type { Slice } from '../store/index.ts'
import { grouped, lengthOf, nextStart } from './bar-span.ts'
import { type BarSeries, sameFrame, sourceFor } from './frames.ts'
import { type BarRange, barsOver, type Sort, storedRange } from './stored-bars.ts'
import type { Ticks } from './ticks.ts'

/** The sources of a symbol's bars: stored bars, finest first, and stored trades. */
export type BarSources = {
  readonly asset: Asset
  readonly bars: readonly BarSeries[]
  readonly trades: Ticks<Trade> | undefined
}

type BarRequest = BarRange & {
  readonly frame: BarFrame
  readonly sort: Sort
  readonly now: Instant
  readonly zone: Zone
}

const DAY = { unit: 'day', count: 1 } as const
const ONE_MINUTE = { unit: 'minute', count: 1 } as const

/**
 * The bars of a query. Bars of a stored frame are returned unchanged. Other bars are folded: hours and minutes from
 * the longest stored frame that fits, days from hours, minutes or trades, weeks and months from days. Unfinished
 * stored bars are not visible; the current bar is folded from finished parts.
 */
export function symbolBars(sources: BarSources, query: BarQuery): Iterable<Bar> {
  const { frame, sort, now } = query
  const request: BarRequest = { ...storedRange(query), frame, sort, now, zone: zoneOf(sources.asset.class) }
  if (request.from > request.to) return []
  if (!isDayFrame(frame)) return withinDays(sources, request)
  if (frame.unit === 'day') return days(sources, request)
  const stored = sources.bars.find((one) => sameFrame(one.frame, frame))
  return stored ? barsOver(stored, request, sort, now, request.zone) : ofDays(sources, request, frame)
}

/** The blocks of stored rows, if the result is exactly these rows; undefined if bars must be folded. */
export function storedBars(sources: BarSources, query: BarQuery): Iterable<Slice> | undefined {
  const { frame, sort, now } = query
  const stored = sources.bars.find((one) => sameFrame(one.frame, frame))
  if (!stored || frame.unit === 'week' || frame.unit === 'month') return undefined
  const range = storedRange(query)
  // A stock day ends at its close, and the current day is folded from finer bars.
  const finished = frame.unit === 'day' ? earlier(now, 2n * lengthOf(frame)) : earlier(now, lengthOf(frame))
  if (frame.unit === 'day' && range.to > finished) return undefined
  const to = min(range.to, finished)
  return range.from > to ? [] : stored.series.slices({ from: range.from, to }, sort)
}

function withinDays(sources: BarSources, request: BarRequest): Iterable<Bar> {
  const { frame, sort, now, zone } = request
  const source = sourceFor(frame, sources.bars)
  if (!source) return ofTrades(sources, request)
  if (sameFrame(source.frame, frame)) return barsOver(source, request, sort, now, zone)
  const parts = barsOver(source, wholeBars(request), sort, now, zone)
  return folded(parts, request, joinBars)
}

/** Stored days, and the current day from finer bars. */
function* days(sources: BarSources, request: BarRequest): Generator<Bar> {
  const { sort, now, zone } = request
  const stored = sources.bars.find((one) => one.frame.unit === 'day')
  if (!stored) {
    yield* foldedDays(sources, request)
    return
  }
  const today = barStart(DAY, now, zone)
  const before = { ...request, to: today <= request.to ? earlier(today, 1n) : request.to }
  const finished = barsOver(stored, before, sort, now, zone)
  const running =
    today >= request.from && today <= request.to ? todayOf(sources, stored, { ...request, from: today }) : []
  yield* sort === 'asc' ? finished : running
  yield* sort === 'asc' ? running : finished
}

function todayOf(sources: BarSources, stored: BarSeries, today: BarRequest): readonly Bar[] {
  const { sort, now, zone } = today
  const finished = [...barsOver(stored, today, sort, now, zone)]
  return finished.length > 0 ? finished : [...foldedDays(sources, today)]
}

function foldedDays(sources: BarSources, request: BarRequest): Iterable<Bar> {
  const { sort, now, zone } = request
  const source = sourceFor(
    DAY,
    sources.bars.filter(({ frame }) => !isDayFrame(frame)),
  )
  if (!source) return ofTrades(sources, { ...request, frame: DAY })
  const parts = barsOver(source, wholeBars({ ...request, frame: DAY }), sort, now, zone)
  return folded(parts, { ...request, frame: DAY }, zone === 'newYork' ? tradingDay : joinBars)
}

function ofDays(sources: BarSources, request: BarRequest, frame: DayFrame): Iterable<Bar> {
  return folded(days(sources, { ...wholeBars({ ...request, frame }), frame: DAY }), request, joinBars)
}

/** Bars from stored trades: minutes and days from trades, longer frames from minutes and days. */
function* ofTrades({ trades, asset }: BarSources, request: BarRequest): Generator<Bar> {
  if (!trades) return
  const { frame, sort, now, zone } = request
  // The current bar is folded from finished minutes.
  const cut = earlier(now, (now % MINUTE) + 1n)
  const { from, to } = wholeBars(request)
  const listed = trades.list(from, to < cut ? to : cut, sort)
  const base = isDayFrame(frame) ? DAY : ONE_MINUTE
  for (const { items, bucket } of grouped(listed, ({ at }) => at, frame, zone)) {
    if (bucket.start < request.from || bucket.start > request.to) continue
    const parts = foldTrades(sort === 'asc' ? items : items.toReversed(), base, asset)
    if (parts.length > 0) yield joinBars(bucket.start, parts)
  }
}

/** From the first start to the end of the last bar. */
const wholeBars = (request: BarRequest): BarRequest => ({
  ...request,
  to: earlier(
    isDayFrame(request.frame)
      ? nextStart(request.to, request.frame, request.zone)
      : later(request.to, lengthOf(request.frame)),
    1n,
  ),
})

function* folded(
  parts: Iterable<Bar>,
  { frame, sort, zone, from, to }: BarRequest,
  join: (start: Instant, bars: readonly Bar[]) => Bar | undefined,
): Generator<Bar> {
  for (const { items, bucket } of grouped(parts, ({ start }) => start, frame, zone)) {
    if (bucket.start < from || bucket.start > to) continue
    const bar = join(bucket.start, sort === 'asc' ? items : items.toReversed())
    if (bar) yield bar
  }
}

/** A trading day has the prices of its regular session, and volume and trades from pre-market to after-market. */
function tradingDay(start: Instant, bars: readonly Bar[]): Bar | undefined {
  const hours = session(newYork(start).date)
  const regular = bars.filter((bar) => hours && bar.start >= hours.open && bar.start < hours.close)
  if (regular.length === 0) return undefined
  const counted = bars.filter((bar) => countsInDay(bar.start))
  const { volume, trades } = joinBars(start, counted)
  return { ...joinBars(start, regular), volume, trades }
}
