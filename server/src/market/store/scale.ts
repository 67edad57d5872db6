/** Numbers with more decimals are stored as doubles. */
const SCALE_MAX = 15
/** Products of smaller integers and a power of ten round correctly, and their differences are exact. */
const INTEGER_MAX = 2 ** 50

const POWERS = Float64Array.from({ length: SCALE_MAX + 1 }, (_, scale) => 10 ** scale)

/**
 * Finds the least scale at which each value is an integer divided by 10^scale, and writes the integers. Dividing
 * gives exactly the same doubles. Returns -1 if there is no such scale, or if the integers are too large.
 */
export function scaleInto(values: Float64Array, integers: Float64Array, least = 0): number {
  let scale = least
  let power = POWERS[scale]!
  let largest = 0
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!
    let integer = Math.round(value * power)
    while (integer / power !== value) {
      if (++scale > SCALE_MAX) return -1
      power = POWERS[scale]!
      integer = Math.round(value * power)
    }
    integers[row] = integer
    const size = value < 0 ? -value : value
    if (size > largest) largest = size
  }
  if (largest * power > INTEGER_MAX) return -1
  // Rows before the last change of the scale need the final one.
  return scale === least ? scale : scaleInto(values, integers, scale)
}
