import { averageMax, averageMin, clamp, type Node } from './node.ts'

/**
 * A random walk between two known ends with a known average, cut in two. Relative to the chord between its
 * ends, its middle is e, and the averages of its halves deviate by u and v from the middles of their own
 * chords. The three are independent; their variances follow from the lengths of the halves. Known is the
 * weighted sum e/2 + f·u + (1−f)·v, where f is the left half's part of the volume. So e is drawn conditional
 * on the sum, then u conditional on the rest; v is the remainder.
 */
export type Bridge = {
  /** The chord at the cut. */
  readonly chord: number
  readonly sum: number
  /** Regression of the middle on the sum, and its residual deviation. */
  readonly slope: number
  readonly middleSpread: number
  /** The left half's part of the volume. */
  readonly left: number
  /** Expected part of the rest for f·u, and its deviation. */
  readonly part: number
  readonly spread: number
}

export function bridgeOf(node: Node, left: Node): Bridge {
  const { open, close, deviation } = node
  const p = left.trades / node.trades
  const f = left.volume / node.volume
  const variance = deviation * deviation
  const ofMiddle = variance * p * (1 - p)
  const ofLeft = (variance * p * f * f) / 12
  const ofRight = (variance * (1 - p) * (1 - f) * (1 - f)) / 12
  const chord = open + (close - open) * p
  const slope = ofMiddle / 2 / (ofMiddle / 4 + ofLeft + ofRight)
  return {
    chord,
    sum: node.turnover / node.volume - (f * open + chord + (1 - f) * close) / 2,
    slope,
    middleSpread: Math.sqrt(ofMiddle * (1 - slope / 2)),
    left: f,
    part: ofLeft / (ofLeft + ofRight),
    spread: Math.sqrt((ofLeft * ofRight) / (ofLeft + ofRight)),
  }
}

/** The middle in whole ticks, reflected at the range. */
export function middleOf({ high, low }: Node, bridge: Bridge, chance: number): number {
  const drawn = Math.round(bridge.chord + bridge.slope * bridge.sum + bridge.middleSpread * chance)
  return clamp(drawn > high ? 2 * high - drawn : drawn < low ? 2 * low - drawn : drawn, low, high)
}

/**
 * Deviation of the left half's average from the middle of its chord, given the price in the middle. Both
 * averages stay in the usual band of walks within the range; if that is impossible, both miss it equally.
 */
export function leftBulgeOf(node: Node, bridge: Bridge, middle: number, chance: number): number {
  const { open, close, high, low } = node
  const { left, part, spread } = bridge
  const rest = restOf(bridge, middle)
  const right = 1 - left
  const leftChord = (open + middle) / 2
  const rightChord = (middle + close) / 2
  const least = Math.max(
    left * (averageMin(open, middle, low) - leftChord),
    rest - right * (averageMax(middle, close, high) - rightChord),
  )
  const most = Math.min(
    left * (averageMax(open, middle, high) - leftChord),
    rest - right * (averageMin(middle, close, low) - rightChord),
  )
  return (least > most ? (least + most) / 2 : clamp(part * rest + spread * chance, least, most)) / left
}

/** The right half's deviation, which follows from the left one. */
export const rightBulgeOf = (bridge: Bridge, middle: number, left: number): number =>
  (restOf(bridge, middle) - bridge.left * left) / (1 - bridge.left)

const restOf = ({ sum, chord }: Bridge, middle: number): number => sum - (middle - chord) / 2
