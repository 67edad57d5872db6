import type { Hours } from '../../world.ts'
import { SECOND_MICROS } from '../history/micros.ts'
import { type DaySpan, joinSpans, type Span } from '../history/span.ts'
import { dayIn, midnightIn, type Zone } from '../history/zone.ts'
import type { Days } from './days.ts'
import type { TapeCalendar } from './factors/pace.ts'
import type { Node, Prints } from './node.ts'
import { indexAt } from './prints.ts'
import { type Print, printAt, type Quotes, type QuoteUpdate, quoteAt, quotesOf } from './quotes.ts'
import type { Roots } from './roots.ts'
import { isDaily, isPriced, isShown, type Segment, TAPE_END_DAY } from './segments.ts'
import { eachLeaf, eachMinute, fold, type Tree, type TreeRange } from './tree.ts'

/** The tape of one symbol: all its trades and quotes. Times are microseconds since 1970, prices are ticks. */
export type Tape = {
  /** Time zone of its days. */
  readonly zone: Zone
  /** The day bar up to `until`. */
  day(day: number, until: number): DaySpan | undefined
  /** The trades of `[from, to)` as one span. */
  fold(from: number, to: number): Span | undefined
  /** The first instant at or after `at` (or the last at or before it) at which the tape trades. */
  nearestTradingTime(at: number, backwards: boolean): number | undefined
  /** Visits the minutes of `[from, to)` that have trades until `visit` returns false. */
  minutes(range: TreeRange, visit: (start: number, span: Span) => boolean): void
  /** The last trade at or before an instant. */
  last(at: number): Print | undefined
  /** The first trade after an instant, not after `to`. */
  next(after: number, to: number): Print | undefined
  /** Trades of `[from, to]`, oldest first or newest first. */
  prints(from: number, to: number, limit: number, backwards?: boolean): readonly Print[]
  /** The quote that is valid at an instant. */
  lastQuote(at: number): QuoteUpdate | undefined
  /** Quotes of `[from, to]`, oldest first or newest first. */
  quotes(from: number, to: number, limit: number, backwards?: boolean): readonly QuoteUpdate[]
  /**
   * The first instant after `from` and up to `to` at which the ask is at or below a price, or the bid at or
   * above it.
   */
  touch(side: 'buy' | 'sell', price: number, from: number, to: number): number | undefined
  /** The first trade of `[from, to]` at or above a price (`rise`), or at or below it (`fall`). */
  reach(direction: Direction, price: number, from: number, to: number): Print | undefined
}

export type Direction = 'rise' | 'fall'
export const reaches = (direction: Direction, traded: number, price: number): boolean =>
  direction === 'rise' ? traded >= price : traded <= price

/** Two weeks, longer than the exchanges were ever closed. */
const PAUSE_MAX = 14 * 86_400 * SECOND_MICROS
/** A symbol without trades in this many segments has no price. */
const LOOK_BACK = 200

export function makeTape(
  hours: Hours,
  calendar: TapeCalendar,
  roots: Roots,
  treeOf: (segment: Segment) => Tree,
  days: Days,
  /** The day of its first trade. */
  inception = 0,
): Tape {
  const shows = ({ kind, day }: Segment): boolean => isShown(kind, hours) && day >= inception
  const source: TapeSource = { calendar, inception, shows, roots, treeOf }
  return {
    zone: calendar.zone,
    day: (day, until) =>
      until < midnightIn(calendar.zone, day + 1)
        ? foldDay(source, day, until)
        : days.get(day, () => foldDay(source, day, until)),
    fold: (from, to) => foldStretch(source, from, to),
    nearestTradingTime: (at, backwards) => findTradingTime(source, at, backwards),
    minutes: (range, visit) => eachTree(source, range, (tree) => eachMinute(tree, range, visit)),
    last: (at) => lastOf(source, readPrints, at),
    next: (after, to) => listOf(source, readPrints, { from: after + 1, to, backwards: false }, 1)[0],
    prints: (from, to, limit, backwards = false) =>
      listOf(source, readPrints, { from, to, backwards }, limit),
    lastQuote: (at) => lastOf(source, readQuotes, at),
    quotes: (from, to, limit, backwards = false) =>
      listOf(source, readQuotes, { from, to, backwards }, limit),
    touch: (side, price, from, to) => findTouch(source, side, price, from, to),
    reach: (direction, price, from, to) => findTrade(source, direction, price, from, to),
  }
}

/** The sources of a tape. */
type TapeSource = {
  readonly calendar: TapeCalendar
  readonly inception: number
  shows(segment: Segment): boolean
  treeOf(segment: Segment): Tree
  readonly roots: Roots
}

const eachTree = (source: TapeSource, range: TreeRange, visit: (tree: Tree) => boolean): void =>
  eachSegment(source, range, (segment) => !source.shows(segment) || visit(source.treeOf(segment)))

function foldStretch(source: TapeSource, from: number, to: number): Span | undefined {
  let total: Span | undefined
  eachTree(source, { from, to, backwards: false }, (tree) => {
    total = joinSpans(total, fold(tree, from, to))
    return true
  })
  return total
}

function findTradingTime(source: TapeSource, at: number, backwards: boolean): number | undefined {
  const range = backwards ? { from: at - PAUSE_MAX, to: at } : { from: at, to: at + PAUSE_MAX }
  let found: number | undefined
  eachSegment(source, { ...range, backwards }, (segment) => {
    if (source.shows(segment)) found = backwards ? Math.min(at, segment.to - 1) : Math.max(at, segment.from)
    return found === undefined
  })
  return found
}

/**
 * Reads the trades or quotes of a written-out node: all at or after an instant, and possibly some before it.
 */
type Read<Item> = (
  tree: Tree,
  node: Node,
  prints: Prints,
  first: number,
  from: number,
) => { readonly at: readonly number[]; item(index: number): Item }

const readPrints: Read<Print> = (tree, node, prints, first) => ({
  at: prints.at,
  item: (index) => printAt(tree, node, prints, index, first),
})

const readQuotes: Read<QuoteUpdate> = (tree, node, prints, first, from) => {
  const quotes = quotesFrom(tree, node, prints, from)
  return { at: quotes.at, item: (index) => quoteAt(tree, node, prints, quotes, index, first) }
}

/** A quote after an instant may belong to a trade before it. */
const quotesFrom = (tree: Tree, node: Node, prints: Prints, from: number): Quotes =>
  quotesOf(tree, node, prints, Math.max(0, indexAt(prints, from) - 1))

function lastOf<Item>(source: TapeSource, read: Read<Item>, at: number): Item | undefined {
  const range = { from: 0, to: at, backwards: true }
  let segments = 0
  let found: Item | undefined
  eachTree(source, range, (tree) => {
    eachLeaf(tree, range, (node, prints, first) => {
      const list = read(tree, node, prints, first, at + 1)
      const index = indexAt(list, at + 1) - 1
      if (index >= 0) found = list.item(index)
      return index < 0
    })
    return !found && ++segments < LOOK_BACK
  })
  return found
}

function listOf<Item>(
  source: TapeSource,
  read: Read<Item>,
  range: TreeRange,
  limit: number,
): readonly Item[] {
  const found: Item[] = []
  eachTree(source, range, (tree) =>
    eachLeaf(tree, range, (node, prints, first) => {
      const list = read(tree, node, prints, first, range.from)
      const [start, end] = [indexAt(list, range.from), indexAt(list, range.to + 1)]
      for (let step = 0; step < end - start && found.length < limit; step++)
        found.push(list.item(range.backwards ? end - 1 - step : start + step))
      return found.length < limit
    }),
  )
  return found
}

function findTouch(
  source: TapeSource,
  side: 'buy' | 'sell',
  price: number,
  from: number,
  to: number,
): number | undefined {
  // No quote of a node exceeds the range of its trades.
  const matches = side === 'buy' ? (span: Span) => span.low <= price : (span: Span) => span.high >= price
  const range = { from: from + 1, to, backwards: false, matches }
  let found: number | undefined
  eachTree(source, range, (tree) =>
    eachLeaf(tree, range, (node, prints) => {
      const { at, bid, ask } = quotesFrom(tree, node, prints, range.from)
      for (let index = 0; index < at.length; index++) {
        if (at[index]! > to) return false
        if (at[index]! < range.from || (side === 'buy' ? ask[index]! > price : bid[index]! < price)) continue
        found = at[index]!
        return false
      }
      return true
    }),
  )
  return found
}

function findTrade(
  source: TapeSource,
  direction: Direction,
  price: number,
  from: number,
  to: number,
): Print | undefined {
  const matches = ({ low, high }: Span): boolean =>
    reaches(direction, direction === 'rise' ? high : low, price)
  const range = { from, to, backwards: false, matches }
  let found: Print | undefined
  eachTree(source, range, (tree) =>
    eachLeaf(tree, range, (node, prints, first) => {
      for (let index = indexAt(prints, from); index < prints.at.length; index++) {
        if (prints.at[index]! > to) return false
        if (!reaches(direction, prints.price[index]!, price)) continue
        found = printAt(tree, node, prints, index, first)
        return false
      }
      return true
    }),
  )
  return found
}

function foldDay(
  { calendar, shows, roots, treeOf }: TapeSource,
  day: number,
  until: number,
): DaySpan | undefined {
  let regular: Span | undefined
  let start: number | undefined
  let [volume, trades] = [0, 0]
  for (const segment of calendar.segments(day)) {
    start ??= segment.from
    if (!shows(segment) || !isDaily(segment.kind)) continue
    if (segment.from >= until) break
    const isRegular = isPriced(segment.kind)
    // For a finished segment outside the session, the amounts suffice, which is cheaper.
    const part =
      segment.to > until
        ? fold(treeOf(segment), segment.from, until)
        : isRegular
          ? roots.root(segment)
          : roots.amount(segment)
    if (isRegular) regular = part as Span | undefined
    volume += part?.volume ?? 0
    trades += part?.trades ?? 0
  }
  if (!regular || start === undefined) return undefined
  const { open, high, low, close, turnover, volume: priced } = regular
  return { start, open, high, low, close, volume, trades, turnover, priced }
}

/** Visits the segments that overlap `[from, to]` in order until the callback returns false. */
function eachSegment(
  { calendar: { zone, segments: segmentsOf }, inception }: TapeSource,
  { from, to, backwards }: TreeRange,
  visit: (segment: Segment) => boolean,
): void {
  const first = Math.max(inception, dayIn(zone, from))
  const last = Math.min(TAPE_END_DAY - 1, dayIn(zone, to))
  for (let day = backwards ? last : first; day >= first && day <= last; day += backwards ? -1 : 1) {
    const segments = segmentsOf(day)
    for (let step = 0; step < segments.length; step++) {
      const segment = segments[backwards ? segments.length - 1 - step : step]!
      if (segment.to > from && segment.from <= to && !visit(segment)) return
    }
  }
}
