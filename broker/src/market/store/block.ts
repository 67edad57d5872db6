import { itemAt, keysOf, missing } from '@quipu/core/values'
import {
  columnOf,
  exactOf,
  makeRows,
  type RowKind,
  type Rows,
  rowCode,
  textAt,
  textColumn,
  valueAt,
} from './rows.ts'

/**
 * A block is a header and columns. The header is JSON and begins after its length (four bytes, little-endian); spaces
 * fill it up, and zeros each column, to a multiple of eight bytes. Times and scaled numbers are integers, stored as the
 * first value and the differences between neighbours, in the smallest integer type that holds all differences.
 */
type Header = {
  readonly rows: number
  /** Microseconds, nanoseconds, then the numbers of the kind. A column without values is null. */
  readonly numbers: readonly (NumberColumn | null)[]
  /** Text columns, each with the words of its codes from 1 on. A column without texts is null. */
  readonly texts: readonly (TextColumn | null)[]
}
/** `same`: all differences are `step`. `raw`: doubles that are no scaled integers. */
type NumberColumn = {
  readonly type: 'same' | 'raw' | keyof typeof INTEGERS
  readonly first: number
  readonly step?: number
  readonly scale?: number | undefined
  /** Rows without a value. */
  readonly missing?: readonly number[] | undefined
}
type TextColumn = { readonly words: readonly string[]; readonly codes: NumberColumn }

const INTEGERS = { int8: Int8Array, int16: Int16Array, int32: Int32Array, double: Float64Array } as const
const LIMITS = { int8: 2 ** 7, int16: 2 ** 15, int32: 2 ** 31, double: Number.POSITIVE_INFINITY } as const
const ALIGNMENT = 8

/** Encodes rows `from` to `to` (exclusive), in ascending time. */
export function encodeBlock(rows: Rows, from: number, to: number): Uint8Array {
  const pieces: Uint8Array[] = []
  const number = (values: Float64Array): NumberColumn | null => putNumbers(pieces, values)
  const numbers = [
    number(rows.micros.slice(from, to)),
    number(Float64Array.from(rows.nanos.subarray(from, to))),
    ...rows.numbers.map((_, index) => number(valuesOf(rows, index, from, to))),
  ]
  const texts = rows.texts.map((_, text) => putTexts(pieces, rows, text, from, to))
  return withHeader({ rows: to - from, numbers, texts }, pieces)
}

/** The number of rows that a block claims to have. */
export const rowsInBlock = (bytes: Uint8Array): number => headerOf(bytes).header.rows

function headerOf(bytes: Uint8Array): { readonly header: Header; readonly end: number } {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  const json = Buffer.from(bytes.buffer, bytes.byteOffset + 4, length).toString()
  return { header: JSON.parse(json) as Header, end: 4 + length }
}

export function decodeBlock(kind: RowKind, bytes: Uint8Array): Rows {
  const { header, end } = headerOf(bytes)
  const source = { bytes: aligned(bytes), at: end }
  const rows = makeRows(kind, header.rows)
  rows.count = header.rows
  const [micros = null, nanos = null, ...numbers] = header.numbers
  takeNumbers(source, micros, rows.micros)
  rows.nanos.set(takeNumbers(source, nanos, new Float64Array(header.rows)))
  for (const [index, column] of numbers.entries()) takeNumbers(source, column, columnOf(rows, index))
  for (const [text, column] of header.texts.entries()) if (column) takeTexts(source, rows, text, column)
  setExactNumbers(rows)
  return rows
}

/** The numbers of a column. Numbers that are also stored as text count as missing. */
function valuesOf(rows: Rows, index: number, from: number, to: number): Float64Array {
  const values = columnOf(rows, index).slice(from, to)
  const exact = rows.texts[exactOf(rows.kind, index)]?.codes
  if (exact) for (let row = from; row < to; row++) if (exact[row] !== 0) values[row - from] = Number.NaN
  return values
}

function putNumbers(pieces: Uint8Array[], values: Float64Array): NumberColumn | null {
  const missing = fillMissing(values)
  if (missing.length === values.length) return null
  const integers = new Float64Array(values.length)
  const scale = scaleInto(values, integers)
  const column = scale < 0 ? putRaw(pieces, values) : putDifferences(pieces, integers)
  return {
    ...column,
    scale: scale > 0 ? scale : undefined,
    missing: missing.length > 0 ? missing : undefined,
  }
}

/** Replaces missing values by the value before, so that the differences stay small. Returns their rows. */
function fillMissing(values: Float64Array): readonly number[] {
  const missing: number[] = []
  let before = values.find((value) => !Number.isNaN(value)) ?? 0
  for (let row = 0; row < values.length; row++) {
    const value = valueAt(values, row)
    if (Number.isNaN(value)) {
      missing.push(row)
      values[row] = before
    } else before = value
  }
  return missing
}

function putRaw(pieces: Uint8Array[], values: Float64Array): NumberColumn {
  pieces.push(new Uint8Array(values.buffer))
  return { type: 'raw', first: 0 }
}

function putDifferences(pieces: Uint8Array[], integers: Float64Array): NumberColumn {
  const first = valueAt(integers, 0)
  const count = integers.length - 1
  if (count === 0) return { type: 'same', first, step: 0 }
  const differences = new Float64Array(count)
  const step = valueAt(integers, 1) - first
  let [largest, isSame] = [0, true]
  for (let row = 0; row < count; row++) {
    const difference = valueAt(integers, row + 1) - valueAt(integers, row)
    differences[row] = difference
    if (difference !== step) isSame = false
    // -128 fits into a byte, 128 does not: this treats both as too large.
    largest = Math.max(largest, Math.abs(difference))
  }
  if (isSame) return { type: 'same', first, step }
  const type = keysOf(LIMITS).find((name) => largest < LIMITS[name]) ?? 'double'
  pieces.push(new Uint8Array(INTEGERS[type].from(differences).buffer))
  return { type, first }
}

/** The words that these rows use, and a code per row. */
function putTexts(
  pieces: Uint8Array[],
  rows: Rows,
  text: number,
  from: number,
  to: number,
): TextColumn | null {
  const column = rows.texts[text]
  if (!column) return null
  const used = new Map<number, number>([[0, 0]])
  const codes = new Float64Array(to - from)
  for (let row = from; row < to; row++) {
    const code = column.codes[row] ?? missing('a row')
    const number = used.get(code) ?? used.size
    used.set(code, number)
    codes[row - from] = number
  }
  if (used.size === 1) return null
  const words = [...used.keys()].slice(1).map((code) => itemAt(column.words, code))
  return { words, codes: putDifferences(pieces, codes) }
}

function withHeader(header: Header, pieces: readonly Uint8Array[]): Uint8Array {
  const json = Buffer.from(JSON.stringify(header))
  const start = roundedUp(4 + json.length)
  const bytes = new Uint8Array(start + pieces.reduce((sum, piece) => sum + roundedUp(piece.length), 0))
  new DataView(bytes.buffer).setUint32(0, start - 4, true)
  bytes.set(json, 4)
  bytes.fill(0x20, 4 + json.length, start)
  let at = start
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += roundedUp(piece.length)
  }
  return bytes
}

const roundedUp = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT

/** Typed arrays need an aligned offset. */
const aligned = (bytes: Uint8Array): Uint8Array =>
  bytes.byteOffset % ALIGNMENT === 0 ? bytes : Uint8Array.from(bytes)

type Source = { readonly bytes: Uint8Array; at: number }

function takeNumbers(source: Source, column: NumberColumn | null, values: Float64Array): Float64Array {
  if (!column) return values.fill(Number.NaN)
  if (column.type === 'raw') values.set(takeArray(source, 'double', values.length))
  else takeIntegers(source, column, values)
  const power = 10 ** (column.scale ?? 0)
  if (power !== 1) for (let row = 0; row < values.length; row++) values[row] = valueAt(values, row) / power
  for (const row of column.missing ?? []) values[row] = Number.NaN
  return values
}

function takeIntegers(source: Source, { type, first, step = 0 }: NumberColumn, values: Float64Array): void {
  let value = (values[0] = first)
  if (type === 'same' || type === 'raw')
    for (let row = 1; row < values.length; row++) values[row] = value += step
  else {
    const differences = takeArray(source, type, values.length - 1)
    for (let row = 1; row < values.length; row++)
      values[row] = value += differences[row - 1] ?? missing('a difference')
  }
}

function takeArray(source: Source, type: keyof typeof INTEGERS, length: number) {
  const { bytes, at } = source
  const array = new INTEGERS[type](bytes.buffer as ArrayBuffer, bytes.byteOffset + at, length)
  source.at += roundedUp(array.byteLength)
  return array
}

function takeTexts(source: Source, rows: Rows, text: number, { words, codes }: TextColumn): void {
  const column = textColumn(rows, text)
  for (const word of words) rowCode(column, word)
  column.codes.set(takeNumbers(source, codes, new Float64Array(rows.count)))
}

/** Numbers that are stored as text are the nearest double of that text. */
function setExactNumbers(rows: Rows): void {
  for (let index = 0; index < rows.numbers.length; index++) {
    const exact = exactOf(rows.kind, index)
    if (!rows.texts[exact]) continue
    for (let row = 0; row < rows.count; row++) {
      const text = textAt(rows, exact, row)
      if (text !== '') columnOf(rows, index)[row] = Number(text)
    }
  }
}

/** Numbers with more decimals are stored as doubles. */
const SCALE_MAX = 15
/** Products of smaller integers and a power of ten round correctly, and their differences are exact. */
const INTEGER_MAX = 2 ** 50

const POWERS = Float64Array.from({ length: SCALE_MAX + 1 }, (_, scale) => 10 ** scale)

/**
 * Finds the least scale at which each value is an integer divided by 10^scale, and writes the integers. Dividing
 * gives exactly the same doubles. Returns -1 if there is no such scale, or if the integers are too large.
 */
function scaleInto(values: Float64Array, integers: Float64Array, least = 0): number {
  let scale = least
  let power = valueAt(POWERS, scale)
  let largest = 0
  for (let row = 0; row < values.length; row++) {
    const value = valueAt(values, row)
    let integer = Math.round(value * power)
    while (integer / power !== value) {
      if (++scale > SCALE_MAX) return -1
      power = valueAt(POWERS, scale)
      integer = Math.round(value * power)
    }
    integers[row] = integer
    const size = value < 0 ? -value : value
    if (size > largest) largest = size
  }
  if (largest * power > INTEGER_MAX) return -1
  // Rows before the last change of the scale need the final one.
  return scale === least ? scale : scaleInto(values, integers, scale)
}
