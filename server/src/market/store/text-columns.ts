import type { Sink, Source } from './bytes.ts'
import { codeOf, type Rows, type TextColumn, textColumn } from './rows.ts'

/** Absent: nobody has one · words and a number for each row · one whole number of 64 bits each, 0 for none. */
const ABSENT = 0
const WORDS = 1
const LARGE = 2

export function putTexts(sink: Sink, rows: Rows, from: number, to: number): void {
  for (const column of rows.texts) {
    if (!column?.codes.subarray(from, to).some((code) => code !== 0)) sink.byte(ABSENT)
    else if (isLarge(column, from, to)) putLarge(sink, column, from, to)
    else putWords(sink, column, from, to)
  }
}

/** Are these mostly different ids, each as a number of 64 bits is written? Then eight bytes are shorter. */
function isLarge(column: TextColumn, from: number, to: number): boolean {
  for (let row = from; row < to; row++) {
    const word = column.words[column.codes[row]!]!
    if (word !== '' && !(/^[1-9]\d{15,19}$/.test(word) && BigInt(word) < 2n ** 64n)) return false
  }
  return true
}

function putLarge(sink: Sink, column: TextColumn, from: number, to: number): void {
  sink.byte(LARGE)
  sink.reserve((to - from) * 8)
  for (let row = from; row < to; row++)
    sink.at = sink.bytes.writeBigUInt64LE(BigInt(column.words[column.codes[row]!]! || '0'), sink.at)
}

/** The words this block uses, in the order in which they come up, then each row's. */
function putWords(sink: Sink, column: TextColumn, from: number, to: number): void {
  const own = new Map<number, number>([[0, 0]])
  for (let row = from; row < to; row++) {
    const code = column.codes[row]!
    if (!own.has(code)) own.set(code, own.size)
  }
  sink.byte(WORDS)
  sink.varint(own.size - 1)
  for (const code of own.keys()) if (code !== 0) sink.text(column.words[code]!)
  for (let row = from; row < to; row++) sink.varint(own.get(column.codes[row]!)!)
}

export function takeTexts(source: Source, rows: Rows): void {
  for (let text = 0; text < rows.texts.length; text++) {
    const way = source.byte()
    if (way === ABSENT) continue
    const column = textColumn(rows, text)
    if (way === LARGE) takeLarge(source, column, rows.count)
    else takeWords(source, column, rows.count)
  }
}

function takeLarge(source: Source, column: TextColumn, count: number): void {
  for (let row = 0; row < count; row++, source.at += 8) {
    const value = source.bytes.readBigUInt64LE(source.at)
    column.codes[row] = value === 0n ? 0 : codeOf(column, value.toString())
  }
}

function takeWords(source: Source, column: TextColumn, count: number): void {
  const words = source.varint()
  for (let word = 0; word < words; word++) codeOf(column, source.text())
  for (let row = 0; row < count; row++) column.codes[row] = source.varint()
}
