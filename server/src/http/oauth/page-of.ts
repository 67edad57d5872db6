import { refuse } from '../../wire/refusal.ts'

/** So many rows beyond the one that the page before ended with. */
export function pageOf<Row>(
  rows: readonly Row[],
  { limit, page_token: last }: { readonly limit: number; readonly page_token?: string | undefined },
  idOf: (row: Row) => string,
): readonly Row[] {
  if (last === undefined) return rows.slice(0, limit)
  const at = rows.findIndex((row) => idOf(row) === last)
  if (at < 0) throw refuse({ code: 'invalidParameter', problem: 'page_token: unknown token' })
  return rows.slice(at + 1, at + 1 + limit)
}
