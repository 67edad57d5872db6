/** More decimals than this are kept as doubles. */
const SCALE_MAX = 15
/** Differences of two such numbers, doubled, are still exact. */
export const WHOLE_MAX = 2 ** 51

const POWERS = Float64Array.from({ length: SCALE_MAX + 1 }, (_, scale) => 10 ** scale)

/**
 * The least scale, from `least` on, at which each number is a whole one divided by 10^scale: exactly this double comes
 * back. -1 if there is none, or the whole numbers get too large.
 */
export function scaleOf(values: Float64Array, least: number): number {
  let scale = least
  let power = POWERS[scale]!
  let top = 0
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!
    while (Math.round(value * power) / power !== value) {
      if (++scale > SCALE_MAX) return -1
      power = POWERS[scale]!
    }
    const size = value < 0 ? -value : value
    if (size > top) top = size
  }
  return top * power <= WHOLE_MAX ? scale : -1
}

export function unscaled(values: Float64Array, scale: number, wholes: Float64Array): void {
  const power = POWERS[scale]!
  for (let row = 0; row < values.length; row++) wholes[row] = Math.round(values[row]! * power)
}
