import { appendRows, exactOf, FIELDS, type Rows, textAt } from './rows.ts'

/**
 * Adds rows of one and the same time to others, each but once. Where two are the same one, the later takes the place of
 * the earlier: bars always are; trades if they have the same id and exchange, or no id and nothing differs; quotes if
 * nothing differs.
 */
export function appendOnce(target: Rows, rows: Rows, from: number, to: number): void {
  if (to - from === 1) return appendRows(target, rows, from, to)
  // A key that is set again keeps its place.
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
