import type { Context } from './command.ts'

type Speaker = Pick<Context, 'json' | 'say'>

/** Rows as lines whose columns line up; the last column is left as it is. */
export function columns(
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number> = new Set(),
): readonly string[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [index, cell] of row.entries())
      if (index < row.length - 1 || right.has(index))
        widths[index] = Math.max(widths[index] ?? 0, cell.length)
  const padded = (cell: string, index: number): string =>
    right.has(index) ? cell.padStart(widths[index]!) : cell.padEnd(widths[index] ?? 0)
  return rows.map((row) => row.map(padded).join('  ').trimEnd())
}

/** A column of a list: its header, the cell of a row, and whether it holds numbers, which are aligned at their end. */
export type Column<Row> = readonly [
  header: string,
  cell: (row: Row) => string | number | null | undefined,
  align?: 'right',
]

/** The lines of a list: a header and one line per row. */
export function tableLines<Row>(rows: readonly Row[], table: readonly Column<Row>[]): readonly string[] {
  const right = new Set(table.flatMap(([, , align], index) => (align === 'right' ? [index] : [])))
  const cells = rows.map((row) => table.map(([, cell]) => String(cell(row) ?? '-')))
  return columns([table.map(([header]) => header), ...cells], right)
}

/** Answers with a list: a table for a person, one JSON line for a program. */
export function list<Row>(
  { json, say }: Speaker,
  rows: readonly Row[],
  table: readonly Column<Row>[],
  none: string,
): 0 {
  say(json ? JSON.stringify(rows) : rows.length === 0 ? none : tableLines(rows, table).join('\n'))
  return 0
}

/** Answers with one record. */
export function shown({ json, say }: Speaker, record: object): 0 {
  say(json ? JSON.stringify(record) : recordLines(record as Readonly<Record<string, unknown>>).join('\n'))
  return 0
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/

/** `2026-11-02 14:30:00`: to the second and without the zone, which the header of the column names. */
export const utc = (timestamp: string | null | undefined): string | undefined =>
  timestamp?.replace(TIMESTAMP, '$1 $2')

/** The same to the millisecond, for what follows closely. */
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

/** A record as lines of name and value. Lists of records become tables, indented. */
export function recordLines(record: Readonly<Record<string, unknown>>): readonly string[] {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined)
  const plain = entries.filter(([, value]) => !isFilled(value))
  const nested = entries.filter(([, value]) => isFilled(value))
  return [
    ...columns(plain.map(([name, value]) => [name, typeof value === 'object' ? 'none' : textOf(value)])),
    ...nested.flatMap(([name, value]) => [name, ...inner(value as object).map((line) => `  ${line}`)]),
  ]
}

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : String(value ?? '-').replace(TIMESTAMP, '$1 $2 UTC')

function inner(value: object): readonly string[] {
  if (!Array.isArray(value)) return recordLines(value as Record<string, unknown>)
  const records = value.filter((one) => typeof one === 'object' && one !== null)
  if (records.length < value.length) return value.map(textOf)
  const names = [...new Set(records.flatMap((one) => Object.keys(one)))]
  return tableLines(
    records,
    names.map((name): Column<Record<string, unknown>> => [name, (row) => textOf(row[name])]),
  )
}

/** `1 event`, `2 events` */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
