import { csv, type Row } from '../../wire/csv.ts'
import type { Context } from '../context.ts'
import { prebuilt } from '../prebuilt.ts'

export type Format = 'json' | 'csv' | 'ndjson'

const types = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const

const spoken = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'text/event-stream': 'live',
} as const

/** What Accept likes best of what is spoken here, the first of equals; JSON where it names none. */
function liked({ request }: Context): Format | 'live' {
  let best: Format | 'live' = 'json'
  let weightOfBest = 0
  for (const range of (request.headers.accept ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const found = spoken[type as keyof typeof spoken]
    const weight = Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1)
    if (found && weight > weightOfBest) [best, weightOfBest] = [found, weight]
  }
  return best
}

/** The format that is asked for: by name, or by Accept. */
export function formatOf(context: Context, named: Format): Format {
  if (named !== 'json') return named
  const best = liked(context)
  return best === 'live' ? 'json' : best
}

export const isLive = (context: Context): boolean => liked(context) === 'live'

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
