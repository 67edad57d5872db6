import { bridgeOf, leftBulgeOf, middleOf, rightBulgeOf } from './bridge.ts'
import {
  addAuction,
  type Blend,
  clamp,
  type Draft,
  draft,
  HALF_MIN,
  type Halves,
  type Node,
  sharedDraw,
  withoutAuctions,
} from './node.ts'
import { mix, normal, uniform } from './random.ts'
import { shareTurnover, widenHalves } from './turnover.ts'
import { arcVariance, decay, highest, turnOf } from './walk.ts'

/** Number of candidate paths; one is chosen by its likelihood given the high and the low. */
const CANDIDATES = 3
/** Prices are whole ticks, so a walk that reaches a tick may exceed it by half a tick. */
const HALF_TICK = 0.5

/** The point at which a node is split. */
export type Cut = {
  readonly middle: number
  /** Expected part of the trades before the middle, and its deviation. */
  readonly share: number
  readonly spread: number
}

/**
 * Splits a node in time. The halves fold back into the node exactly. In order: trades and volume are
 * distributed, the middle price and the halves' averages are drawn, then each half's high and low.
 */
export function split(node: Node, cut: Cut, blend: Blend): Halves {
  if (node.first + node.last === 0) return halve(node, cut, blend)
  return withAuctions(node, halve(withoutAuctions(node), cut, blend))
}

/** Adds the auction shares to halves that were split without them. */
export function withAuctions({ first, last }: Node, halves: Halves): Halves {
  const [left, right] = halves as readonly [Draft | undefined, Draft | undefined]
  addAuction((left ?? right)!, 'first', first)
  addAuction((right ?? left)!, 'last', last)
  return halves
}

function halve(node: Node, cut: Cut, blend: Blend): Halves {
  const [left, right] = draftHalves(node, cut)
  shareAmounts(node, left, right, cut)
  if (left.trades === 0) return [undefined, copyInto(right, node)]
  if (right.trades === 0) return [copyInto(left, node), undefined]
  left.deviation = node.deviation * Math.sqrt(left.trades / node.trades)
  right.deviation = node.deviation * Math.sqrt(right.trades / node.trades)
  const wanted = sharePrices(node, left, right, chooseCandidate(node, left, right, blend))
  if (!shareTurnover(node, left, right, wanted)) widenHalves(node, left, right)
  return [left, right]
}

export function draftHalves({ start, end, timeKey, key }: Node, { middle }: Cut): [Draft, Draft] {
  const own = key ^ timeKey
  return [draft(start, middle, mix(timeKey, 1), own), draft(middle, end, mix(timeKey, 2), own)]
}

/** Distributes trades, at least `least` for each half, and volume if both halves have trades. */
export function shareAmounts(node: Node, left: Draft, right: Draft, { share, spread }: Cut, least = 0): void {
  const part = clamp(share + share * (1 - share) * spread * normal(node.key, 1), 0, 1)
  left.trades = clamp(shareTrades(node, part), least, node.trades - least)
  right.trades = node.trades - left.trades
  if (left.trades === 0 || right.trades === 0) return
  left.volume = shareVolume(node, left.trades, part)
  right.volume = node.volume - left.volume
}

/** A half with all trades equals the whole, in a shorter time. */
export function copyInto(half: Draft, node: Node): Draft {
  const { open, high, low, close, volume, trades, turnover, deviation } = node
  return Object.assign(half, { open, high, low, close, volume, trades, turnover, deviation })
}

function shareTrades(node: Node, part: number): number {
  const drawn = Math.floor(node.trades * part + uniform(node.key, 2))
  return node.trades - enough(node.trades - enough(clamp(drawn, 0, node.trades)))
}

const enough = (count: number): number => (count >= HALF_MIN ? count : count < HALF_MIN / 2 ? 0 : HALF_MIN)

/** Every trade has one share; the remaining volume is distributed by a draw. */
function shareVolume(node: Node, trades: number, part: number): number {
  const drawn = clamp(part + part * (1 - part) * 0.4 * normal(node.key, 3), 0, 1)
  return trades + Math.round((node.volume - node.trades) * drawn)
}

/** A candidate path. */
type Candidate = {
  /** The middle price, and the deviation of the left half's average from the middle of its ends. */
  readonly middle: number
  readonly bulge: number
  /** Turning points of the halves' walks. */
  readonly leftTurn: number
  readonly rightTurn: number
  /** Probability that the left half contains the high, and the low. */
  leftHigh: number
  leftLow: number
}

/** Draws several candidate paths and picks one by weight. The factors' contribution is the same in all. */
function chooseCandidate(node: Node, left: Node, right: Node, blend: Blend): Candidate {
  const { key, timeKey } = node
  const { own } = blend
  const forMiddle = sharedDraw(blend, timeKey, 14)
  const forAverage = sharedDraw(blend, timeKey, 18)
  const bridge = bridgeOf(node, left)
  const first = 1 / arcVariance(left.deviation)
  const second = 1 / arcVariance(right.deviation)
  let total = 0
  let chosen: Candidate | undefined
  for (let number = 0; number < CANDIDATES; number++) {
    const middle = middleOf(node, bridge, forMiddle + own * normal(key, 14 + number))
    const bulge = leftBulgeOf(node, bridge, middle, forAverage + own * normal(key, 18 + number))
    const candidate = candidateOf(node, middle, bulge, rightBulgeOf(bridge, middle, bulge))
    const weight =
      likelihood(node, first, second, candidate, 1) * likelihood(node, first, second, candidate, -1)
    total += weight
    // Weighted reservoir sampling.
    if (!chosen || uniform(key, 22 + number) * total < weight) chosen = candidate
  }
  return chosen!
}

const candidateOf = (
  { open, high, low, close }: Node,
  middle: number,
  bulge: number,
  rightBulge: number,
): Candidate => ({
  middle,
  bulge,
  leftTurn: clamp(turnOf(open, middle, bulge), low, high),
  rightTurn: clamp(turnOf(middle, close, rightBulge), low, high),
  leftHigh: 0.5,
  leftLow: 0.5,
})

/**
 * Likelihood, up to a constant, that the walks of a candidate stay below the high and just reach it, and by
 * which half; mirrored for the low.
 */
function likelihood(node: Node, first: number, second: number, candidate: Candidate, side: 1 | -1): number {
  const level = side === 1 ? node.high + HALF_TICK : HALF_TICK - node.low
  const a = level - side * node.open
  const b = level - side * candidate.leftTurn
  const c = level - side * candidate.middle
  const d = level - side * candidate.rightTurn
  const e = level - side * node.close
  const ab = decay(2 * a * b * first)
  const bc = decay(2 * b * c * first)
  const cd = decay(2 * c * d * second)
  const de = decay(2 * d * e * second)
  const leftStays = (1 - ab) * (1 - bc)
  const rightStays = (1 - cd) * (1 - de)
  const byLeft = ((a + b) * ab * (1 - bc) + (b + c) * bc * (1 - ab)) * first * rightStays
  const byRight = ((c + d) * cd * (1 - de) + (d + e) * de * (1 - cd)) * second * leftStays
  if (side === 1) candidate.leftHigh = byLeft / (byLeft + byRight)
  else candidate.leftLow = byLeft / (byLeft + byRight)
  return leftStays * rightStays * (byLeft + byRight)
}

/** Sets the prices of both halves; returns the wanted turnover of the left half. */
function sharePrices(node: Node, left: Draft, right: Draft, candidate: Candidate): number {
  const { key, open, high, low, close } = node
  const { middle } = candidate
  const step = Math.floor(uniform(key, 5) * 4)
  left.open = open
  left.close = middle
  right.open = clamp(middle + (step === 0 ? -1 : step === 3 ? 1 : 0), low, high)
  right.close = close
  const isHighLeft = uniform(key, 6) < candidate.leftHigh
  const isLowLeft = uniform(key, 7) < candidate.leftLow
  left.high = isHighLeft ? high : highOf(left, candidate.leftTurn, high)
  right.high = isHighLeft ? highOf(right, candidate.rightTurn, high) : high
  left.low = isLowLeft ? low : lowOf(left, candidate.leftTurn, low)
  right.low = isLowLeft ? lowOf(right, candidate.rightTurn, low) : low
  return ((open + middle) / 2 + candidate.bulge) * left.volume
}

/** The high of the half that does not contain the node's high; `lowOf` likewise. */
function highOf({ open, close, deviation, key }: Node, turn: number, limit: number): number {
  const drawn = highest(open, turn, close, arcVariance(deviation), limit, key, 30)
  return clamp(Math.round(drawn), Math.max(open, close), limit)
}
function lowOf({ open, close, deviation, key }: Node, turn: number, limit: number): number {
  const drawn = -highest(-open, -turn, -close, arcVariance(deviation), -limit, key, 32)
  return clamp(Math.round(drawn), limit, Math.min(open, close))
}
