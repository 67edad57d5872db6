import { tradingDayAt, tradingDaysBefore } from '../calendar.ts'
import { mix, normal, uniform } from './dice.ts'
import { exponential } from './exponential.ts'
import {
  clamp,
  type Draft,
  draft,
  highLikely,
  likely,
  lowLikely,
  type Node,
  turnoverMax,
  turnoverMin,
  WRITTEN_OUT,
} from './node.ts'
import type { Path } from './path.ts'
import { foldPrints, writeFreely } from './prints.ts'
import type { Profile } from './profile.ts'
import type { Segment, SegmentKind } from './segments.ts'
import { overshoot } from './walk.ts'

/** What a whole segment amounts to, before it is halved. */
export type Roots = {
  /** Trades and volume, without the work that prices are. */
  amount(segment: Segment): { readonly trades: number; readonly volume: number }
  root(segment: Segment): Node | undefined
}

/** The part of a day's variance that falls between the close and the next open. */
const OVERNIGHT = 0.25
/** No price falls below a dollar's worth of ticks. */
const PRICE_MIN = 100

/** Volume as a part of the regular session's, and how the variance between close and open is spread. */
const KINDS: Record<SegmentKind, { readonly volume: number; readonly weight: number }> = {
  early: { volume: 0.004, weight: 1 },
  pre: { volume: 0.02, weight: 3 },
  regular: { volume: 1, weight: 0 },
  post: { volume: 0.03, weight: 2 },
  late: { volume: 0.004, weight: 1 },
  closed: { volume: 0.012, weight: 1.5 },
}
const HALF_DAY = 0.55
/** Outside the regular session trades are smaller. */
const SMALLER = 0.5

export function makeRoots(profile: Profile, path: Path, key: number, marketKey: number): Roots {
  const ticks = (level: number): number =>
    Math.max(PRICE_MIN, Math.round(profile.basePrice * exponential(level)))
  const amount = (segment: Segment) => amountOf(segment, profile, path, key, marketKey)
  return {
    amount,
    root(segment) {
      const { trades, volume } = amount(segment)
      if (trades === 0) return undefined
      const keys = {
        key: mix(mix(key, segment.day), 8 + segment.place),
        marketKey: mix(mix(marketKey, segment.day), 8 + segment.place),
      }
      const course = segment.kind === 'regular' ? regular(segment, path, key) : between(segment, path, key)
      const prices = priced(course, keys.key, ticks)
      const node = draft(segment.from, segment.to, keys.key, keys.marketKey)
      Object.assign(node, prices, { trades, volume, deviation: course.deviation * prices.close })
      return trades > WRITTEN_OUT ? withTurnover(node) : few(node)
    },
  }
}

function amountOf(segment: Segment, profile: Profile, path: Path, key: number, marketKey: number) {
  const { kind, day, place, from, to } = segment
  const index = tradingDaysBefore(day)
  const own = mix(mix(key, 5), day)
  const mood = 0.25 * normal(mix(marketKey, 5), day) + 0.25 * normal(own, 0)
  const moved =
    kind === 'closed' ? 0.6 : Math.abs(path.level(index) - path.level(index - 1)) / path.deviation(index)
  // A shortened session has fewer trades, though busier ones; the stretch before midnight grows by as much.
  const length = kind === 'regular' && to - from < 6 * 3600e6 ? HALF_DAY : 1
  const activity = KINDS[kind].volume * length * exponential(mood) * (0.7 + 0.4 * moved)
  const size = (profile.volume / profile.trades) * (kind === 'regular' ? 1 : SMALLER)
  const expected = (profile.volume * activity * (0.9 + 0.2 * uniform(own, 10 + place))) / size
  const trades = Math.floor(expected + uniform(own, 20 + place))
  return { trades, volume: trades === 0 ? 0 : Math.max(trades, Math.round(profile.volume * activity)) }
}

/** Levels at the ends of a segment and the deviation of what happens in it. */
type Course = { readonly from: number; readonly to: number; readonly deviation: number }

function regular(segment: Segment, path: Path, key: number): Course {
  const index = tradingDaysBefore(segment.day)
  return {
    from: openLevel(path, key, index),
    to: path.level(index),
    deviation: path.deviation(index) * Math.sqrt(1 - OVERNIGHT),
  }
}

/** The open lies on the way from one close to the next, off by a draw. */
function openLevel(path: Path, key: number, index: number): number {
  const [before, after] = [path.level(index - 1), path.level(index)]
  const spread = path.deviation(index) * Math.sqrt(OVERNIGHT * (1 - OVERNIGHT))
  return before + (after - before) * OVERNIGHT + spread * normal(mix(key, 6), index)
}

/** From a close to the next open the tape runs through several segments; each step is drawn towards the open. */
function between(segment: Segment, path: Path, key: number): Course {
  const { day, kind } = segment
  const isAfter = kind === 'post' || kind === 'late'
  const index = isAfter ? tradingDaysBefore(day) : tradingDaysBefore(day) - 1
  const kinds = kindsAfter(index)
  const place = kind === 'closed' ? 2 + day - dayAt(index) - 1 : kinds.indexOf(kind)
  const end = openLevel(path, key, index + 1)
  const dice = mix(mix(key, 7), index)
  let left = kinds.reduce((sum, each) => sum + KINDS[each].weight, 0)
  const scale = (path.deviation(index + 1) * Math.sqrt(OVERNIGHT)) / Math.sqrt(left)
  let from = path.level(index)
  for (let step = 0; ; step++) {
    const { weight } = KINDS[kinds[step]!]
    const rest = Math.max(0, left - weight)
    const spread = scale * Math.sqrt((weight * rest) / left)
    const to = from + ((end - from) * weight) / left + spread * normal(dice, step)
    if (step === place) return { from, to, deviation: scale * Math.sqrt(weight) }
    from = to
    left = rest
  }
}

const dayAt = (index: number): number => (index < 0 ? -1 : tradingDayAt(index)!)

/** The segments between the close of a trading day and the open of the next. */
function kindsAfter(index: number): readonly SegmentKind[] {
  const first = dayAt(index)
  const next = tradingDayAt(index + 1) ?? first + 1
  const closed = Array.from<unknown, SegmentKind>({ length: next - first - 1 }, () => 'closed')
  return ['post', 'late', ...closed, 'early', 'pre']
}

/** Open, high, low and close in ticks. */
function priced({ from, to, deviation }: Course, key: number, ticks: (level: number) => number) {
  const apart = Math.abs(to - from)
  const [open, close] = [ticks(from), ticks(to)]
  const above = overshoot(apart, deviation, key, 100)
  const below = overshoot(apart, deviation, key, 101)
  return {
    open,
    high: Math.max(open, close, ticks(Math.max(from, to) + above)),
    low: Math.min(open, close, ticks(Math.min(from, to) - below)),
    close,
  }
}

function withTurnover(node: Draft): Node {
  const average = likely(node) + 0.2 * node.deviation * normal(node.key, 104)
  const wanted = clamp(average, lowLikely(node), highLikely(node)) * node.volume
  node.turnover = clamp(Math.round(wanted), turnoverMin(node), turnoverMax(node))
  return node
}

/** A segment of few trades is what they fold into. */
function few(node: Draft): Node {
  const prints = writeFreely(node)
  return Object.assign(node, foldPrints(prints, 0, node.trades), { start: node.start, prints })
}
