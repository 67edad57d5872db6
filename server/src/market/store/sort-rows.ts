import { appendOnce } from './one-time.ts'
import { appendRows, makeRows, type Rows } from './rows.ts'

/** Sorts rows by time and removes duplicates. Rows that already ascend are returned unchanged. */
export function sorted(rows: Rows): Rows {
  if (isRising(rows)) return rows
  const order = orderOf(rows)
  const inOrder = makeRows(rows.kind, rows.count)
  for (const row of order) appendRows(inOrder, rows, row, row + 1)
  const once = makeRows(rows.kind, rows.count)
  for (let from = 0; from < inOrder.count; ) {
    const to = endOfTime(inOrder, from)
    appendOnce(once, inOrder, from, to)
    from = to
  }
  return once
}

function isRising({ micros, nanos, count }: Rows): boolean {
  for (let row = 1; row < count; row++) {
    const step = micros[row]! - micros[row - 1]!
    if (step < 0 || (step === 0 && nanos[row]! <= nanos[row - 1]!)) return false
  }
  return true
}

/** The row indexes in order of time; rows of the same time keep their order. */
function orderOf({ micros, nanos, count }: Rows): Uint32Array {
  const order = new Uint32Array(count)
  for (let row = 0; row < count; row++) order[row] = row
  return order.sort((a, b) => micros[a]! - micros[b]! || nanos[a]! - nanos[b]! || a - b)
}

/** The first row after `from` with another time. */
export function endOfTime({ micros, nanos, count }: Rows, from: number): number {
  let row = from + 1
  while (row < count && micros[row] === micros[from] && nanos[row] === nanos[from]) row++
  return row
}
