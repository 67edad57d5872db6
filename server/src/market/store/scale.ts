/** More decimals than this are kept as doubles. */
const SCALE_MAX = 15
/** Products with a power of ten come within a quarter of such numbers, and twice their difference is exact. */
export const WHOLE_MAX = 2 ** 50

const POWERS = Float64Array.from({ length: SCALE_MAX + 1 }, (_, scale) => 10 ** scale)

/**
 * The least scale at which each number of all columns is a whole one divided by 10^scale: exactly this double comes
 * back. -1 if there is none, or the whole numbers get too large. What fits a scale fits each larger one.
 */
export function scaleOf(columns: readonly Float64Array[]): number {
  let scale = 0
  let power = 1
  let top = 0
  for (const values of columns)
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
