import type { Tables } from './tables.ts'

type Row = Readonly<Record<string, unknown>>
/** Without `tables` nothing was changed. */
export type Outcome = {
  readonly rows: readonly Row[]
  readonly rowCount: number | null
  readonly tables?: Tables
}
// biome-ignore lint/suspicious/noExplicitAny: values of any type
export type Values = readonly any[]
/** The clock of the server, and the rows that other sessions have locked. */
export type ServerNow = { readonly nowMs: number; readonly isLocked: (row: string) => boolean }
export type Statement = {
  readonly run: (tables: Tables, values: Values, now: ServerNow) => Outcome
  /** The row that is locked until the transaction ends. */
  readonly locks?: (values: Values) => string
}

export const found = (rows: readonly Row[]): Outcome => ({ rows, rowCount: rows.length })
export const changed = (tables: Tables, rowCount: number | null, rows: readonly Row[] = []): Outcome => ({
  rows,
  rowCount,
  tables,
})
export const nothing: Outcome = { rows: [], rowCount: null }

export function singleLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}
