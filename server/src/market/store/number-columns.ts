import { putDifferences, type Sink, type Source, takeDifferences, varintLength, zigzag } from './bytes.ts'
import { foretell, ORDER, sameScale } from './foretell.ts'
import { exactOf, type Rows, textAt } from './rows.ts'
import { scaleInto } from './scale.ts'

/**
 * How the numbers of a block are written, in the order in which they are tried:
 * absent: nobody has one · same: all are alike · whole numbers of 10^-scale, as differences to what the columns written
 * before foretell, to the row before, or as they are · doubles that fit into four bytes · doubles.
 */
const ABSENT = 0
const SAME = 1
const FORETOLD = 2
const FROM_LAST = 3
const PLAIN = 4
const SINGLE = 5
const DOUBLE = 6

/** Whole numbers of the columns of the block at hand. */
type Work = { readonly wholes: Float64Array[]; readonly scales: number[]; readonly foretold: Float64Array }

/** Blocks are made one at a time, in the memory of the one before. */
let memory = new Float64Array(0)

function workFor(columns: number, count: number): Work {
  if (memory.length < (columns + 1) * count) memory = new Float64Array((columns + 1) * count)
  const piece = (number: number): Float64Array => memory.subarray(number * count, (number + 1) * count)
  return {
    wholes: Array.from({ length: columns }, (_, column) => piece(column)),
    scales: new Array(columns).fill(-1),
    foretold: piece(columns),
  }
}

export function putNumbers(sink: Sink, rows: Rows, from: number, to: number): void {
  const columns = rows.numbers.map((_, number) => filled(rows, number, from, to))
  const work = workFor(columns.length, to - from)
  const together = sameScale[rows.kind]
  const pick = <One>(list: readonly One[]): readonly One[] => together.map((number) => list[number]!)
  const shared = scaleInto(pick(columns.map(({ values }) => values)), pick(work.wholes))
  for (const number of ORDER[rows.kind]) {
    const { values, holes } = columns[number]!
    if (holes === to - from) {
      sink.byte(ABSENT)
      continue
    }
    const isShared = shared >= 0 && together.includes(number)
    work.scales[number] = isShared ? shared : scaleInto([values], [work.wholes[number]!])
    putColumn(sink, rows.kind, number, values, work)
    putHoles(sink, rows, number, from, to, holes)
  }
}

type Filled = { readonly values: Float64Array; readonly holes: number }

/** The numbers of a column; where there is none, or its text is stored too, the one before stands in. */
function filled(rows: Rows, number: number, from: number, to: number): Filled {
  const column = rows.numbers[number]!.subarray(from, to)
  const exact = rows.texts[exactOf(rows.kind, number)]?.codes
  if (!exact && isWhole(column)) return { values: column, holes: 0 }
  let holes = 0
  for (let row = 0; row < column.length; row++) if (isHole(column, exact, row, from)) holes++
  const values = column.slice()
  let last = values.find((_, row) => !isHole(column, exact, row, from)) ?? 0
  for (let row = 0; row < values.length; row++)
    if (isHole(column, exact, row, from)) values[row] = last
    else last = values[row]!
  return { values, holes }
}

/** One number that is none makes the sum none. */
function isWhole(column: Float64Array): boolean {
  let sum = 0
  for (let row = 0; row < column.length; row++) sum += column[row]!
  return !Number.isNaN(sum)
}

const isHole = (column: Float64Array, exact: Uint32Array | undefined, row: number, from: number): boolean =>
  Number.isNaN(column[row]) || (exact !== undefined && exact[row + from] !== 0)

function putColumn(sink: Sink, kind: Rows['kind'], number: number, values: Float64Array, work: Work): void {
  if (isSame(values)) {
    // What is not written as whole numbers foretells nothing.
    work.scales[number] = -1
    sink.byte(SAME)
    sink.double(values[0]!)
  } else if (work.scales[number]! >= 0) putWholes(sink, kind, number, work)
  else if (values.every((value) => Math.fround(value) === value)) {
    sink.byte(SINGLE)
    sink.reserve(values.length * 4)
    for (const value of values) sink.at = sink.bytes.writeFloatLE(value, sink.at)
  } else {
    sink.byte(DOUBLE)
    sink.reserve(values.length * 8)
    for (const value of values) sink.at = sink.bytes.writeDoubleLE(value, sink.at)
  }
}

function isSame(values: Float64Array): boolean {
  const first = values[0]
  for (let row = 1; row < values.length; row++) if (values[row] !== first) return false
  return true
}

function putWholes(sink: Sink, kind: Rows['kind'], number: number, work: Work): void {
  const [wholes, scale, { foretold }] = [work.wholes[number]!, work.scales[number]!, work]
  const way = foretell({ kind, number, ...work }, foretold) ? FORETOLD : shorter(wholes)
  if (way === PLAIN) foretold.fill(0)
  if (way === FROM_LAST) shift(wholes, foretold)
  sink.byte(way)
  sink.byte(scale)
  putDifferences(sink, wholes, foretold, wholes.length)
}

/** Each row foretells the next; nothing foretells the first. */
function shift(wholes: Float64Array, foretold: Float64Array): void {
  foretold.set(wholes.subarray(0, wholes.length - 1), 1)
  foretold[0] = 0
}

/** So many rows tell which way is shorter. */
const TRIED_ROWS = 256

function shorter(wholes: Float64Array): typeof PLAIN | typeof FROM_LAST {
  let [plain, last, before] = [0, 0, 0]
  for (let row = 0; row < Math.min(wholes.length, TRIED_ROWS); row++) {
    const whole = wholes[row]!
    plain += varintLength(zigzag(whole))
    last += varintLength(zigzag(whole - before))
    before = whole
  }
  return last < plain ? FROM_LAST : PLAIN
}

/** A bit for each row that has no number of its own, if there are such. */
function putHoles(sink: Sink, rows: Rows, number: number, from: number, to: number, holes: number): void {
  sink.byte(holes === 0 ? 0 : 1)
  if (holes === 0) return
  for (let start = from; start < to; start += 8) {
    let bits = 0
    for (let row = start; row < Math.min(start + 8, to); row++)
      if (Number.isNaN(rows.numbers[number]![row])) bits |= 1 << (row - start)
    sink.byte(bits)
  }
}

export function takeNumbers(source: Source, rows: Rows): void {
  const work = workFor(rows.numbers.length, rows.count)
  for (const number of ORDER[rows.kind]) {
    const values = rows.numbers[number]!
    const way = source.byte()
    if (way === ABSENT) {
      values.fill(Number.NaN)
      continue
    }
    takeColumn(source, way, { rows, number, work })
    if (source.byte() === 1) takeHoles(source, values, rows.count)
  }
}

type Taking = { readonly rows: Rows; readonly number: number; readonly work: Work }

function takeColumn(source: Source, way: number, { rows, number, work }: Taking): void {
  const values = rows.numbers[number]!
  const { bytes } = source
  if (way === SAME) values.fill(source.double())
  else if (way === SINGLE)
    for (let row = 0; row < rows.count; row++, source.at += 4) values[row] = bytes.readFloatLE(source.at)
  else if (way === DOUBLE)
    for (let row = 0; row < rows.count; row++, source.at += 8) values[row] = bytes.readDoubleLE(source.at)
  else takeWholes(source, way, { rows, number, work })
}

function takeWholes(source: Source, way: number, { rows, number, work }: Taking): void {
  const wholes = work.wholes[number]!
  const scale = (work.scales[number] = source.byte())
  takeDifferences(source, wholes, rows.count)
  if (way === FROM_LAST) for (let row = 1; row < rows.count; row++) wholes[row]! += wholes[row - 1]!
  if (way === FORETOLD) {
    foretell({ kind: rows.kind, number, ...work }, work.foretold)
    for (let row = 0; row < rows.count; row++) wholes[row]! += work.foretold[row]!
  }
  const power = 10 ** scale
  const values = rows.numbers[number]!
  for (let row = 0; row < rows.count; row++) values[row] = wholes[row]! / power
}

function takeHoles(source: Source, values: Float64Array, count: number): void {
  for (let start = 0; start < count; start += 8) {
    const bits = source.byte()
    for (let row = start; bits !== 0 && row < Math.min(start + 8, count); row++)
      if (bits & (1 << (row - start))) values[row] = Number.NaN
  }
}

/** Numbers whose text is stored are the double next to that text. */
export function takeExact(rows: Rows): void {
  for (let number = 0; number < rows.numbers.length; number++) {
    const exact = exactOf(rows.kind, number)
    if (!rows.texts[exact]) continue
    for (let row = 0; row < rows.count; row++) {
      const text = textAt(rows, exact, row)
      if (text !== '') rows.numbers[number]![row] = Number(text)
    }
  }
}
