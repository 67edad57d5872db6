import type { ComponentChildren } from 'preact'
import type { RowColumn, Sort } from './row-order.ts'

/** A column of a data table. */
export type Column<Row> = RowColumn<Row> & {
  readonly title: string
  /** In rem. The table shares out what is left over in proportion, and cuts texts that are longer. */
  readonly width: number
  /** Numbers are at the right. */
  readonly isNumber?: true
  /** Shown only if the viewer chooses it. */
  readonly isExtra?: true
  /** Also on a phone, where the other columns have no space. */
  readonly onPhone?: true
  /** The columns of the CSV, if they are others than this one. */
  readonly csv?: readonly CsvColumn<Row>[]
  readonly cell: (row: Row) => ComponentChildren
}

/** The least width of a column in rem: in a narrow table texts are cut before numbers are. */
export const leastWidth = <Row>({ width, isNumber }: Column<Row>, isSlim: boolean): number =>
  width * (isSlim ? 0.78 : isNumber ? 1 : 0.8)

type CsvColumn<Row> = Pick<Column<Row>, 'title' | 'text'>

/** The sorting after a click on a head: that column alone, or as an additional one. A second click turns it. */
export function nextSort(sorts: readonly Sort[], id: string, isAdded: boolean): readonly Sort[] {
  const known = sorts.find((one) => one.id === id)
  const next = { id, isDown: known ? !known.isDown : false }
  if (!isAdded) return [next]
  return known ? sorts.map((one) => (one.id === id ? next : one)) : [...sorts, next]
}

const BYTE_ORDER_MARK = '\uFEFF'

/** Rows as CSV. Spreadsheets run a text that begins with a sign as a formula, so it gets an apostrophe. */
export function csvOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const quoted = (text: string): string => {
    const safe = /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  const parts = columns.flatMap((column): readonly CsvColumn<Row>[] => column.csv ?? [column])
  const lines = rows.map((row) => parts.map(({ text }) => quoted(text(row))).join())
  const file = [parts.map(({ title }) => quoted(title)).join(), ...lines, ''].join('\r\n')
  // Without the mark Excel reads letters beyond ASCII in the encoding of the system.
  return /[^\0-\x7f]/.test(file) ? BYTE_ORDER_MARK + file : file
}

/** The keys between two rows, both included. */
export function keysBetween(keys: readonly string[], from: string, to: string): readonly string[] {
  const [first, last] = [keys.indexOf(from), keys.indexOf(to)]
  if (first < 0 || last < 0) return last < 0 ? [] : [to]
  return keys.slice(Math.min(first, last), Math.max(first, last) + 1)
}
