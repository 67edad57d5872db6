import type { BarColumns } from '@quipu/core'
import { NUMBER_BYTES, putAscii, putNumber } from './number-json.ts'
import { putTime, TIME_BYTES } from './time-json.ts'

/** What a symbol's part of an answer looks like. */
export type BarForm = 'bars' | 'candles'

/** One symbol's part of a page: the first `count` rows. */
export type Part = { readonly symbol: string; readonly columns: BarColumns; readonly count: number }

/**
 * JSON of bars, byte by byte from columns: the same bytes that JSON.stringify makes of the records. Pages are made one
 * at a time in the memory of the one before, and copied out.
 */
let memory = new DataView(new ArrayBuffer(0))

/** `{"AAPL":[…],"MSFT":[…]}` between two pieces of ASCII. */
export function barMapJson(before: string, form: BarForm, parts: readonly Part[], after: string): Uint8Array {
  reserve(before, parts, after)
  let at = putAscii(memory, 0, `${before}{`)
  for (const [index, part] of parts.entries()) {
    at = putAscii(memory, at, `${index > 0 ? ',' : ''}${JSON.stringify(part.symbol)}:`)
    at = form === 'bars' ? putBars(memory, at, part) : putCandles(memory, at, part)
  }
  return copied(putAscii(memory, at, `}${after}`))
}

/** `[…]` of one symbol between two pieces of ASCII. */
export function barListJson(before: string, part: Part, after: string): Uint8Array {
  reserve(before, [part], after)
  return copied(putAscii(memory, putBars(memory, putAscii(memory, 0, before), part), after))
}

/** No row of either form is longer. */
const ROW_BYTES = 50 + TIME_BYTES + 7 * NUMBER_BYTES
/** The names and brackets of a symbol's part. */
const PART_BYTES = 200

function reserve(before: string, parts: readonly Part[], after: string): void {
  let most = before.length + after.length + PART_BYTES
  for (const { symbol, count } of parts) most += symbol.length + PART_BYTES + count * ROW_BYTES
  if (memory.byteLength < most) memory = new DataView(new ArrayBuffer(most))
}

function copied(end: number): Uint8Array {
  // Memory that is not cleared first.
  const bytes = Buffer.allocUnsafeSlow(end)
  bytes.set(new Uint8Array(memory.buffer, 0, end))
  return bytes
}

function putBars(view: DataView, start: number, { columns, count }: Part): number {
  const { micros, nanos, open, high, low, close, volume, trades, vwap } = columns
  let at = putAscii(view, start, '[')
  for (let row = 0; row < count; row++) {
    if (row > 0) view.setUint8(at++, COMMA)
    at = putTime(view, putWord(view, at, START), micros[row]!, nanos[row]!)
    at = putNumber(view, putWord(view, at, OPEN), open[row]!)
    at = putNumber(view, putWord(view, at, HIGH), high[row]!)
    at = putNumber(view, putWord(view, at, LOW), low[row]!)
    at = putNumber(view, putWord(view, at, CLOSE), close[row]!)
    at = putNumber(view, putWord(view, at, VOLUME), volume[row]!)
    at = putNumber(view, putWord(view, at, TRADES), trades[row]!)
    view.setUint16(putWord(view, at, AVERAGE) - 1, QUOTE_COLON, true)
    at = putNumber(view, at + 6, vwap[row]!)
    view.setUint8(at++, BRACE)
  }
  return putAscii(view, at, ']')
}

const [COMMA, COLON, BRACE] = [44, 58, 125]
const QUOTE_COLON = 0x3a22

/** The first four bytes of a key of five, whose last is a colon. */
const wordOf = (text: string): number => Buffer.from(text).readInt32LE()
const START = wordOf('{"t"')
const [OPEN, HIGH, LOW, CLOSE] = [wordOf(',"o"'), wordOf(',"h"'), wordOf(',"l"'), wordOf(',"c"')]
const [VOLUME, TRADES, AVERAGE] = [wordOf(',"v"'), wordOf(',"n"'), wordOf(',"vw')]

function putWord(view: DataView, at: number, word: number): number {
  view.setInt32(at, word, true)
  view.setUint8(at + 4, COLON)
  return at + 5
}

function putCandles(view: DataView, start: number, { columns, count }: Part): number {
  let at = putAscii(view, start, '{"time":[')
  for (let row = 0; row < count; row++) {
    if (row > 0) view.setUint8(at++, COMMA)
    at = putNumber(view, at, Math.trunc(columns.micros[row]! / 1000))
  }
  for (const name of ['open', 'high', 'low', 'close', 'volume'] as const) {
    at = putAscii(view, at, `],"${name}":[`)
    const column = columns[name]
    for (let row = 0; row < count; row++) {
      if (row > 0) view.setUint8(at++, COMMA)
      at = putNumber(view, at, column[row]!)
    }
  }
  return putAscii(view, at, ']}')
}
