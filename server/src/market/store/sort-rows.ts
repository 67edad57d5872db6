import { appendOnce } from './one-time.ts'
import { appendRows, makeRows, type Rows } from './rows.ts'

/** Rows in order of time, each but once. Those in order already are handed back as they are. */
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

/** The numbers of the rows in order of time; those of one time stay in the order in which they came. */
function orderOf({ micros, nanos, count }: Rows): Uint32Array {
  const order = new Uint32Array(count)
  for (let row = 0; row < count; row++) order[row] = row
  return order.sort((a, b) => micros[a]! - micros[b]! || nanos[a]! - nanos[b]! || a - b)
}

/** The first row after `from` that has another time. */
export function endOfTime({ micros, nanos, count }: Rows, from: number): number {
  let row = from + 1
  while (row < count && micros[row] === micros[from] && nanos[row] === nanos[from]) row++
  return row
}
