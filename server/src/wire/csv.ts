export type CsvRow = Readonly<Record<string, unknown>>

/** Formats rows as CSV with a header line. */
export const csv = (columns: readonly string[], rows: readonly CsvRow[]): string =>
  csvLine(columns) + rows.map((row) => csvLine(cellsOf(columns, row))).join('')

export const cellsOf = (columns: readonly string[], row: CsvRow): readonly unknown[] =>
  columns.map((column) => row[column])

export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellOf).join(',')}\r\n`

/** Prefixes an apostrophe to text that a spreadsheet would run as a formula; negative numbers stay as they are. */
function cellOf(value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value)
  const safe = /^[=+@\t\r]|^-(?![\d.]+$)/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
