import { definedFields, entryIn } from '@quipu/core/values'
import type { CommandContext } from './command.ts'

type Printer = Pick<CommandContext, 'json' | 'print' | 'width'>

/** Rows as lines with aligned columns. */
export const columns = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = widest([], rows)
  return rows.map((row) => lineOf(row, widths))
}

/**
 * A column of a list: its header, the cell of a row, and its format: `right` for numbers, which are right-aligned, or
 * the length to which its text may be shortened. Columns are ordered by importance: on a narrow terminal texts are
 * shortened, then the last columns are dropped. The first one stays.
 */
export type Column<Row> = readonly [
  header: string,
  cell: (row: Row) => string | number | null | undefined,
  format?: 'right' | number,
]

/** The lines of a list: a header and one line per row. */
export function tableLines<Row>(
  rows: readonly Row[],
  table: readonly Column<Row>[],
  width: number,
): readonly string[] {
  const cells = [headersOf(table), ...rows.map((row) => cellsOf(row, table))]
  const widths = fitted(widest([], cells), table, width)
  return cells.map((row) => lineOf(row, widths, table))
}

/** The same for rows that arrive one by one: the first row prints the header, and columns grow with their cells. */
export function tableStream<Row>(table: readonly Column<Row>[], width: number): (row: Row) => string {
  let grown: readonly number[] | undefined
  return (row) => {
    const cells = cellsOf(row, table)
    const isFirst = grown === undefined
    grown = widest(grown ?? [], [headersOf(table), cells])
    const widths = fitted(grown, table, width)
    return (isFirst ? [headersOf(table), cells] : [cells])
      .map((line) => lineOf(line, widths, table))
      .join('\n')
  }
}

const headersOf = (table: readonly Column<never>[]): readonly string[] => table.map(([header]) => header)

const cellsOf = <Row>(row: Row, table: readonly Column<Row>[]): readonly string[] =>
  table.map(([, cell]) => String(cell(row) ?? '-'))

function widest(widths: readonly number[], rows: readonly (readonly string[])[]): readonly number[] {
  const wider = [...widths]
  for (const row of rows)
    for (const [index, cell] of row.entries()) wider[index] = Math.max(wider[index] ?? 0, cell.length)
  return wider
}

const GAP = 2

/** Fits the columns into a line; width 0 drops a column. */
function fitted(
  widths: readonly number[],
  table: readonly Column<never>[],
  width: number,
): readonly number[] {
  const minimum = widths.map((wanted, index) => {
    const format = table[index]?.[2]
    return typeof format === 'number' ? Math.min(format, wanted) : wanted
  })
  let [spaceLeft, kept] = [width - minimum[0]!, 1]
  while (kept < minimum.length && minimum[kept]! + GAP <= spaceLeft) spaceLeft -= minimum[kept++]! + GAP
  return minimum.map((needed, index) => {
    if (index >= kept) return 0
    const more = Math.max(0, Math.min(spaceLeft, widths[index]! - needed))
    spaceLeft -= more
    return needed + more
  })
}

function lineOf(
  cells: readonly string[],
  widths: readonly number[],
  table: readonly Column<never>[] = [],
): string {
  const padded = cells.flatMap((cell, index) => {
    const width = widths[index]!
    if (width === 0) return []
    const text = cell.length > width ? `${cell.slice(0, width - 1).trimEnd()}…` : cell
    return [table[index]?.[2] === 'right' ? text.padStart(width) : text.padEnd(width)]
  })
  return padded.join(' '.repeat(GAP)).trimEnd()
}

/** Prints a list: a table for a person, one JSON line for a program. */
export function printList<Row>(
  { json, print, width }: Printer,
  rows: readonly Row[],
  table: readonly Column<Row>[],
  none: string,
): 0 {
  return printText({ json, print }, rows, ...(rows.length === 0 ? [none] : tableLines(rows, table, width)))
}

/** Prints rows as they arrive. */
export async function printStream<Row>(
  { json, print, width }: Printer,
  rows: AsyncIterable<Row>,
  table: readonly Column<Row>[],
): Promise<0> {
  const lineOf = tableStream(table, width)
  for await (const row of rows) print(json ? JSON.stringify(row) : lineOf(row))
  return 0
}

/** The printer of a change without a response: `ID is deleted`, for the argument with the id. */
export const done =
  (argument: string, what: string) =>
  ({ args, json, print }: CommandContext): 0 => {
    const id = entryIn(args, argument)
    const record = { [argument.toLowerCase()]: id, [what]: true }
    return printText({ json, print }, record, `${id} is ${what.replace('_', ' ')}`)
  }

/** Prints one record. */
export const printRecord = (context: Printer, record: object): 0 =>
  printText(context, record, ...recordLines(record as Readonly<Record<string, unknown>>, context.width))

/** Prints lines for a person, one JSON line for a program. */
export function printText(
  { json, print }: Pick<CommandContext, 'json' | 'print'>,
  record: object,
  ...lines: readonly string[]
): 0 {
  print(json ? JSON.stringify(record) : lines.join('\n'))
  return 0
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/

/** `2026-11-02 14:30:00`: to the second and without the zone, which the header of the column names. */
export const utc = (timestamp: string | null | undefined): string | undefined =>
  timestamp?.replace(TIMESTAMP, '$1 $2')

/** The same to the millisecond, for events in quick succession. */
export const utcMs = (timestamp: string): string =>
  timestamp.replace(
    TIMESTAMP,
    (_, date, time, fraction = '.') => `${date} ${time}${fraction.slice(0, 4).padEnd(4, '0')}`,
  )

const MONEY = /^-?\d+(\.\d+)?$/

/** `100,000.00`: dollars in whole cents. */
export function dollars(amount: string | null | undefined): string | undefined {
  if (typeof amount !== 'string' || !MONEY.test(amount)) return undefined
  const [whole = '', cents = ''] = amount.split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${cents.slice(0, 2).padEnd(2, '0')}`
}

/** A record as lines of name and value. Lists of records become indented tables, or records if they are too wide. */
export function recordLines(
  record: Readonly<Record<string, unknown>>,
  width = Number.POSITIVE_INFINITY,
): readonly string[] {
  const entries = Object.entries(definedFields(record))
  const plain = entries.filter(([, value]) => !isFilled(value))
  const nested = entries.filter(([, value]) => isFilled(value))
  return [
    ...columns(plain.map(([name, value]) => [name, typeof value === 'object' ? 'none' : textOf(value)])),
    ...nested.flatMap(([name, value]) => [name, ...indented(nestedLines(value as object, width - 2))]),
  ]
}

export const indented = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => (line === '' ? '' : `  ${line}`))

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : String(value ?? '-').replace(TIMESTAMP, '$1 $2 UTC')

function nestedLines(value: object, width: number): readonly string[] {
  if (!Array.isArray(value)) return recordLines(value as Record<string, unknown>, width)
  const records = value.filter((one) => typeof one === 'object' && one !== null)
  if (records.length < value.length) return value.map(textOf)
  const names = [...new Set(records.flatMap((one) => Object.keys(one)))]
  const lines = columns([names, ...records.map((row) => names.map((name) => textOf(row[name])))])
  if (lines.every(({ length }) => length <= width)) return lines
  return records.flatMap((one, index) => [...(index > 0 ? [''] : []), ...recordLines(one, width)])
}

/** `1 event`, `2 events` */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
