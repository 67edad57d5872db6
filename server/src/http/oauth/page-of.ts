import { refuse } from '../../wire/refusal.ts'

/** The rows of one page; the token is the id of the last row of the previous page. */
export function pageOf<Row>(
  rows: readonly Row[],
  { limit, page_token: token }: { readonly limit: number; readonly page_token?: string | undefined },
  idOf: (row: Row) => string,
): readonly Row[] {
  if (token === undefined) return rows.slice(0, limit)
  const index = rows.findIndex((row) => idOf(row) === token)
  if (index < 0) throw refuse({ code: 'invalidParameter', problem: 'page_token: unknown token' })
  return rows.slice(index + 1, index + 1 + limit)
}
