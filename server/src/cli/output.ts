/** Rows as lines whose columns line up; the last column is left as it is. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [index, cell] of row.slice(0, -1).entries())
      widths[index] = Math.max(widths[index] ?? 0, cell.length)
  return rows.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index]!)))
      .join('  ')
      .trimEnd(),
  )
}

/** A record as lines of name and value; lists of records are told one per line, indented. */
export function recordLines(record: Readonly<Record<string, unknown>>): readonly string[] {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined)
  const plain = entries.filter(([, value]) => !isFilled(value))
  const nested = entries.filter(([, value]) => isFilled(value))
  return [
    ...columns(plain.map(([name, value]) => [name, typeof value === 'object' ? 'none' : String(value)])),
    ...nested.flatMap(([name, value]) => [name, ...inner(value as object).map((line) => `  ${line}`)]),
  ]
}

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

function inner(value: object): readonly string[] {
  if (!Array.isArray(value)) return recordLines(value as Record<string, unknown>)
  return value.map((one) =>
    typeof one === 'object' && one !== null ? Object.values(one).join('  ') : String(one),
  )
}

/** `1 event`, `2 events` */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
