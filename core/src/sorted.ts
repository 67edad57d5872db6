/** Where a value stands, or would stand, in an ascending array. */
export function placeIn<Value extends bigint>(sorted: readonly Value[], value: Value): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
