import { type BarColumns, missing, rowsIn } from '@quipu/core'
import { NUMBER_BYTES, putAscii, putNumber, putTime, TIME_BYTES } from './json-bytes.ts'

/** The JSON form of one symbol's bars. */
export type BarForm = 'bars' | 'candles'

/** The bars of one symbol in a page, in pieces. */
export type BarPart = { readonly symbol: string; readonly pieces: readonly BarColumns[] }

/**
 * Writes bars from columns as JSON bytes, the same bytes as JSON.stringify of the records. Measured for a page of 10,000
 * bars: 4.6 ms, with JSON.stringify 17.6 ms. All pages share this buffer; each page is copied out before the next one is
 * written.
 */
let memory = new DataView(new ArrayBuffer(0))

/** `{"AAPL":[…],"MSFT":[…]}` between two pieces of ASCII. */
export function barMapJson(
  before: string,
  form: BarForm,
  parts: readonly BarPart[],
  after: string,
): Uint8Array<ArrayBuffer> {
  reserve(before, parts, after)
  let at = putAscii(memory, 0, `${before}{`)
  for (const [index, part] of parts.entries()) {
    at = putAscii(memory, at, `${index > 0 ? ',' : ''}${JSON.stringify(part.symbol)}:`)
    at = form === 'bars' ? putBars(memory, at, part) : putCandles(memory, at, part)
  }
  return copied(putAscii(memory, at, `}${after}`))
}

/** `[…]` of one symbol between two pieces of ASCII. */
export function barListJson(before: string, part: BarPart, after: string): Uint8Array<ArrayBuffer> {
  reserve(before, [part], after)
  return copied(putAscii(memory, putBars(memory, putAscii(memory, 0, before), part), after))
}

/** A row of either form is at most this long. */
const ROW_BYTES = 50 + TIME_BYTES + 7 * NUMBER_BYTES
/** The maximum length of the names and brackets of one symbol. */
const PART_BYTES = 200

function reserve(before: string, parts: readonly BarPart[], after: string): void {
  let bytes = before.length + after.length + PART_BYTES
  for (const { symbol, pieces } of parts) bytes += symbol.length + PART_BYTES + rowsIn(pieces) * ROW_BYTES
  if (memory.byteLength < bytes) memory = new DataView(new ArrayBuffer(bytes))
}

const copied = (end: number): Uint8Array<ArrayBuffer> => new Uint8Array(memory.buffer.slice(0, end))

function putBars(view: DataView, start: number, { pieces }: BarPart): number {
  let at = putAscii(view, start, '[')
  for (const piece of pieces) at = putRows(view, at, piece)
  // Overwrites the comma after the last bar.
  return putAscii(view, at === start + 1 ? at : at - 1, ']')
}

function putRows(view: DataView, start: number, columns: BarColumns): number {
  const { count, micros, nanos, open, high, low, close, volume, trades, vwap } = columns
  // A loop instead of seven calls, so that the compiler inlines putNumber.
  const numbers = [open, high, low, close, volume, trades]
  let at = start
  for (let row = 0; row < count; row++) {
    at = putTime(
      view,
      putKey(view, at, TIME),
      micros[row] ?? missing('a row'),
      nanos[row] ?? missing('a row'),
    )
    for (let number = 0; number < 6; number++) {
      const key = KEYS[number] ?? missing('a key')
      at = putNumber(view, putKey(view, at, key), numbers[number]?.[row] ?? missing('a row'))
    }
    view.setUint16(putKey(view, at, AVERAGE) - 1, QUOTE_COLON, true)
    at = putNumber(view, at + 6, vwap[row] ?? missing('a row'))
    view.setUint16(at, BRACE_COMMA, true)
    at += 2
  }
  return at
}

const [COMMA, COLON] = [44, 58]
/** Two bytes, little-endian. */
const [QUOTE_COLON, BRACE_COMMA] = [0x3a22, 0x2c7d]

/** The first four bytes of a key with five bytes; the fifth byte is the colon. */
const wordOf = (text: string): number => Buffer.from(text).readInt32LE()
const TIME = wordOf('{"t"')
const KEYS = Int32Array.from([',"o"', ',"h"', ',"l"', ',"c"', ',"v"', ',"n"'], wordOf)
const AVERAGE = wordOf(',"vw')

function putKey(view: DataView, at: number, word: number): number {
  view.setInt32(at, word, true)
  view.setUint8(at + 4, COLON)
  return at + 5
}

function putCandles(view: DataView, start: number, { pieces }: BarPart): number {
  let at = start
  for (const [name, before] of CANDLES) {
    const first = putAscii(view, at, before)
    at = first
    for (const piece of pieces) at = putColumn(view, at, piece, name)
    if (at > first) at -= 1
  }
  return putAscii(view, at, ']}')
}

const CANDLES = [
  ['micros', '{"time":['],
  ['open', '],"open":['],
  ['high', '],"high":['],
  ['low', '],"low":['],
  ['close', '],"close":['],
  ['volume', '],"volume":['],
] as const

/** Writes each number with a comma after it. Times are written in milliseconds. */
function putColumn(
  view: DataView,
  start: number,
  columns: BarColumns,
  name: (typeof CANDLES)[number][0],
): number {
  const column = columns[name]
  let at = start
  for (let row = 0; row < columns.count; row++) {
    const value = column[row] ?? missing('a row')
    at = putNumber(view, at, name === 'micros' ? Math.trunc(value / 1000) : value)
    view.setUint8(at++, COMMA)
  }
  return at
}
