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

/** Up to this number of elements, moving one by one is faster than `splice`. */
const FEW = 32

export function insertAt<Value>(list: Value[], index: number, value: Value): void {
  const end = list.length
  if (end - index > FEW) {
    list.splice(index, 0, value)
    return
  }
  list.push(value)
  for (let at = end; at > index; at--) list[at] = list[at - 1]!
  list[index] = value
}

export function removeAt(list: unknown[], index: number): void {
  const last = list.length - 1
  if (last - index > FEW) {
    list.splice(index, 1)
    return
  }
  for (let at = index; at < last; at++) list[at] = list[at + 1]
  list.pop()
}
