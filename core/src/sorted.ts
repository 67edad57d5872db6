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

/** Like `splice`, which takes six times as long for the few elements that most of these lists have. */
export function insertAt<Value>(list: Value[], index: number, value: Value): void {
  if (list.length - index > FEW) {
    list.splice(index, 0, value)
    return
  }
  for (let at = list.length; at > index; at--) list[at] = list[at - 1]!
  list[index] = value
}

export function removeAt(list: unknown[], index: number): void {
  if (list.length - index > FEW) {
    list.splice(index, 1)
    return
  }
  for (let at = index + 1; at < list.length; at++) list[at - 1] = list[at]
  list.pop()
}

const FEW = 32
