import { uniform } from './dice.ts'

/**
 * The law of the extremes of a random walk whose two ends are known. A walk of deviation s from x to y exceeds
 * h with probability exp(−2(h−x)(h−y)/s²); all below follows from that. Prices are whole ticks, so an end that
 * lies at the extreme counts as half a tick below it.
 */
const HALF_TICK = 0.5

/** How likely each half of a walk is the one that reaches its extreme, up to a common factor. */
export type Odds = { readonly left: number; readonly right: number }

/** `open`, `middle` and `close` are distances from the extreme, all at least 0. */
export function odds(
  open: number,
  middle: number,
  close: number,
  leftDeviation: number,
  rightDeviation: number,
): Odds {
  const [from, through, to] = [open + HALF_TICK, middle + HALF_TICK, close + HALF_TICK]
  const leftVariance = leftDeviation * leftDeviation
  const rightVariance = rightDeviation * rightDeviation
  const leftBeyond = decay((2 * from * through) / leftVariance)
  const rightBeyond = decay((2 * through * to) / rightVariance)
  return {
    left: (((from + through) * leftBeyond) / leftVariance) * (1 - rightBeyond),
    right: (((through + to) * rightBeyond) / rightVariance) * (1 - leftBeyond),
  }
}

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
