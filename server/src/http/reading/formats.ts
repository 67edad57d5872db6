import type { Context } from '../context.ts'
import { prebuilt } from '../prebuilt.ts'

export type Format = 'json' | 'csv' | 'ndjson'

const types = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const

/** The format that is asked for: by name, or by Accept. */
export function formatOf({ request }: Context, named: Format): Format {
  if (named !== 'json') return named
  const accept = request.headers.accept ?? ''
  if (accept.includes('text/csv')) return 'csv'
  return accept.includes('application/x-ndjson') ? 'ndjson' : 'json'
}

export const isLive = ({ request }: Context): boolean =>
  request.headers.accept?.includes('text/event-stream') ?? false

type Row = Readonly<Record<string, unknown>>

/** Rows as lines; where the next page begins stands in a header. */
export function rowsAs<Output>(
  context: Context,
  format: Exclude<Format, 'json'>,
  columns: readonly string[],
  rows: readonly Row[],
  nextCursor: string | null,
): Output {
  if (nextCursor !== null) context.header('X-Quipu-Next-Cursor', nextCursor)
  const text = format === 'csv' ? csv(columns, rows) : rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  return prebuilt(text, types[format])
}

export const csv = (columns: readonly string[], rows: readonly Row[]): string =>
  [columns, ...rows.map((row) => columns.map((column) => row[column]))]
    .map((cells) => `${cells.map(cellOf).join(',')}\r\n`)
    .join('')

/** A text that a spreadsheet would take for a formula gets an apostrophe in front; numbers may begin with a minus. */
function cellOf(value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value)
  const safe = /^[=+@\t\r]|^-(?![\d.]+$)/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
