import { unreachable } from '@quipu/core/values'
import { clearRows, columnOf, exactOf, FIELDS, makeRows, type Rows, setText } from '../market/store/index.ts'
import { readDecimal } from './decimal.ts'
import { ImportStopped } from './failures.ts'
import type { Plan } from './plan.ts'
import { putDateAndClock, putImportTime, type TimeFault } from './times.ts'
import type { ImportZone } from './zone.ts'

/** Default number of rows per batch. */
export const BATCH_ROWS = 8192

/** The input of a row reader. */
export type Reading = {
  readonly file: string
  readonly plan: Plan
  readonly zone: ImportZone | undefined
  /** Maximum number of rows per batch. */
  readonly rowsMax?: number
}

/** Unchecked rows of any symbols. */
export type Batch = {
  readonly rows: Rows
  /** For each row: the index of its symbol in `names`, and its line in the file. */
  readonly symbols: Uint32Array
  readonly lines: Float64Array
  readonly names: SymbolNames
  /** Rows that could not be read, in order. */
  readonly faults: { readonly row: number; readonly reason: string }[]
  /** The last value of the period column. */
  period: string
  /** Bytes of the file that were read so far. */
  bytes: number
}

/** The symbols of a file by index; index 0 is for rows without a symbol. */
export class SymbolNames {
  readonly list: string[] = ['']
  readonly #numbers = new Map<string, number>([['', 0]])

  numberOf(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.list.push(name) - 1
    this.#numbers.set(name, number)
    return number
  }
}

export function makeBatch({ plan, rowsMax = BATCH_ROWS }: Reading, names: SymbolNames): Batch {
  const rows = makeRows(plan.kind, rowsMax)
  const read = new Set(plan.targets.map((target) => (target?.to === 'number' ? target.index : -1)))
  for (const [index, column] of rows.numbers.entries()) if (!read.has(index)) column.fill(Number.NaN)
  const [symbols, lines] = [new Uint32Array(rowsMax), new Float64Array(rowsMax)]
  return { rows, symbols, lines, names, faults: [], period: '', bytes: 0 }
}

/** Removes all rows and keeps the memory. */
export function clearBatch({ rows, faults }: Batch): void {
  clearRows(rows)
  faults.length = 0
}

/** Writes texts into the columns of a row, following the plan. Used for all but the simplest cells. */
export class RowWriter {
  readonly #reading: Reading
  readonly #columns: readonly string[]
  readonly #hasDate: boolean
  #date = ''
  #clock = ''
  #isDay = false

  constructor(reading: Reading) {
    this.#reading = reading
    const { mapping, targets } = reading.plan
    const columns = [...mapping.values()]
    this.#hasDate = mapping.has('date')
    let next = 0
    this.#columns = targets.map((target) => (target ? (columns[next++] ?? '') : ''))
  }

  /** Reads one cell. An unreadable cell becomes a fault of the row. */
  put(batch: Batch, row: number, column: number, text: string): void {
    const target = this.#reading.plan.targets[column]
    if (!target) return
    switch (target.to) {
      case 'number':
        return this.#number(batch, row, column, target.index, text)
      case 'text':
        return setText(batch.rows, target.index, row, this.#text(target.index, text))
      case 'time':
        return this.#reportTime(batch, row, text, putImportTime(batch.rows, row, text, this.#reading.zone))
      case 'symbol':
        batch.symbols[row] = batch.names.numberOf(text.trim())
        return
      case 'period':
        batch.period = text.trim()
        this.#isDay = /^[dwm]/i.test(batch.period)
        return
      case 'date':
        this.#date = text
        return
      case 'clock':
        this.#clock = text
        return
      default:
        return unreachable(target)
    }
  }

  /** Reads a typed cell. A list is stored as JSON. */
  putValue(batch: Batch, row: number, column: number, value: unknown): void {
    const target = this.#reading.plan.targets[column]
    if (target?.to === 'number' && typeof value === 'number') {
      columnOf(batch.rows, target.index)[row] = value
      if (Math.abs(value) === Number.POSITIVE_INFINITY) this.put(batch, row, column, String(value))
    } else if (typeof value === 'string') this.put(batch, row, column, value)
    else if (value === null || value === undefined) this.put(batch, row, column, '')
    else this.put(batch, row, column, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }

  /** Call after the last cell: combines a date column and a time column. */
  finish(batch: Batch, row: number): void {
    if (!this.#hasDate) return
    const [date, clock] = [this.#date, this.#clock]
    const parts = { date, clock, isDay: this.#isDay }
    this.#reportTime(
      batch,
      row,
      `${date} ${clock}`,
      putDateAndClock(batch.rows, row, parts, this.#reading.zone),
    )
    this.#date = ''
    this.#clock = ''
  }

  #number(batch: Batch, row: number, column: number, number: number, text: string): void {
    const { rows } = batch
    const decimal = readDecimal(text)
    if (decimal === undefined) {
      columnOf(rows, number)[row] = Number.NaN
      batch.faults.push({
        row,
        reason: `${this.#columns[column]}: expected a number, received ${short(text)}`,
      })
    } else if (decimal === 'absent') columnOf(rows, number)[row] = Number.NaN
    else {
      columnOf(rows, number)[row] = decimal.value
      setText(rows, exactOf(rows.kind, number), row, decimal.exact)
    }
  }

  #text(index: number, text: string): string {
    const field = FIELDS[this.#reading.plan.kind].texts[index]
    if (field === 'conditions') return conditionsOf(text)
    return field === 'tape' ? (TAPES[text.trim()] ?? text.trim()) : text.trim()
  }

  #reportTime(batch: Batch, row: number, text: string, fault: TimeFault | undefined): void {
    if (fault === undefined) return
    if (fault === 'noZone')
      throw new ImportStopped(
        `${this.#reading.file}:${batch.lines[row]}: ${short(text)} has no time zone; ` +
          'add --timezone America/New_York (or UTC)',
      )
    batch.faults.push({
      row,
      reason: `time: expected a date, an ISO time or an epoch, received ${short(text)}`,
    })
  }
}

export const short = (text: string): string =>
  JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)

/** Some providers number the tapes. */
const TAPES: Readonly<Record<string, string>> = { 1: 'A', 2: 'B', 3: 'C' }

/**
 * A list as JSON: from JSON, from Python output (`['@', 'T']`, `['@' 'T']`), or from comma-separated codes.
 */
export function conditionsOf(text: string): string {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed === 'nan' || trimmed === 'None') return ''
  const inner = /^\[(.*)\]$/s.exec(trimmed)?.[1]
  if (inner === undefined) return JSON.stringify(trimmed.split(',').map((code) => code.trim() || ' '))
  const codes = [...inner.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s,"']+)/g)]
  return JSON.stringify(
    codes.map(([, json, python, bare]) => (json !== undefined ? JSON.parse(`"${json}"`) : (python ?? bare))),
  )
}
