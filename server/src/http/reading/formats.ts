import { type CsvRow, csv } from '../../wire/csv.ts'
import type { Context } from '../context.ts'
import { prebuilt } from '../prebuilt.ts'

export type Format = 'json' | 'csv' | 'ndjson'

export const formatTypes = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const

const formats = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'text/event-stream': 'live',
} as const

/** The supported format with the highest weight in Accept, the first of equals. Default: JSON. */
function preferred({ request }: Context): Format | 'live' {
  let best: Format | 'live' = 'json'
  let weightOfBest = 0
  for (const range of (request.headers.accept ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const found = formats[type as keyof typeof formats]
    const weight = Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1)
    if (found && weight > weightOfBest) [best, weightOfBest] = [found, weight]
  }
  return best
}

/** The requested format: by name, or by Accept. */
export function readingFormat(context: Context, named: Format): Format {
  if (named !== 'json') return named
  const best = preferred(context)
  return best === 'live' ? 'json' : best
}

export const isLive = (context: Context): boolean => preferred(context) === 'live'

/** Rows as lines; a header has the cursor of the next page. */
export function rowsAs<Output>(
  context: Context,
  format: Exclude<Format, 'json'>,
  columns: readonly string[],
  rows: readonly CsvRow[],
  nextCursor: string | null,
): Output {
  if (nextCursor !== null) context.header('X-Quipu-Next-Cursor', nextCursor)
  const text = format === 'csv' ? csv(columns, rows) : rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  return prebuilt(text, formatTypes[format])
}
