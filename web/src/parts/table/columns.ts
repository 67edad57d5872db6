import type { ComponentChildren } from 'preact'

/** A column of a data table. */
export type Column<Row> = {
  readonly id: string
  readonly title: string
  /** In rem. The table shares out what is left over in proportion, and cuts texts that are longer. */
  readonly width: number
  /** Numbers are at the right. */
  readonly isNumber?: true
  /** Shown only if the viewer chooses it. */
  readonly isExtra?: true
  /** Also on a phone, where the other columns have no space. */
  readonly onPhone?: true
  /** What rows are sorted by. */
  readonly key: (row: Row) => string | number
  /** The plain text, for the filter and the CSV. */
  readonly text: (row: Row) => string
  /** What the cell shows in other words than `text`: the filter finds them too. */
  readonly words?: (row: Row) => string
  /** The columns of the CSV, if they are others than this one. */
  readonly csv?: readonly CsvColumn<Row>[]
  readonly cell: (row: Row) => ComponentChildren
}

/** The least width of a column in rem: in a narrow table texts are cut before numbers are. */
export const leastWidth = <Row>({ width, isNumber }: Column<Row>, isSlim: boolean): number =>
  width * (isSlim ? 0.78 : isNumber ? 1 : 0.8)

type CsvColumn<Row> = Pick<Column<Row>, 'title' | 'text'>

/** The columns that a table has, and the one that it is sorted by first. */
export type Sort = { readonly id: string; readonly isDown: boolean }

/** The sorting after a click on a head: that column alone, or as an additional one. A second click turns it. */
export function nextSort(sorts: readonly Sort[], id: string, isAdded: boolean): readonly Sort[] {
  const known = sorts.find((one) => one.id === id)
  const next = { id, isDown: known ? !known.isDown : false }
  if (!isAdded) return [next]
  return known ? sorts.map((one) => (one.id === id ? next : one)) : [...sorts, next]
}

/** Sorted rows. Rows that are equal keep their order. */
export function sortedRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorts: readonly Sort[],
): readonly Row[] {
  const by = sorts.flatMap(({ id, isDown }) => {
    const column = columns.find((one) => one.id === id)
    return column ? [{ key: column.key, sign: isDown ? -1 : 1 }] : []
  })
  if (by.length === 0) return rows
  // Keys are computed once per row, not once per comparison.
  const keyed = rows.map((row) => ({ row, keys: by.map(({ key }) => key(row)) }))
  keyed.sort((a, b) => {
    for (const [index, { sign }] of by.entries()) {
      const [left, right] = [a.keys[index]!, b.keys[index]!]
      if (left !== right) return left < right ? -sign : sign
    }
    return 0
  })
  return keyed.map(({ row }) => row)
}

/** The rows that have every word of a text in one of their columns. */
export function filteredRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  text: string,
): readonly Row[] {
  // Cells show 1,440.87; the plain text is 1440.87.
  const plain = text.toLowerCase().replaceAll(/(?<=\d),(?=\d{3})/g, '')
  const words = plain.split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter((row) => {
    const texts = columns
      .map((column) => `${column.text(row)}\n${column.words?.(row) ?? ''}`)
      .join('\n')
      .toLowerCase()
    return words.every((word) => texts.includes(word))
  })
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
