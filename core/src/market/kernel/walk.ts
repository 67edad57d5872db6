import { uniform } from './random.ts'

/**
 * Extremes of a random walk whose ends and average are known.
 *
 * A walk of variance V from x to y exceeds h with probability exp(−2(h−x)(h−y)/V). If its average is known to
 * be d above the middle between its ends, reaching a far h is as likely as if the walk turned 2d above that
 * middle at half time and each of its two arcs had variance V/3. This approximation is used, with each arc
 * taken as the higher of two: then near extremes also match simulated walks, to a few hundredths of √V.
 */
export const turnOf = (open: number, close: number, bulge: number): number => (open + close) / 2 + 2 * bulge
export const arcVariance = (deviation: number): number => (deviation * deviation) / 3

/** The maximum of an arc that stays below a level, drawn by inverting the distribution at `chance`. */
function arcTop(from: number, to: number, variance: number, level: number, chance: number): number {
  const below = 1 - decay((2 * (level - from) * (level - to)) / variance)
  const drawn = minusLog(1 - Math.sqrt(chance) * below)
  return (from + to + Math.sqrt((to - from) * (to - from) + 2 * variance * drawn)) / 2
}

/** The maximum of a walk that stays below a level. */
export const highest = (
  open: number,
  turn: number,
  close: number,
  variance: number,
  level: number,
  key: number,
  draw: number,
): number =>
  Math.max(
    arcTop(open, turn, variance, level, uniform(key, draw)),
    arcTop(turn, close, variance, level, uniform(key, draw + 1)),
  )

const SIXTH = 1 / 6

/** Approximates exp(−x) for x ≥ 0 with a division: within 2 % up to 4, an overestimate beyond. */
export function decay(x: number): number {
  const part = x * 0.125
  const once = 1 + part * (1 + part * (0.5 + part * SIXTH))
  const twice = once * once
  const fourth = twice * twice
  return 1 / (fourth * fourth)
}

/** −ln(x) for 0 < x ≤ 1, to within 2/10000: halvings, then the first terms of a series for the rest. */
export function minusLog(x: number): number {
  let rest = x
  let sum = 0
  for (; rest < 0.5; rest *= 2) sum += Math.LN2
  const ratio = (1 - rest) / (1 + rest)
  const square = ratio * ratio
  return sum + 2 * ratio * (1 + square * (1 / 3 + square / 5))
}
