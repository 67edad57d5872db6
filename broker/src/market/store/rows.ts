import type { Instant } from '@quipu/core'
import { instantOfNanos, missing, recordBy } from '@quipu/core/values'

export type RowKind = 'bars' | 'trades' | 'quotes'

/** The columns of each kind without the time, in the order of the blocks. A change is a new format. */
export const FIELDS = {
  bars: { numbers: ['open', 'high', 'low', 'close', 'volume', 'trades', 'vwap'], texts: [] },
  trades: { numbers: ['price', 'size', 'id'], texts: ['exchange', 'conditions', 'tape', 'update', 'taker'] },
  quotes: {
    numbers: ['askPrice', 'askSize', 'bidPrice', 'bidSize'],
    texts: ['askExchange', 'bidExchange', 'conditions', 'tape'],
  },
} as const satisfies Record<RowKind, { numbers: readonly string[]; texts: readonly string[] }>

/** The index of each name. */
export const indexes = <Name extends string>(names: readonly Name[]) => recordBy(names, (_, index) => index)

/** Texts by code; code 0 is no text. `conditions` are a JSON list. */
export type TextColumn = {
  codes: Uint32Array
  readonly words: string[]
  readonly index: Map<string, number>
}

/**
 * Rows as columns: the first `count` entries of each array. A time is microseconds since 1970 and the nanoseconds of
 * the microsecond. A number is the nearest double of the imported decimal, or NaN if it is missing. A decimal with more
 * digits than a double holds (a 64-bit id) is also stored in `texts`, after the text columns of the kind, in the order
 * of the numbers. Text columns without texts are undefined.
 */
export type Rows = {
  readonly kind: RowKind
  count: number
  micros: Float64Array
  nanos: Uint16Array
  readonly numbers: Float64Array[]
  readonly texts: (TextColumn | undefined)[]
}

export function makeRows(kind: RowKind, capacity: number): Rows {
  const { numbers, texts } = FIELDS[kind]
  return {
    kind,
    count: 0,
    micros: new Float64Array(capacity),
    nanos: new Uint16Array(capacity),
    numbers: numbers.map(() => new Float64Array(capacity)),
    texts: new Array(texts.length + numbers.length).fill(undefined),
  }
}

/** Removes all rows and keeps the memory. */
export function clearRows(rows: Rows): void {
  rows.count = 0
  rows.texts.fill(undefined)
}

/** The index of the text column with the exact text of a number. */
export const exactOf = (kind: RowKind, number: number): number => FIELDS[kind].texts.length + number

/** The column of a number. */
export const columnOf = (rows: Rows, number: number): Float64Array =>
  rows.numbers[number] ?? missing('a column')

/** The value of a row. V8 removes the check of an index that is in range: this costs no more than an index. */
export const valueAt = (column: Float64Array, row: number): number => column[row] ?? missing('a row')

/** A number of a row. */
export const numberAt = (rows: Rows, number: number, row: number): number =>
  valueAt(columnOf(rows, number), row)

export const nanosAt = ({ nanos }: Rows, row: number): number => nanos[row] ?? missing('a row')

const wordAt = ({ words, codes }: TextColumn, row: number): string =>
  words[codes[row] ?? missing('a row')] ?? missing('a word')

/** Grows the columns to a capacity, by doubling. */
export function reserve(rows: Rows, capacity: number): void {
  const have = rows.micros.length
  if (have >= capacity) return
  const size = Math.max(capacity, have * 2, 64)
  rows.micros = grown(rows.micros, new Float64Array(size))
  rows.nanos = grown(rows.nanos, new Uint16Array(size))
  for (const [index, column] of rows.numbers.entries())
    rows.numbers[index] = grown(column, new Float64Array(size))
  for (const column of rows.texts) if (column) column.codes = grown(column.codes, new Uint32Array(size))
}

function grown<Column extends Float64Array | Uint16Array | Uint32Array>(from: Column, to: Column): Column {
  to.set(from)
  return to
}

export function textColumn(rows: Rows, text: number): TextColumn {
  return (rows.texts[text] ??= {
    codes: new Uint32Array(rows.micros.length),
    words: [''],
    index: new Map([['', 0]]),
  })
}

export function rowCode(column: TextColumn, word: string): number {
  const known = column.index.get(word)
  if (known !== undefined) return known
  const code = column.words.push(word) - 1
  column.index.set(word, code)
  return code
}

export function setText(rows: Rows, text: number, row: number, word: string): void {
  if (word === '' && rows.texts[text] === undefined) return
  const column = textColumn(rows, text)
  column.codes[row] = rowCode(column, word)
}

/** The text of a row, or ''. */
export function textAt(rows: Rows, text: number, row: number): string {
  const column = rows.texts[text]
  return column ? wordAt(column, row) : ''
}

/** Appends rows `from` to `to` (exclusive) of the same kind. */
export function appendRows(target: Rows, source: Rows, from: number, to: number): void {
  const at = target.count
  reserve(target, at + to - from)
  if (to - from < FEW) appendFew(target, source, from, to)
  else {
    target.micros.set(source.micros.subarray(from, to), at)
    target.nanos.set(source.nanos.subarray(from, to), at)
    for (let index = 0; index < source.numbers.length; index++)
      columnOf(target, index).set(columnOf(source, index).subarray(from, to), at)
  }
  appendTexts(target, source, from, to)
  target.count = at + to - from
}

/** For fewer rows a loop is faster than views of the arrays. */
const FEW = 16

function appendFew(target: Rows, source: Rows, from: number, to: number): void {
  for (let row = from, at = target.count; row < to; row++, at++) {
    target.micros[at] = valueAt(source.micros, row)
    target.nanos[at] = nanosAt(source, row)
    for (let index = 0; index < source.numbers.length; index++)
      columnOf(target, index)[at] = valueAt(columnOf(source, index), row)
  }
}

function appendTexts(target: Rows, source: Rows, from: number, to: number): void {
  for (let text = 0; text < source.texts.length; text++) {
    const column = source.texts[text]
    if (!column && !target.texts[text]) continue
    const own = textColumn(target, text)
    for (let row = from, at = target.count; row < to; row++, at++)
      own.codes[at] = column ? rowCode(own, wordAt(column, row)) : 0
  }
}

export const instantAt = (rows: Rows, row: number): Instant =>
  rowInstant(valueAt(rows.micros, row), nanosAt(rows, row))

export const rowInstant = (micros: number, nanos: number): Instant =>
  instantOfNanos(BigInt(micros) * 1000n + BigInt(nanos))

/** An instant in the two numbers of a row. */
export type Time = { readonly micros: number; readonly nanos: number }

export function timeOf(at: Instant): Time {
  const nanos = ((at % 1000n) + 1000n) % 1000n
  return { micros: Number((at - nanos) / 1000n), nanos: Number(nanos) }
}

/** Negative if the first time is earlier. */
export const compareTimes = (a: Time, b: Time): number =>
  a.micros === b.micros ? a.nanos - b.nanos : a.micros - b.micros

export const timeAt = (rows: Rows, row: number): Time => ({
  micros: valueAt(rows.micros, row),
  nanos: nanosAt(rows, row),
})

/** The first row at or after a time (`after`: strictly after it). The rows must ascend. */
export function firstRow(rows: Rows, time: Time, after = false): number {
  let [low, high] = [0, rows.count]
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = compareTimes(timeAt(rows, middle), time)
    if (after ? order <= 0 : order < 0) low = middle + 1
    else high = middle
  }
  return low
}
