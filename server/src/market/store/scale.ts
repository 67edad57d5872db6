/** More decimals than this are kept as doubles. */
const SCALE_MAX = 15
/** Products with a power of ten come within a quarter of such numbers, and twice their difference is exact. */
export const WHOLE_MAX = 2 ** 50

const POWERS = Float64Array.from({ length: SCALE_MAX + 1 }, (_, scale) => 10 ** scale)

/**
 * The least scale at which each number of all columns is a whole one divided by 10^scale, which then are in `wholes`:
 * exactly these doubles come back. -1 if there is none, or the whole numbers get too large.
 */
export function scaleInto(columns: readonly Float64Array[], wholes: readonly Float64Array[]): number {
  let scale = 0
  for (let column = 0; column < columns.length; ) {
    const fits = scaleColumn(columns[column]!, wholes[column]!, scale)
    if (fits < 0) return -1
    // What came before is done again at the larger scale.
    column = fits > scale ? 0 : column + 1
    scale = fits
  }
  return scale
}

/** The scale that was asked for, or the least larger one that fits. */
function scaleColumn(values: Float64Array, wholes: Float64Array, least: number): number {
  let scale = least
  let power = POWERS[scale]!
  let top = 0
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!
    let whole = Math.round(value * power)
    while (whole / power !== value) {
      if (++scale > SCALE_MAX) return -1
      power = POWERS[scale]!
      whole = Math.round(value * power)
    }
    wholes[row] = whole
    const size = value < 0 ? -value : value
    if (size > top) top = size
  }
  if (top * power > WHOLE_MAX) return -1
  // The first ones may stand at a smaller scale.
  return scale === least ? scale : scaleColumn(values, wholes, scale)
}
