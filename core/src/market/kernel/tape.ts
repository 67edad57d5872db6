import { newYorkDayOfSeconds } from '../../time.ts'
import type { Hours } from '../../world.ts'
import { join, type Span } from '../span.ts'
import type { Node } from './node.ts'
import { type Prints, placeOf } from './prints.ts'
import type { Roots } from './roots.ts'
import { isShown, MICROS, type Segment, segmentsOf } from './segments.ts'
import { eachLeaf, eachMinute, fold, type Print, printAt, quoteOf, type Range, type Tree } from './tree.ts'

/** A trading day: prices of its regular session, volume and trades of all its minutes. */
export type DaySpan = Span & {
  /** The volume behind the turnover: the regular session's. */
  readonly priced: number
}

/** The endless tape of one symbol. Times are microseconds since 1970, prices ticks. */
export type Tape = {
  /** The bar of a trading day, as far as the tape has come by `until`. */
  day(day: number, until: number): DaySpan | undefined
  /** The trades of `[from, to)` as one stretch. */
  fold(from: number, to: number): Span | undefined
  /** The first moment at or after an instant, or the last at or before it, at which the tape runs. */
  runs(at: number, backwards: boolean): number | undefined
  /** Visits the minutes of `[from, to)` that have trades until `visit` answers false. */
  minutes(range: Range, visit: (start: number, span: Span) => boolean): void
  /** The last trade at or before an instant. */
  last(at: number): Print | undefined
  /** The first trade after an instant, not after `to`. */
  next(after: number, to: number): Print | undefined
  /** Trades of `[from, to]`, oldest first. */
  prints(from: number, to: number, limit: number): readonly Print[]
  /** When, after `from` and not after `to`, the ask is first at or below a price, or the bid at or above it. */
  touch(side: 'buy' | 'sell', price: number, from: number, to: number): number | undefined
}

/** Longer than the exchanges ever were closed: a fortnight. */
const PAUSE_MAX = 14 * 86_400 * MICROS
/** A symbol that has not traded in so many segments has no price. */
const LOOK_BACK = 200

export function makeTape(hours: Hours, roots: Roots, treeOf: (segment: Segment) => Tree): Tape {
  const shown = (segment: Segment): boolean => isShown(segment.kind, hours)

  const visit = (range: Range, look: (tree: Tree) => boolean): void =>
    eachSegment(range, (segment) => !shown(segment) || look(treeOf(segment)))

  const leaves = (range: Range & { holds?: (span: Span) => boolean }, look: Look): void =>
    visit(range, (tree) =>
      eachLeaf(tree, range, (node, prints, first) => look({ tree, node, prints, first })),
    )

  return {
    day: (day, until) => dayOf(segmentsOf(day).filter(shown), until, roots, treeOf),
    fold(from, to) {
      let whole: Span | undefined
      visit({ from, to, backwards: false }, (tree) => {
        whole = join(whole, fold(tree, from, to))
        return true
      })
      return whole
    },
    runs(at, backwards) {
      const range = backwards ? { from: at - PAUSE_MAX, to: at } : { from: at, to: at + PAUSE_MAX }
      let found: number | undefined
      eachSegment({ ...range, backwards }, (segment) => {
        if (shown(segment)) found = backwards ? Math.min(at, segment.to - 1) : Math.max(at, segment.from)
        return found === undefined
      })
      return found
    },
    minutes: (range, look) => visit(range, (tree) => eachMinute(tree, range, look)),
    last(at) {
      let segments = 0
      let found: Print | undefined
      eachSegment({ from: 0, to: at, backwards: true }, (segment) => {
        if (!shown(segment)) return true
        found = lastOf(treeOf(segment), at)
        return !found && ++segments < LOOK_BACK
      })
      return found
    },
    next(after, to) {
      return this.prints(after + 1, to, 1)[0]
    },
    prints(from, to, limit) {
      const found: Print[] = []
      leaves({ from, to, backwards: false }, ({ tree, node, prints, first }) => {
        for (let place = placeOf(prints, from); place < prints.at.length; place++) {
          if (prints.at[place]! > to || found.length >= limit) return false
          found.push(printAt(tree, node, prints, place, first))
        }
        return found.length < limit
      })
      return found
    },
    touch(side, price, from, to) {
      let found: number | undefined
      // A quote's nearer side is never better than the trade it belongs to.
      const holds = side === 'buy' ? (span: Span) => span.low <= price : (span: Span) => span.high >= price
      leaves({ from: from + 1, to, backwards: false, holds }, ({ tree, node, prints }) => {
        for (let place = placeOf(prints, from + 1); place < prints.at.length; place++) {
          if (prints.at[place]! > to) return false
          const { bid, ask } = quoteOf(tree, node, prints, place)
          if (side === 'buy' ? ask > price : bid < price) continue
          found = prints.at[place]!
          return false
        }
        return true
      })
      return found
    },
  }
}

type Leaf = { readonly tree: Tree; readonly node: Node; readonly prints: Prints; readonly first: number }
type Look = (leaf: Leaf) => boolean

/** Visits the segments that touch `[from, to]` in order until `look` answers false. */
function eachSegment({ from, to, backwards }: Range, look: (segment: Segment) => boolean): void {
  const [first, last] = [newYorkDayOfSeconds(from / MICROS), newYorkDayOfSeconds(to / MICROS)]
  for (let day = backwards ? last : first; day >= first && day <= last; day += backwards ? -1 : 1) {
    const segments = segmentsOf(day)
    for (let step = 0; step < segments.length; step++) {
      const segment = segments[backwards ? segments.length - 1 - step : step]!
      if (segment.to > from && segment.from <= to && !look(segment)) return
    }
  }
}

function lastOf(tree: Tree, at: number): Print | undefined {
  let found: Print | undefined
  eachLeaf(tree, { from: 0, to: at, backwards: true }, (node, prints, first) => {
    const place = placeOf(prints, at + 1) - 1
    if (place >= 0) found = printAt(tree, node, prints, place, first)
    return place < 0
  })
  return found
}

function dayOf(
  segments: readonly Segment[],
  until: number,
  roots: Roots,
  treeOf: (segment: Segment) => Tree,
): DaySpan | undefined {
  let regular: Span | undefined
  let [volume, trades] = [0, 0]
  for (const segment of segments) {
    if (segment.from >= until) break
    const isDone = segment.to <= until
    const isRegular = segment.kind === 'regular'
    const part = isDone
      ? isRegular
        ? roots.root(segment)
        : roots.amount(segment)
      : fold(treeOf(segment), segment.from, until)
    if (isRegular) regular = part as Span | undefined
    volume += part?.volume ?? 0
    trades += part?.trades ?? 0
  }
  if (!regular) return undefined
  const { open, high, low, close, turnover, volume: priced } = regular
  return { start: segments[0]!.from, open, high, low, close, volume, trades, turnover, priced }
}
