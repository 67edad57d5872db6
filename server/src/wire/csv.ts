export type Row = Readonly<Record<string, unknown>>

/** Rows as CSV, with a head line. */
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
