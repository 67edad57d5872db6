import { isEarlyClose, tradingDayAt, tradingDaysBefore } from '../calendar.ts'
import { mix, normal, uniform } from './dice.ts'
import { exponential } from './exponential.ts'
import {
  averageMax,
  averageMin,
  clamp,
  type Draft,
  draft,
  type Node,
  turnoverMax,
  turnoverMin,
  WRITTEN_OUT,
} from './node.ts'
import { courseOf } from './pace.ts'
import type { Path } from './path.ts'
import { foldPrints, writeFreely } from './prints.ts'
import type { Profile } from './profile.ts'
import { isPriced, type Segment, type SegmentKind } from './segments.ts'
import { arcVariance, highest, turnOf } from './walk.ts'

/** What a whole segment amounts to, before it is halved. */
export type Roots = {
  /** Trades and volume, without the work that prices are. */
  amount(segment: Segment): { readonly trades: number; readonly volume: number }
  root(segment: Segment): Node | undefined
}

/** Which keys are made of a symbol's or the market's own: the path takes those below. */
const MOOD = 5
const OPEN = 6
const BETWEEN = 7
const TREE = 8

/** The part of a day's variance that falls between the close and the next open. */
const OVERNIGHT = 0.25
/** No price falls below so many ticks: a dollar. */
export const PRICE_MIN = 100

/** Volume as a part of the regular session's, and how the variance between close and open is spread. */
const KINDS: Record<SegmentKind, { readonly volume: number; readonly weight: number }> = {
  early: { volume: 0.004, weight: 1 },
  pre: { volume: 0.02, weight: 3 },
  regular: { volume: 1, weight: 0 },
  post: { volume: 0.03, weight: 2 },
  late: { volume: 0.004, weight: 1 },
  closed: { volume: 0.012, weight: 1.5 },
  round: { volume: 1, weight: 0 },
}
/** The average of a walk between two ends is off their middle by so much of its deviation. */
const OF_AVERAGE = 1 / Math.sqrt(12)
/** In ticks: at the floor, where prices hardly move. */
const DEVIATION_MIN = 0.1
/** What a shortened session trades of a whole one. */
const HALF_DAY = 0.55
/** Outside the regular session trades are smaller. */
const SMALLER = 0.5

export function makeRoots(profile: Profile, path: Path, key: number, marketKey: number): Roots {
  const ticks = ticksOver(profile)
  const amount = (segment: Segment) => amountOf(segment, profile, path, key, marketKey)
  return {
    amount,
    root(segment) {
      const { trades, volume } = amount(segment)
      if (trades === 0) return undefined
      const keyFrom = (base: number): number => mix(mix(mix(base, TREE), segment.day), segment.place)
      const node = draft(segment.from, segment.to, keyFrom(key), keyFrom(marketKey))
      const course = stretchOf(segment, path, key)
      const bulge = course.deviation * OF_AVERAGE * chance(node, path.coupling)
      const prices = priced(course, bulge, node.key, ticks)
      const perLevel = ticksPerLevel(prices.close)
      const deviation = Math.max(DEVIATION_MIN, course.deviation * perLevel)
      Object.assign(node, prices, { trades, volume, deviation })
      return trades > WRITTEN_OUT ? withTurnover(node, bulge * perLevel) : few(node)
    },
  }
}

/** A normal draw, in part the market's. */
const chance = ({ key, marketKey }: Node, coupling: number): number =>
  coupling * normal(marketKey, 104) + Math.sqrt(1 - coupling * coupling) * normal(key, 104)

/** Levels as prices: the lower they are, the more the floor holds them up; the base price stays itself. */
function ticksOver({ symbol, basePrice }: Profile): (level: number) => number {
  if (!(basePrice > PRICE_MIN)) throw new Error(`bug: ${symbol} has no base price above the floor`)
  const floor = PRICE_MIN * PRICE_MIN
  const above = basePrice * basePrice - floor
  return (level) => Math.round(Math.sqrt(above * exponential(2 * level) + floor))
}

function amountOf(segment: Segment, profile: Profile, path: Path, key: number, marketKey: number) {
  const { kind, day, place } = segment
  const index = courseOf(profile).index(day)
  const own = mix(mix(key, MOOD), day)
  const mood = 0.25 * normal(mix(marketKey, MOOD), day) + 0.25 * normal(own, 0)
  const moved =
    kind === 'closed' ? 0.6 : Math.abs(path.level(index) - leftLevel(path, index - 1)) / path.deviation(index)
  const length = kind === 'regular' && isEarlyClose(day) ? HALF_DAY : 1
  const activity = KINDS[kind].volume * length * exponential(mood) * (0.7 + 0.4 * moved)
  const size = (profile.volume / profile.trades) * (isPriced(kind) ? 1 : SMALLER)
  const expected = (profile.volume * activity * (0.9 + 0.2 * uniform(own, 10 + place))) / size
  const trades = Math.floor(expected + uniform(own, 20 + place))
  return { trades, volume: trades === 0 ? 0 : Math.max(trades, Math.round(profile.volume * activity)) }
}

/** Levels at the ends of a segment and the deviation of what happens in it. */
type Stretch = { readonly from: number; readonly to: number; readonly deviation: number }

function stretchOf(segment: Segment, path: Path, key: number): Stretch {
  if (segment.kind === 'round') return round(segment, path)
  return segment.kind === 'regular' ? regular(segment, path, key) : between(segment, path, key)
}

/** Where a day was left: what came over its session counts from then on. */
const leftLevel = (path: Path, index: number): number => path.level(index) + path.left(index)

/** A day that begins where the one before ended. */
const round = ({ day }: Segment, path: Path): Stretch => ({
  from: leftLevel(path, day - 1) + path.gap(day),
  to: path.level(day),
  deviation: path.deviation(day),
})

function regular(segment: Segment, path: Path, key: number): Stretch {
  const index = tradingDaysBefore(segment.day)
  return {
    from: openLevel(path, key, index),
    to: path.level(index),
    deviation: path.deviation(index) * Math.sqrt(1 - OVERNIGHT),
  }
}

/** The open lies on the way from one close to the next, off by a draw. */
function openLevel(path: Path, key: number, index: number): number {
  const [before, after] = [leftLevel(path, index - 1) + path.gap(index), path.level(index)]
  const spread = path.deviation(index) * Math.sqrt(OVERNIGHT * (1 - OVERNIGHT))
  return before + (after - before) * OVERNIGHT + spread * normal(mix(key, OPEN), index)
}

/** From a close to the next open the tape runs through several segments; each step is drawn towards the open. */
function between(segment: Segment, path: Path, key: number): Stretch {
  const { day, kind } = segment
  const isAfter = kind === 'post' || kind === 'late'
  const index = isAfter ? tradingDaysBefore(day) : tradingDaysBefore(day) - 1
  const kinds = kindsAfter(index)
  const place = kind === 'closed' ? 2 + day - dayAt(index) - 1 : kinds.indexOf(kind)
  const end = openLevel(path, key, index + 1)
  const dice = mix(mix(key, BETWEEN), index)
  let left = kinds.reduce((sum, each) => sum + KINDS[each].weight, 0)
  const scale = (path.deviation(index + 1) * Math.sqrt(OVERNIGHT)) / Math.sqrt(left)
  let from = leftLevel(path, index)
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

/** Open, high, low and close in ticks. The extremes are those of a walk whose average is off by the bulge. */
function priced(
  { from, to, deviation }: Stretch,
  bulge: number,
  key: number,
  ticks: (level: number) => number,
) {
  const turn = turnOf(from, to, bulge)
  const variance = arcVariance(deviation)
  const endless = Number.POSITIVE_INFINITY
  const [open, close] = [ticks(from), ticks(to)]
  const above = highest(from, turn, to, variance, endless, key, 100)
  const below = -highest(-from, -turn, -to, variance, endless, key, 102)
  return {
    open,
    high: Math.max(open, close, ticks(above)),
    low: Math.min(open, close, ticks(below)),
    close,
  }
}

/** How many ticks a step of a level is, where the price is this. */
const ticksPerLevel = (price: number): number => price - (PRICE_MIN * PRICE_MIN) / price

function withTurnover(node: Draft, bulge: number): Node {
  const { open, high, low, close, volume } = node
  const average = clamp(
    (open + close) / 2 + bulge,
    averageMin(open, close, low),
    averageMax(open, close, high),
  )
  node.turnover = clamp(Math.round(average * volume), turnoverMin(node), turnoverMax(node))
  return node
}

/** A segment of few trades is what they fold into. */
function few(node: Draft): Node {
  const prints = writeFreely(node)
  return Object.assign(node, foldPrints(prints, 0, node.trades), { start: node.start, prints })
}
