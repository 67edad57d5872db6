import { averageMax, averageMin, clamp, type Node } from './node.ts'

/**
 * A random walk between two known ends with a known average, cut in two. Measured from the chord between its ends,
 * its middle is e, and the averages of its halves lie u and v off the middles of their own chords; the three are
 * independent, with variances that follow from the lengths of the halves. What is known is the weighted sum
 * e/2 + f·u + (1−f)·v, f being the left half's part of the volume: so e is drawn given the sum, then u given the
 * rest, and v is what is left.
 */
export type Bridge = {
  /** The chord where it is cut. */
  readonly chord: number
  /** The known sum. */
  readonly sum: number
  /** How much of the sum the middle is expected to take, and how far it spreads around that. */
  readonly slope: number
  readonly middleSpread: number
  /** The left half's part of the volume. */
  readonly left: number
  /** The part of the rest that f·u is expected to take, and its spread. */
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

/** A middle in whole ticks; what would leave the range is mirrored back into it. */
export function middleOf({ high, low }: Node, bridge: Bridge, chance: number): number {
  const drawn = Math.round(bridge.chord + bridge.slope * bridge.sum + bridge.middleSpread * chance)
  return clamp(drawn > high ? 2 * high - drawn : drawn < low ? 2 * low - drawn : drawn, low, high)
}

/**
 * How far the left half's average lies off the middle of its chord, once the price in the middle is known. Both
 * halves' averages stay where walks within the range have them; if they cannot, both are off by the same.
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

/** The right half's, which follows. */
export const rightBulgeOf = (bridge: Bridge, middle: number, left: number): number =>
  (restOf(bridge, middle) - bridge.left * left) / (1 - bridge.left)

const restOf = ({ sum, chord }: Bridge, middle: number): number => sum - (middle - chord) / 2
