import { mix, normal, uniform } from './dice.ts'
import {
  bulge,
  clamp,
  type Draft,
  draft,
  HALF_MIN,
  type Halves,
  highLikely,
  likely,
  lowLikely,
  type Node,
  turnoverMax,
  turnoverMin,
} from './node.ts'
import { type Cut, decay, leftPart, likelihood, overshoot } from './walk.ts'

/** So many middles are drawn; one is chosen by how well it goes with the high and the low. */
const CANDIDATES = 3

/**
 * Halves a stretch in time so that its two halves fold back into it, to the share and to the tick. In order:
 * trades are shared out, then volume, then the price in the middle is drawn, then each half gets its high and
 * low, then the turnover is shared. `share` is the part of the trades expected before `middle`.
 */
export function split(node: Node, middle: number, share: number, coupling: number): Halves {
  const { key, marketKey } = node
  const left = draft(node.start, middle, mix(key, 1), mix(marketKey, 1))
  const right = draft(middle, node.end, mix(key, 2), mix(marketKey, 2))
  const part = clamp(share + share * (1 - share) * 0.35 * normal(key, 1), 0, 1)
  left.trades = shareTrades(node, part)
  right.trades = node.trades - left.trades
  if (left.trades === 0) return [undefined, copy(right, node)]
  if (right.trades === 0) return [copy(left, node), undefined]
  left.volume = shareVolume(node, left.trades, part)
  right.volume = node.volume - left.volume
  left.deviation = node.deviation * Math.sqrt(left.trades / node.trades)
  right.deviation = node.deviation * Math.sqrt(right.trades / node.trades)
  left.open = node.open
  right.close = node.close
  sharePrices(node, left, right, coupling)
  if (!shareTurnover(node, left, right)) reachFurther(node, left, right)
  return [left, right]
}

/** A half with all of the trades is the whole in a shorter time. */
function copy(half: Draft, { open, high, low, close, volume, trades, turnover, deviation }: Node): Node {
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

/** The price in the middle, and which half has the high and which the low. */
function sharePrices(node: Node, left: Draft, right: Draft, coupling: number): void {
  const { high, low, key } = node
  left.close = chooseMiddle(node, left, right, coupling)
  const step = Math.floor(uniform(key, 5) * 4)
  right.open = clamp(left.close + (step === 0 ? -1 : step === 3 ? 1 : 0), low, high)
  const highSide = uniform(key, 6) < leftPart(fromHigh(node, left, right, left.close)) ? left : right
  const lowSide = uniform(key, 7) < leftPart(fromLow(node, left, right, left.close)) ? left : right
  finish(node, left, highSide, lowSide)
  finish(node, right, highSide, lowSide)
}

function finish(node: Node, half: Draft, highSide: Draft, lowSide: Draft): void {
  const { open, close, deviation, key } = half
  const apart = Math.abs(close - open)
  const above = Math.floor(overshoot(apart, deviation, key, 30) + uniform(key, 31))
  const below = Math.floor(overshoot(apart, deviation, key, 32) + uniform(key, 33))
  half.high = half === highSide ? node.high : Math.min(node.high, Math.max(open, close) + above)
  half.low = half === lowSide ? node.low : Math.max(node.low, Math.min(open, close) - below)
}

/** The walk through a middle as its high sees it, and as its low does. */
const fromHigh = ({ high, open, close }: Node, left: Node, right: Node, middle: number): Cut => ({
  open: high - open,
  middle: high - middle,
  close: high - close,
  left: left.deviation * left.deviation,
  right: right.deviation * right.deviation,
})

const fromLow = ({ low, open, close }: Node, left: Node, right: Node, middle: number): Cut => ({
  open: open - low,
  middle: middle - low,
  close: close - low,
  left: left.deviation * left.deviation,
  right: right.deviation * right.deviation,
})

/** Draws several middles and takes one by how likely the walk through it has this high and this low. */
function chooseMiddle(node: Node, left: Node, right: Node, coupling: number): number {
  const part = left.trades / node.trades
  let total = 0
  let chosen = node.open
  for (let candidate = 0; candidate < CANDIDATES; candidate++) {
    const middle = drawMiddle(node, part, coupling, 14 + candidate)
    const weight =
      likelihood(fromHigh(node, left, right, middle)) *
      likelihood(fromLow(node, left, right, middle)) *
      fit(node, part, middle)
    total += weight
    // Each one replaces those before it with its share of the weight so far.
    if (uniform(node.key, 22 + candidate) * total < weight) chosen = middle
  }
  return chosen
}

/** How well a middle goes with the average price: best if the two chords through it have it as their own. */
function fit(node: Node, part: number, middle: number): number {
  const chords = (part * node.open + middle + (1 - part) * node.close) / 2
  const off = (node.turnover / node.volume - chords) / (0.25 * node.deviation)
  return decay((off * off) / 2)
}

/**
 * Of a random walk with these ends and this average, the middle lies one and a half times as far off the chord
 * as the average does, give or take a quarter of its deviation.
 */
function drawMiddle(node: Node, part: number, coupling: number, draw: number): number {
  const { open, close, high, low } = node
  const own = Math.sqrt(1 - coupling * coupling) * normal(node.key, draw)
  const chance = coupling * normal(node.marketKey, draw) + own
  const width = 4 * part * (1 - part)
  const expected = open + (close - open) * part + 1.5 * width * bulge(node)
  const drawn = Math.round(expected + 0.25 * node.deviation * Math.sqrt(width) * chance)
  // What would leave the range is mirrored back into it.
  const mirrored = drawn > high ? 2 * high - drawn : drawn < low ? 2 * low - drawn : drawn
  return clamp(mirrored, low, high)
}

/** Shares the turnover, if the prices of the halves allow it: as expected, off by a draw, within what is likely. */
function shareTurnover(node: Node, left: Draft, right: Draft): boolean {
  const { turnover, volume } = node
  const min = Math.max(turnoverMin(left), turnover - turnoverMax(right))
  const max = Math.min(turnoverMax(left), turnover - turnoverMin(right))
  if (min > max) return false
  const expected = likely(left) * left.volume + likely(right) * right.volume
  const chance = 0.14 * node.deviation * normal(node.key, 12)
  const drawn = (likely(left) + (turnover - expected) / volume + chance) * left.volume
  const least = Math.max(lowLikely(left) * left.volume, turnover - highLikely(right) * right.volume)
  const most = Math.min(highLikely(left) * left.volume, turnover - lowLikely(right) * right.volume)
  const wanted = least > most ? (least + most) / 2 : clamp(drawn, least, most)
  left.turnover = clamp(Math.round(wanted), min, max)
  right.turnover = turnover - left.turnover
  return true
}

/**
 * Makes room for a turnover that the halves cannot have. First both reach for the extreme that is too far, then
 * they meet at it, then one or both get the whole range: one of these always fits.
 */
function reachFurther(node: Node, left: Draft, right: Draft): void {
  const isLow = node.turnover < turnoverMin(left) + turnoverMin(right)
  const extreme = isLow ? node.low : node.high
  for (const middle of [left.close, extreme]) {
    if (middle === extreme) left.close = right.open = extreme
    for (const half of [left, right]) {
      half.high = isLow ? Math.max(half.high, half.open, half.close) : node.high
      half.low = isLow ? node.low : Math.min(half.low, half.open, half.close)
    }
    if (shareTurnover(node, left, right)) return
  }
  for (const middle of [node.low, node.high])
    for (const owner of ['both', 'left', 'right']) {
      left.close = right.open = middle
      reach(left, owner !== 'right' ? node : left)
      reach(right, owner !== 'left' ? node : right)
      if (shareTurnover(node, left, right)) return
    }
  throw new Error(`bug: no halves for ${JSON.stringify({ ...node, halves: undefined })}`)
}

function reach(half: Draft, owner: Node): void {
  half.high = owner === half ? Math.max(half.open, half.close) : owner.high
  half.low = owner === half ? Math.min(half.open, half.close) : owner.low
}
