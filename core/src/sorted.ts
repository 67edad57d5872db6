/** Index at which a value is, or would be, in an ascending array. */
export function indexFor<Value extends bigint>(sorted: readonly Value[], value: Value): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
