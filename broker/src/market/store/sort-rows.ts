import { appendRows, exactOf, FIELDS, makeRows, nanosAt, type Rows, textAt, valueAt } from './rows.ts'

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

function isRising(rows: Rows): boolean {
  const { micros, count } = rows
  for (let row = 1; row < count; row++) {
    const step = valueAt(micros, row) - valueAt(micros, row - 1)
    if (step < 0 || (step === 0 && nanosAt(rows, row) <= nanosAt(rows, row - 1))) return false
  }
  return true
}

/** The row indexes in order of time; rows of the same time keep their order. */
function orderOf(rows: Rows): Uint32Array {
  const { micros, count } = rows
  const order = new Uint32Array(count)
  for (let row = 0; row < count; row++) order[row] = row
  return order.sort(
    (a, b) => valueAt(micros, a) - valueAt(micros, b) || nanosAt(rows, a) - nanosAt(rows, b) || a - b,
  )
}

/** The first row after `from` with another time. */
function endOfTime({ micros, nanos, count }: Rows, from: number): number {
  let row = from + 1
  while (row < count && micros[row] === micros[from] && nanos[row] === nanos[from]) row++
  return row
}

/**
 * Appends rows of the same time without duplicates. The later of two duplicates replaces the earlier one. Bars of the same
 * time are duplicates; trades if they have the same id and exchange, or no id and equal columns; quotes if all columns
 * are equal.
 */
function appendOnce(target: Rows, rows: Rows, from: number, to: number): void {
  if (to - from === 1) return appendRows(target, rows, from, to)
  // A Map keeps the position of a key that is set again.
  const kept = new Map<string, number>()
  for (let row = from; row < to; row++) kept.set(identity(rows, row), row)
  for (const row of kept.values()) appendRows(target, rows, row, row + 1)
}

const ID = FIELDS.trades.numbers.indexOf('id')
const EXCHANGE = FIELDS.trades.texts.indexOf('exchange')

function identity(rows: Rows, row: number): string {
  if (rows.kind === 'bars') return ''
  if (rows.kind === 'trades' && !Number.isNaN(rows.numbers[ID]?.[row])) {
    const exact = textAt(rows, exactOf('trades', ID), row)
    return `${exact || rows.numbers[ID]?.[row]} ${textAt(rows, EXCHANGE, row)}`
  }
  const numbers = rows.numbers.map((column) => column[row])
  const texts = rows.texts.map((_, text) => textAt(rows, text, row))
  return JSON.stringify([numbers, texts])
}
