import { ImportStopped } from './failures.ts'

export type CsvHeader = {
  readonly delimiter: number
  readonly names: readonly string[]
  /** Without a header, columns are named by their number, from 1. */
  readonly hasHeader: boolean
}

const DELIMITERS = [',', ';', '\t'] as const

/** The separator and the column names, from the start of a file. */
export function csvHeader(file: string, head: Buffer): CsvHeader {
  const line = head
    .toString('utf8')
    .split(/\r?\n/)
    .find((one) => one.trim() !== '')
  if (line === undefined) throw new ImportStopped(`${file}: expected rows, but the file is empty`)
  const counts = DELIMITERS.map((delimiter) => splitLine(line, delimiter).length)
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))]!
  const cells = splitLine(line, delimiter).map((cell) => cell.trim())
  const hasHeader = !cells.some((cell) => /^[+-]?[\d.]+([eE][+-]?\d+)?$/.test(cell))
  return {
    delimiter: delimiter.charCodeAt(0),
    names: hasHeader ? cells : cells.map((_, index) => String(index + 1)),
    hasHeader,
  }
}

/** The cells of a line, without surrounding quotes; a doubled quote inside a cell becomes one quote. */
export function splitLine(line: string, delimiter: string): readonly string[] {
  if (!line.includes('"')) return line.split(delimiter)
  const cells: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!
    if (isQuoted && char === '"' && line[at + 1] === '"') cell += line[at++]
    else if (char === '"') isQuoted = !isQuoted
    else if (char === delimiter && !isQuoted) {
      cells.push(cell)
      cell = ''
    } else cell += char
  }
  return [...cells, cell]
}
