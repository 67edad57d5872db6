import { uniform } from './dice.ts'

/**
 * The law of the extremes of a random walk whose two ends are known. A walk of deviation s from x to y exceeds
 * h with probability exp(−2(h−x)(h−y)/s²); all below follows from that. Prices are whole ticks, so an end that
 * lies at the extreme counts as half a tick below it.
 */
const HALF_TICK = 0.5

/** A walk cut in two, seen from one of its extremes: distances from it, all at least 0, and variances. */
export type Cut = {
  readonly open: number
  readonly middle: number
  readonly close: number
  readonly left: number
  readonly right: number
}

/** How likely a walk through this middle has this extreme, up to a common factor. */
export function likelihood(cut: Cut): number {
  const leftBeyond = beyond(cut.open, cut.middle, cut.left)
  const rightBeyond = beyond(cut.middle, cut.close, cut.right)
  return (
    reaching(cut.open, cut.middle, cut.left, leftBeyond) * (1 - rightBeyond) +
    reaching(cut.middle, cut.close, cut.right, rightBeyond) * (1 - leftBeyond)
  )
}

/** The probability that the left half is the one that reaches the extreme. */
export function leftPart(cut: Cut): number {
  const leftBeyond = beyond(cut.open, cut.middle, cut.left)
  const rightBeyond = beyond(cut.middle, cut.close, cut.right)
  return (reaching(cut.open, cut.middle, cut.left, leftBeyond) * (1 - rightBeyond)) / likelihood(cut)
}

/** The probability to go beyond the extreme, and the density of just reaching it. */
const beyond = (from: number, to: number, variance: number): number =>
  decay((2 * (from + HALF_TICK) * (to + HALF_TICK)) / variance)

const reaching = (from: number, to: number, variance: number, beyond: number): number =>
  ((from + to + 2 * HALF_TICK) * beyond) / variance

/** How far beyond the nearer of its ends, `apart` from each other, a walk goes: a draw from the law. */
export function overshoot(apart: number, deviation: number, key: number, draw: number): number {
  const chance = uniform(key, draw)
  // −ln(1 − chance) to within a few hundredths, and never above 2.5.
  const exponential = (chance * (6 - chance)) / (6 - 4 * chance)
  return (Math.sqrt(apart * apart + 2 * deviation * deviation * exponential) - apart) / 2
}

/** Falls from 1 like exp(−x), but by division alone; far out it is the larger one, which does no harm. */
export function decay(x: number): number {
  return 1 / (1 + x * (1 + x * (0.5 + x * (1 / 6 + x / 24))))
}
