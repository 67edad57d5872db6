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

/** Puts a value in its place. Most stand first or last, and need no general way. */
export function insert<Value extends bigint>(sorted: Value[], value: Value): void {
  const place = placeIn(sorted, value)
  if (place === sorted.length) sorted.push(value)
  else if (place === 0) sorted.unshift(value)
  else sorted.splice(place, 0, value)
}

/** Takes a value out that is there. */
export function remove<Value extends bigint>(sorted: Value[], value: Value): void {
  const place = placeIn(sorted, value)
  if (place === sorted.length - 1) sorted.pop()
  else if (place === 0) sorted.shift()
  else sorted.splice(place, 1)
}
