import { formatInstant, missing } from '@quipu/core/values'
import { exactOf, FIELDS, instantAt, numberAt, type Rows, textAt } from '../market/store/index.ts'
import type { Batch } from './batch.ts'
import { plainDecimalText } from './decimal.ts'

/** A number of a row as the shortest exact decimal; '' if it is missing. */
export function numberText(rows: Rows, number: number, row: number): string {
  const value = numberAt(rows, number, row)
  if (Number.isNaN(value)) return ''
  const text = textAt(rows, exactOf(rows.kind, number), row) || String(value)
  return text.includes('e') ? (plainDecimalText(text) ?? text) : text
}

/** A header and the first rows, for display. */
export function shownRows(
  batch: Batch,
  rowsMax: number,
  symbol: string | undefined,
): readonly (readonly string[])[] {
  const { rows } = batch
  const { numbers, texts } = FIELDS[rows.kind]
  const bad = new Set(batch.faults.map(({ row }) => row))
  const shown = Array.from({ length: Math.min(rowsMax, rows.count) }, (_, row) => row).filter(
    (row) => !bad.has(row),
  )
  return [
    ['symbol', 'time', ...numbers, ...texts],
    ...shown.map((row) => [
      symbol ?? batch.names.list[batch.symbols[row] ?? missing('a row')] ?? missing('a symbol'),
      formatInstant(instantAt(rows, row)),
      ...numbers.map((_, number) => numberText(rows, number, row)),
      ...texts.map((_, text) => textAt(rows, text, row)),
    ]),
  ]
}
