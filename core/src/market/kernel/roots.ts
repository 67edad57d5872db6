import type { Hours } from '../../world.ts'
import { type Amount, makeAmounts } from './amounts.ts'
import { type Image, imageRoot } from './factors/image.ts'
import type { Path } from './factors/path.ts'
import { PRICE_MIN, ticksOver } from './levels.ts'
import {
  addAuction,
  averageMax,
  averageMin,
  clamp,
  type Draft,
  draft,
  type Node,
  sharedDraw,
  turnoverMax,
  turnoverMin,
  WRITE_OUT_MAX,
} from './node.ts'
import { foldPrints, writeFreely } from './prints.ts'
import type { Profile } from './profile.ts'
import { mix, normal } from './random.ts'
import { indexOf, type SegmentLevels, segmentLevels } from './segment-levels.ts'
import type { Segment } from './segments.ts'
import { arcVariance, highest, turnOf } from './walk.ts'

/** The totals of a whole segment, before it is split. */
export type Roots = {
  /** Trades and volume; cheaper than prices. */
  amount(segment: Segment): Amount
  root(segment: Segment): Node | undefined
}

/** Index for a derived key. */
const TREE = 8
/** Deviation of a walk's average from the middle of its ends, relative to the walk's deviation. */
const OF_AVERAGE = 1 / Math.sqrt(12)
/** Minimum deviation in ticks, for prices at the floor. */
const DEVIATION_MIN = 0.1

export type RootSetup = {
  readonly profile: Profile
  readonly path: Path
  readonly hours: Hours
  readonly keys: { readonly seed: number; readonly market: number; readonly own: number }
  /** Set if prices are an image of a leader's prices. */
  readonly follows?: FollowedRoots | undefined
}

type FollowedRoots = {
  readonly roots: Roots
  readonly image: (segment: Segment) => Image
  /** Key of the draws that split nodes. */
  readonly key: number
}

export function makeRoots({ profile, path, hours, keys, follows }: RootSetup): Roots {
  const ticks = ticksOver(profile)
  const amount = makeAmounts(profile, path, keys, hours)
  const timeKeyOf = ({ day, index }: Segment): number => mix(mix(mix(keys.seed, TREE), day), index)
  const plain = (segment: Segment, node: Draft, auctions: Amount): Node => {
    const levels = segmentLevels(segment, path, keys.own, hours)
    const bulge = levels.deviation * OF_AVERAGE * chance(node, path, segment)
    const prices = priced(levels, bulge, node.key, ticks)
    const perLevel = ticksPerLevel(prices.close)
    const deviation = Math.max(DEVIATION_MIN, levels.deviation * perLevel)
    Object.assign(node, prices, { deviation })
    return node.trades > WRITE_OUT_MAX
      ? withTurnover(node, (prices.open + prices.close) / 2 + bulge * perLevel, auctions)
      : writtenOut(node, auctions)
  }
  return {
    amount,
    root(segment) {
      const auctions = amount(segment)
      const { trades, volume, first, last } = auctions
      if (trades === 0) return undefined
      const root = trades > WRITE_OUT_MAX ? follows?.roots.root(segment) : undefined
      const leader = root && root.trades > WRITE_OUT_MAX ? root : undefined
      const node = draft(segment.from, segment.to, timeKeyOf(segment), leader ? follows!.key : keys.own)
      Object.assign(node, { trades, volume: volume - first - last })
      if (!leader) return plain(segment, node, auctions)
      return withTurnover(node, imageRoot(node, leader, follows!.image(segment)), auctions)
    },
  }
}

/** A normal draw, partly from the factors. */
function chance({ key, timeKey }: Node, path: Path, segment: Segment): number {
  const blend = path.blend(indexOf(segment))
  return sharedDraw(blend, timeKey, 104) + blend.own * normal(key, 104)
}

/**
 * Open, high, low and close in ticks. The extremes are drawn for a walk whose average deviates by the bulge.
 */
function priced(
  { from, to, deviation }: SegmentLevels,
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

/** Ticks per unit of level at this price. */
const ticksPerLevel = (price: number): number => price - (PRICE_MIN * PRICE_MIN) / price

/** Sets the turnover to the wanted average price, as closely as possible, and adds the auctions. */
function withTurnover(node: Draft, wanted: number, { first, last }: Amount): Node {
  const { open, high, low, close, volume } = node
  const average = clamp(wanted, averageMin(open, close, low), averageMax(open, close, high))
  node.turnover = clamp(Math.round(average * volume), turnoverMin(node), turnoverMax(node))
  addAuction(node, 'first', first)
  addAuction(node, 'last', last)
  return node
}

/** A segment with few trades is defined by its trades. */
function writtenOut(node: Draft, { first, last }: Amount): Node {
  node.first = first
  node.last = last
  const prints = writeFreely(node)
  return Object.assign(node, foldPrints(prints, 0, node.trades), { start: node.start, prints })
}
