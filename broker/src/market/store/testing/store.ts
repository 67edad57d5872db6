import fc from 'fast-check'
import { exactOf, FIELDS, instantAt, makeRows, type RowKind, type Rows, setText, textAt } from '../rows.ts'

/** Each row as one text, to be compared. */
export function rowTexts(rows: Rows): readonly string[] {
  return Array.from({ length: rows.count }, (_, row) =>
    [
      instantAt(rows, row),
      ...rows.numbers.map((column) => column[row]),
      ...rows.texts.map((_, text) => textAt(rows, text, row)),
    ].join('|'),
  )
}

const decimals = (scale: number) =>
  fc.oneof(
    fc.integer({ min: 0, max: 500_000 }).map((whole) => whole / 10 ** scale),
    fc.double({ min: 0, noNaN: true, noDefaultInfinity: true, max: 1e12 }).map((value) => value + 0),
    fc.constant(Number.NaN),
    fc.integer({ min: 0, max: 1000 }).map((whole) => Math.fround(whole / 7)),
  )

/** Numbers as they come in files: a scale of their own for each column, noise of doubles, holes. */
const column = (length: number) =>
  fc.integer({ min: 0, max: 8 }).chain((scale) =>
    fc.oneof(
      fc.array(decimals(scale), { minLength: length, maxLength: length }),
      fc.array(
        fc.integer({ min: 0, max: 2 ** 31 }).map((whole) => whole / 10 ** scale),
        { minLength: length, maxLength: length },
      ),
      fc.constant(new Array<number>(length).fill(Number.NaN)),
    ),
  )

const words = fc.constantFrom('', 'V', 'D', 'a "b", c', 'ü€')
const conditions = fc.constantFrom('', '["@","T"]', '[" "]', '["12"]')
const exactTexts = fc.oneof(
  fc.constant(''),
  fc.constantFrom('18446744073709551615', '9223372036854775808'),
  fc.constant('0.123456789012345678901'),
)

/** Rows in order of time, as any file may hold them. */
export const someRows = (kind: RowKind, most = 40): fc.Arbitrary<Rows> =>
  fc.integer({ min: 1, max: most }).chain((count) => {
    const list = <Value>(value: fc.Arbitrary<Value>) =>
      fc.array(value, { minLength: count, maxLength: count })
    return fc
      .record({
        steps: list(fc.oneof(fc.constant(60_000_000), fc.integer({ min: 0, max: 2 ** 40 }))),
        nanos: fc.oneof(
          fc.constant(new Array<number>(count).fill(0)),
          list(fc.integer({ min: 0, max: 999 })),
        ),
        numbers: fc.tuple(...FIELDS[kind].numbers.map(() => column(count))),
        texts: fc.tuple(
          ...FIELDS[kind].texts.map((name) => list(name === 'conditions' ? conditions : words)),
        ),
        exact: list(exactTexts),
      })
      .map(({ steps, nanos, numbers, texts, exact }) => {
        const rows = makeRows(kind, count)
        rows.count = count
        let micros = 1_700_000_040_000_000
        for (let row = 0; row < count; row++) {
          // Times rise, so that no row stands for another.
          micros += steps[row]! + 1
          rows.micros[row] = micros
          rows.nanos[row] = nanos[row]!
          for (const [number, values] of numbers.entries()) rows.numbers[number]![row] = values[row]!
          for (const [text, values] of texts.entries()) setText(rows, text, row, values[row]!)
          if (exact[row] !== '') {
            setText(rows, exactOf(kind, 1), row, exact[row]!)
            rows.numbers[1]![row] = Number(exact[row])
          }
        }
        return rows
      })
  })
