import { appendRows, exactOf, FIELDS, type Rows, textAt } from './rows.ts'

/**
 * Appends rows of the same time without duplicates. The later of two duplicates replaces the earlier one. Bars of the same
 * time are duplicates; trades if they have the same id and exchange, or no id and equal columns; quotes if all columns
 * are equal.
 */
export function appendOnce(target: Rows, rows: Rows, from: number, to: number): void {
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
  if (rows.kind === 'trades' && !Number.isNaN(rows.numbers[ID]![row])) {
    const exact = textAt(rows, exactOf('trades', ID), row)
    return `${exact || rows.numbers[ID]![row]} ${textAt(rows, EXCHANGE, row)}`
  }
  const numbers = rows.numbers.map((column) => column[row])
  const texts = rows.texts.map((_, text) => textAt(rows, text, row))
  return JSON.stringify([numbers, texts])
}
