import { putVarint, Sink, Source } from './bytes.ts'
import { putNumbers, takeExact, takeNumbers } from './number-columns.ts'
import { type Kind, makeRows, type Rows } from './rows.ts'
import { putTexts, takeTexts } from './text-columns.ts'

/** Rows of a block, unless it is the last of its series. */
export const BLOCK_ROWS = 4096

/** Rows `from` up to `to`, in order of time, as bytes. Good until the next call. */
export function encodeBlock(rows: Rows, from: number, to: number): Buffer {
  sink.at = 0
  sink.varint(to - from)
  putTimes(sink, rows, from, to)
  putNumbers(sink, rows, from, to)
  putTexts(sink, rows, from, to)
  return sink.bytes.subarray(0, sink.at)
}

const sink = new Sink()

export function decodeBlock(kind: Kind, bytes: Buffer): Rows {
  const source = new Source(bytes)
  const count = source.varint()
  const rows = makeRows(kind, count)
  rows.count = count
  takeTimes(source, rows)
  takeNumbers(source, rows)
  takeTexts(source, rows)
  takeExact(rows)
  if (source.at !== bytes.length)
    throw new Error(`bug: a block of ${bytes.length} bytes ends at ${source.at}`)
  return rows
}

/** Days, hours, minutes, seconds, milliseconds and microseconds: the longest that divides all distances is the unit. */
const UNITS = [86_400e6, 3_600e6, 60e6, 1e6, 1e3, 1]

/** The first microsecond, the unit, how many of it come between rows; then the nanoseconds below, unless all are 0. */
function putTimes(sink: Sink, rows: Rows, from: number, to: number): void {
  const { micros, nanos } = rows
  const first = micros[from]!
  let unit = 0
  for (let row = from; row < to; row++) while (!divides(UNITS[unit]!, micros[row]! - first)) unit++
  sink.double(first)
  sink.byte(unit)
  const length = UNITS[unit]!
  sink.reserve((to - from) * 8)
  for (let row = from + 1; row < to; row++)
    sink.at = putVarint(sink.bytes, sink.at, (micros[row]! - micros[row - 1]!) / length)
  const below = nanos.subarray(from, to)
  const isFine = below.some((value) => value !== 0)
  sink.byte(isFine ? 1 : 0)
  if (isFine) for (const value of below) sink.varint(value)
}

/** Faster than `%`, which is slow for doubles. */
const divides = (unit: number, distance: number): boolean => Math.floor(distance / unit) * unit === distance

function takeTimes(source: Source, rows: Rows): void {
  const { micros, nanos, count } = rows
  micros[0] = source.double()
  const unit = UNITS[source.byte()]!
  for (let row = 1; row < count; row++) micros[row] = micros[row - 1]! + source.varint() * unit
  if (source.byte() === 1) for (let row = 0; row < count; row++) nanos[row] = source.varint()
}
