import { PRICE_MIN, ticksOver } from '../levels.ts'
import { averageOf, clamp, type Draft, HALF_MIN, type Halves, type Node, withoutAuctions } from '../node.ts'
import type { Profile } from '../profile.ts'
import { endLevel, indexOf } from '../segment-levels.ts'
import type { Segment } from '../segments.ts'
import { type Cut, copyInto, draftHalves, shareAmounts, withAuctions } from '../split.ts'
import { shareTurnover } from '../turnover.ts'
import type { Path } from './path.ts'

/**
 * A follower's price is `at + by` times the leader's price. This models a daily leveraged fund: with the
 * previous closes F and I, its price is F·(1 + k·(price/I − 1)).
 */
export type Image = { readonly at: number; readonly by: number }

export const mapped = ({ at, by }: Image, price: number): number =>
  Math.max(PRICE_MIN, Math.round(at + by * price))

/** The image that is valid in a segment. */
export function imageOf(
  follower: { readonly profile: Profile; readonly path: Path },
  leader: { readonly profile: Profile; readonly path: Path },
): (segment: Segment) => Image {
  const { times } = follower.profile.follows!
  const [ticks, leaderTicks] = [ticksOver(follower.profile), ticksOver(leader.profile)]
  return (segment) => {
    const { kind } = segment
    const index = indexOf(segment)
    const isAfter = kind === 'post' || kind === 'late' || kind === 'closed'
    if (times === 1) {
      const levelOf = (path: Path): number => (isAfter ? endLevel(path, index) : path.level(index))
      return { at: 0, by: ticks(levelOf(follower.path)) / leaderTicks(levelOf(leader.path)) }
    }
    // The fund resets at the close. A gap of the fund alone before an open is applied at midnight.
    const base = isAfter ? index : index - 1
    const own = isAfter ? 0 : follower.path.gap(index)
    const before = ticks(endLevel(follower.path, base) + own)
    const by = (times * before) / leaderTicks(endLevel(leader.path, base))
    return { at: before * (1 - times), by }
  }
}

/** Copies the leader's prices into a node; returns its target average price. */
export function imageRoot(node: Draft, leader: Node, image: Image): number {
  attach(node, leader, image)
  return image.at + image.by * averageOf(leader)
}

function attach(node: Draft, leader: Node, image: Image): void {
  const high = mapped(image, leader.high)
  const low = mapped(image, leader.low)
  node.open = mapped(image, leader.open)
  node.close = mapped(image, leader.close)
  node.high = Math.max(high, low)
  node.low = Math.min(high, low)
  node.deviation = Math.abs(image.by) * leader.deviation
  node.leader = leader
}

/**
 * Splits a node like its leader's node. Trades and volume are the follower's, distributed by the leader's
 * draws. Returns undefined if the leader's halves do not fit; then the node is split on its own.
 */
export function splitImage(node: Node, leaders: Halves, cut: Cut, image: Image): Halves | undefined {
  if (node.first + node.last === 0) return halveImage(node, leaders, cut, image)
  const halves = halveImage(withoutAuctions(node), leaders, cut, image)
  return halves && withAuctions(node, halves)
}

function halveImage(
  node: Node,
  [leftLeader, rightLeader]: Halves,
  cut: Cut,
  image: Image,
): Halves | undefined {
  const [left, right] = draftHalves(node, cut)
  if (!leftLeader || !rightLeader) {
    const half = copyInto(leftLeader ? left : right, node)
    half.leader = leftLeader ?? rightLeader
    return leftLeader ? [half, undefined] : [undefined, half]
  }
  shareAmounts(node, left, right, cut, HALF_MIN)
  attach(left, leftLeader, image)
  attach(right, rightLeader, image)
  const ofLeft = image.at + image.by * averageOf(leftLeader)
  if (shareTurnover(node, left, right, ofLeft * left.volume)) return [left, right]
  fitVolume(node, left, right, ofLeft, image.at + image.by * averageOf(rightLeader))
  return shareTurnover(node, left, right, ofLeft * left.volume) ? [left, right] : undefined
}

/** Distributes volume so that the halves' average prices match the whole. */
function fitVolume(node: Node, left: Draft, right: Draft, ofLeft: number, ofRight: number): void {
  const fitting = (node.turnover - ofRight * node.volume) / (ofLeft - ofRight)
  left.volume = Math.round(clamp(fitting || 0, left.trades, node.volume - right.trades))
  right.volume = node.volume - left.volume
}
