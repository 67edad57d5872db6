import { bridgeOf, leftBulgeOf, middleOf, rightBulgeOf } from './bridge.ts'
import { mix, normal, uniform } from './dice.ts'
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
import { reachFurther, shareTurnover } from './turnover.ts'
import { arcVariance, decay, highest, turnOf } from './walk.ts'

/** So many ways through the middle are drawn; one is chosen by how well it goes with the high and the low. */
const WAYS = 3
/** Prices are whole ticks: a walk that is said to reach one may go half a tick beyond it. */
const HALF_TICK = 0.5

/** Where a stretch is cut in two. */
export type Cut = {
  readonly middle: number
  /** The part of the trades expected before the middle, and how far that part spreads. */
  readonly share: number
  readonly spread: number
}

/**
 * Halves a stretch in time so that its two halves fold back into it, to the share and to the tick. In order:
 * trades are shared out, then volume, then the price in the middle and the averages of the halves are drawn, then
 * each half gets its high and low.
 */
export function split(node: Node, cut: Cut, blend: Blend): Halves {
  if (node.first + node.last === 0) return halve(node, cut, blend)
  return withAuctions(node, halve(withoutAuctions(node), cut, blend))
}

/** Gives the halves of a stretch without auctions what the auctions add. */
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
  const wanted = sharePrices(node, left, right, chooseWay(node, left, right, blend))
  if (!shareTurnover(node, left, right, wanted)) reachFurther(node, left, right)
  return [left, right]
}

export function draftHalves({ start, end, spot, key }: Node, { middle }: Cut): [Draft, Draft] {
  const own = key ^ spot
  return [draft(start, middle, mix(spot, 1), own), draft(middle, end, mix(spot, 2), own)]
}

/** Shares out trades, at least so many for each half, and volume where both halves have some. */
export function shareAmounts(node: Node, left: Draft, right: Draft, { share, spread }: Cut, least = 0): void {
  const part = clamp(share + share * (1 - share) * spread * normal(node.key, 1), 0, 1)
  left.trades = clamp(shareTrades(node, part), least, node.trades - least)
  right.trades = node.trades - left.trades
  if (left.trades === 0 || right.trades === 0) return
  left.volume = shareVolume(node, left.trades, part)
  right.volume = node.volume - left.volume
}

/** A half with all of the trades is the whole in a shorter time. */
export function copyInto(half: Draft, node: Node): Draft {
  const { open, high, low, close, volume, trades, turnover, deviation } = node
  return Object.assign(half, { open, high, low, close, volume, trades, turnover, deviation })
}

function shareTrades(node: Node, part: number): number {
  const drawn = Math.floor(node.trades * part + uniform(node.key, 2))
  return node.trades - enough(node.trades - enough(clamp(drawn, 0, node.trades)))
}

const enough = (count: number): number => (count >= HALF_MIN ? count : count < HALF_MIN / 2 ? 0 : HALF_MIN)

/** Every trade has a share; what is more than that is shared by the draw. */
function shareVolume(node: Node, trades: number, part: number): number {
  const drawn = clamp(part + part * (1 - part) * 0.4 * normal(node.key, 3), 0, 1)
  return trades + Math.round((node.volume - node.trades) * drawn)
}

/** A way through the middle. */
type Way = {
  /** The price in the middle, and how far the left half's average lies off the middle of its ends. */
  readonly middle: number
  readonly bulge: number
  /** Where the walks of the halves turn. */
  readonly leftTurn: number
  readonly rightTurn: number
  /** The probability that it is the left half which has the high, and the low. */
  leftHigh: number
  leftLow: number
}

/** Draws several ways and takes one by weight. What the factors contribute is the same in all of them. */
function chooseWay(node: Node, left: Node, right: Node, blend: Blend): Way {
  const { key, spot } = node
  const { own } = blend
  const forMiddle = sharedDraw(blend, spot, 14)
  const forAverage = sharedDraw(blend, spot, 18)
  const bridge = bridgeOf(node, left)
  const first = 1 / arcVariance(left.deviation)
  const second = 1 / arcVariance(right.deviation)
  let total = 0
  let chosen: Way | undefined
  for (let number = 0; number < WAYS; number++) {
    const middle = middleOf(node, bridge, forMiddle + own * normal(key, 14 + number))
    const bulge = leftBulgeOf(node, bridge, middle, forAverage + own * normal(key, 18 + number))
    const way = wayOf(node, middle, bulge, rightBulgeOf(bridge, middle, bulge))
    const weight = weigh(node, first, second, way, 1) * weigh(node, first, second, way, -1)
    total += weight
    // Each one replaces those before it with its share of the weight so far.
    if (!chosen || uniform(key, 22 + number) * total < weight) chosen = way
  }
  return chosen!
}

const wayOf = ({ open, high, low, close }: Node, middle: number, bulge: number, rightBulge: number): Way => ({
  middle,
  bulge,
  leftTurn: clamp(turnOf(open, middle, bulge), low, high),
  rightTurn: clamp(turnOf(middle, close, rightBulge), low, high),
  leftHigh: 0.5,
  leftLow: 0.5,
})

/**
 * How likely it is, up to a common factor, that the walks of a way stay below the high and just reach it, and by
 * which of them; for the low all is turned upside down.
 */
function weigh(node: Node, first: number, second: number, way: Way, side: 1 | -1): number {
  const level = side === 1 ? node.high + HALF_TICK : HALF_TICK - node.low
  const a = level - side * node.open
  const b = level - side * way.leftTurn
  const c = level - side * way.middle
  const d = level - side * way.rightTurn
  const e = level - side * node.close
  const ab = decay(2 * a * b * first)
  const bc = decay(2 * b * c * first)
  const cd = decay(2 * c * d * second)
  const de = decay(2 * d * e * second)
  const leftStays = (1 - ab) * (1 - bc)
  const rightStays = (1 - cd) * (1 - de)
  const byLeft = ((a + b) * ab * (1 - bc) + (b + c) * bc * (1 - ab)) * first * rightStays
  const byRight = ((c + d) * cd * (1 - de) + (d + e) * de * (1 - cd)) * second * leftStays
  if (side === 1) way.leftHigh = byLeft / (byLeft + byRight)
  else way.leftLow = byLeft / (byLeft + byRight)
  return leftStays * rightStays * (byLeft + byRight)
}

/** Gives the halves their prices; returns the turnover that the left one should have. */
function sharePrices(node: Node, left: Draft, right: Draft, way: Way): number {
  const { key, open, high, low, close } = node
  const { middle } = way
  const step = Math.floor(uniform(key, 5) * 4)
  left.open = open
  left.close = middle
  right.open = clamp(middle + (step === 0 ? -1 : step === 3 ? 1 : 0), low, high)
  right.close = close
  const isHighLeft = uniform(key, 6) < way.leftHigh
  const isLowLeft = uniform(key, 7) < way.leftLow
  left.high = isHighLeft ? high : highOf(left, way.leftTurn, high)
  right.high = isHighLeft ? highOf(right, way.rightTurn, high) : high
  left.low = isLowLeft ? low : lowOf(left, way.leftTurn, low)
  right.low = isLowLeft ? lowOf(right, way.rightTurn, low) : low
  return ((open + middle) / 2 + way.bulge) * left.volume
}

/** The high of the half that does not have the node's, and its low. */
function highOf({ open, close, deviation, key }: Node, turn: number, limit: number): number {
  const drawn = highest(open, turn, close, arcVariance(deviation), limit, key, 30)
  return clamp(Math.round(drawn), Math.max(open, close), limit)
}
function lowOf({ open, close, deviation, key }: Node, turn: number, limit: number): number {
  const drawn = -highest(-open, -turn, -close, arcVariance(deviation), -limit, key, 32)
  return clamp(Math.round(drawn), limit, Math.min(open, close))
}
