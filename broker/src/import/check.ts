import { missing, newYorkSeconds } from '@quipu/core/values'
import {
  appendRows,
  columnOf,
  FIELDS,
  isPairKey,
  isSymbol,
  makeRows,
  valueAt,
} from '../market/store/index.ts'
import type { Batch } from './batch.ts'
import { REQUIRED } from './fields.ts'
import { DATE_ONLY } from './times.ts'

const [OPEN, HIGH, LOW, CLOSE] = [0, 1, 2, 3] as const
/** Up to this value (in 2248) a double represents every microsecond exactly. */
const MICROS_MAX = 8.8e15

/** Rows that cannot be stored, with the reason, in order. `symbol` is set if all rows have the same one. */
export function faultsIn(
  batch: Batch,
  symbol: string | undefined,
): readonly { readonly row: number; readonly reason: string }[] {
  const found = [...batch.faults]
  const known = new Set(found.map(({ row }) => row))
  const report = (row: number, reason: string): void => {
    if (known.has(row)) return
    known.add(row)
    found.push({ row, reason })
  }
  checkTimes(batch, report)
  checkNumbers(batch, report)
  if (batch.rows.kind === 'bars') checkBars(batch, report)
  if (symbol === undefined) checkSymbols(batch, report)
  return found.sort((a, b) => a.row - b.row)
}

function checkSymbols(batch: Batch, report: Report): void {
  for (const [number, name] of batch.names.list.entries())
    if (!isSymbol(name))
      for (let row = 0; row < batch.rows.count; row++)
        if (batch.symbols[row] === number)
          report(row, `symbol: expected a symbol, received ${JSON.stringify(name)}`)
}

type Report = (row: number, reason: string) => void

function checkTimes({ rows: { micros, count } }: Batch, report: Report): void {
  for (let row = 0; row < count; row++) {
    const at = valueAt(micros, row)
    if (!(at >= 0 && at < MICROS_MAX)) report(row, 'time: expected a time from 1970 to 2248')
  }
}

function checkNumbers({ rows }: Batch, report: Report): void {
  const { numbers: names } = FIELDS[rows.kind]
  for (const [number, name] of names.entries()) {
    const isRequired = REQUIRED[rows.kind].includes(name)
    const column = columnOf(rows, number)
    for (let row = 0; row < rows.count; row++) {
      const value = valueAt(column, row)
      if (value >= 0 && (name !== 'id' || Number.isInteger(value))) continue
      if (value >= 0) report(row, `id: expected a whole number, received ${value}`)
      else if (value < 0) report(row, `${name}: expected a number of at least 0, received ${value}`)
      else if (isRequired) report(row, `${name}: expected a number, received none`)
    }
  }
}

function checkBars({ rows }: Batch, report: Report): void {
  const { count } = rows
  const [opens, closes] = [columnOf(rows, OPEN), columnOf(rows, CLOSE)]
  const [highs, lows] = [columnOf(rows, HIGH), columnOf(rows, LOW)]
  for (let row = 0; row < count; row++) {
    const high = valueAt(highs, row)
    const low = valueAt(lows, row)
    if (high < low) report(row, `expected the high (${high}) not to be below the low (${low})`)
    else if (opens[row] === 0 || closes[row] === 0) report(row, 'expected prices above 0')
  }
}

/** Converts dates to midnight: in New York for stocks, in UTC for crypto pairs. */
export function settleDates({ rows, symbols, names }: Batch, symbol: string | undefined): void {
  const { micros, nanos, count } = rows
  const arePairs = names.list.map((name) => isPairKey(symbol ?? name))
  for (let row = 0; row < count; row++) {
    if (nanos[row] !== DATE_ONLY) continue
    nanos[row] = 0
    if (!arePairs[symbols[row] ?? missing('a row')])
      micros[row] = newYorkSeconds(valueAt(micros, row) / 86_400e6, 0) * 1e6
  }
}

/** Treats midnight UTC in daily bars as a date, because no New York session starts then. */
export function settleUtcMidnights({ rows, symbols, names }: Batch, symbol: string | undefined): void {
  const arePairs = names.list.map((name) => isPairKey(symbol ?? name))
  for (let row = 0; row < rows.count; row++) {
    const day = valueAt(rows.micros, row) / 86_400e6
    if (Number.isInteger(day) && rows.nanos[row] === 0 && !arePairs[symbols[row] ?? missing('a row')])
      rows.micros[row] = newYorkSeconds(day, 0) * 1e6
  }
}

/** The batch without some rows. */
export function without(batch: Batch, rows: ReadonlySet<number>): Batch {
  if (rows.size === 0) return batch
  const { count, kind } = batch.rows
  const kept = makeRows(kind, count)
  const symbols = new Uint32Array(count)
  const lines = new Float64Array(count)
  for (let row = 0; row < count; row++) {
    if (rows.has(row)) continue
    symbols[kept.count] = batch.symbols[row] ?? missing('a row')
    lines[kept.count] = valueAt(batch.lines, row)
    appendRows(kept, batch.rows, row, row + 1)
  }
  return { ...batch, rows: kept, symbols, lines, faults: [] }
}
