import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Instant } from '@quipu/core'
import fc from 'fast-check'
import { emptyFolder } from '../../journal/testing/journal.ts'
import { FolderInUse } from '../../process/folder.ts'
import { type Kind, makeRows, type Rows, setText } from './rows.ts'
import { type SeriesKey, safeName } from './series-key.ts'
import { openStore, type Store } from './store.ts'
import { rowTexts, someRows } from './testing/store.ts'

const bars: SeriesKey = { kind: 'bars', frame: '1Min', symbol: 'AAPL' }
const keyOf = (kind: Kind): SeriesKey => (kind === 'bars' ? bars : { kind, symbol: 'AAPL' })

function store(
  at: Store,
  key: SeriesKey,
  imports: readonly Rows[],
  rowsInMemory = 1e6,
  partBytes = 2e7,
): void {
  const writer = at.write({ rowsInMemory, partBytes })
  for (const rows of imports) writer.series(key).add(rows, 0, rows.count)
  writer.commit()
}

const all = (at: Store, key: SeriesKey): readonly string[] => {
  const series = at.find(key)
  return series ? rowTexts(series.read({}, Number.MAX_SAFE_INTEGER)) : []
}

/** Minute bars at the given minutes; the close tells them apart. */
function minutes(...rows: readonly (readonly [minute: number, close: number])[]): Rows {
  const made = makeRows('bars', rows.length)
  made.count = rows.length
  for (const [row, [minute, close]] of rows.entries()) {
    made.micros[row] = minute * 60_000_000
    for (const column of made.numbers) column[row] = close
  }
  return made
}

const closes = (rows: Rows): string =>
  Array.from({ length: rows.count }, (_, row) => `${rows.micros[row]! / 6e7}:${rows.numbers[3]![row]}`).join(
    ' ',
  )

for (const [imports, then] of [
  [['1:5 2:6'], '1:5 2:6'],
  [['2:6 1:5'], '1:5 2:6'],
  [['1:5 1:6'], '1:6'],
  [['1:5 2:6', '1:5 2:6'], '1:5 2:6'],
  [['1:5 3:6', '2:7 3:8'], '1:5 2:7 3:8'],
  [['5:1', '9:2', '1:3'], '1:3 5:1 9:2'],
] as const)
  test(`bars ${imports.join(', then ')} are ${then}`, () => {
    for (const rowsInMemory of [1, 2, 1000]) {
      const at = openStore(emptyFolder())
      for (const one of imports)
        store(
          at,
          bars,
          [minutes(...one.split(' ').map((row) => row.split(':').map(Number) as [number, number]))],
          rowsInMemory,
        )
      assert.equal(closes(at.find(bars)!.read({}, 100)), then)
      at.close()
    }
  })

for (const kind of ['bars', 'trades', 'quotes'] as const)
  test(`${kind}: what was stored is read, and storing it again changes nothing`, () => {
    fc.assert(
      fc.property(someRows(kind), fc.integer({ min: 1, max: 60 }), (rows, rowsInMemory) => {
        const at = openStore(emptyFolder())
        store(at, keyOf(kind), [rows], rowsInMemory)
        assert.deepEqual(all(at, keyOf(kind)), rowTexts(rows))
        store(at, keyOf(kind), [rows, rows], rowsInMemory)
        assert.deepEqual(all(at, keyOf(kind)), rowTexts(rows))
        at.close()
      }),
      { numRuns: 40 },
    )
  })

for (const partBytes of [1_000, 60_000, 1e9])
  test(`many imports in parts of ${partBytes} bytes, in any order and overlapping, are one map by time`, () => {
    const at = openStore(emptyFolder(), { cacheBlocks: 2 })
    const expected = new Map<number, number>()
    let dice = 1
    const roll = (below: number): number => (dice = (dice * 48_271) % 2_147_483_647) % below
    for (let round = 0; round < 6; round++) {
      const from = roll(20_000)
      const rows = Array.from({ length: 9_000 }, (_, index): [number, number] => [
        from + (index % 2 ? index : roll(9_000)),
        index,
      ])
      for (const [minute, close] of rows) expected.set(minute, close)
      store(at, bars, [minutes(...rows)], 2_500, partBytes)
    }
    const wanted = [...expected].sort(([a], [b]) => a - b)
    const series = at.find(bars)!
    assert.equal(series.rows, wanted.length)
    const text = (rows: typeof wanted): string =>
      rows.map(([minute, close]) => `${minute}:${close}`).join(' ')
    assert.equal(closes(series.read({}, 1e9)), text(wanted))
    const minute = (value: number): Instant => (BigInt(value) * 60_000_000_000n) as Instant
    for (let round = 0; round < 200; round++) {
      const [from, to, limit] = [roll(30_000), roll(30_000), 1 + roll(9_000)]
      const inside = wanted.filter(([at]) => at >= from && at <= to)
      const range = { from: minute(from), to: minute(to) }
      assert.equal(closes(series.read(range, limit)), text(inside.slice(0, limit)))
      assert.equal(closes(series.read(range, limit, 'desc')), text(inside.toReversed().slice(0, limit)))
    }
    at.close()
  })

function trades(...rows: readonly (readonly [id: number, price: number, exchange: string])[]): Rows {
  const made = makeRows('trades', rows.length)
  made.count = rows.length
  for (const [row, [id, price, exchange]] of rows.entries()) {
    for (const [number, value] of [price, 1, id].entries()) made.numbers[number]![row] = value
    setText(made, 0, row, exchange)
  }
  return made
}

const none = Number.NaN
for (const [name, imports, then] of [
  ['the same id and exchange are one trade', [trades([7, 1, 'V']), trades([7, 2, 'V'])], '2 V'],
  ['the same id elsewhere is another', [trades([7, 1, 'V'], [7, 1, 'D'])], '1 V, 1 D'],
  [
    'without an id the whole row counts',
    [trades([none, 1, 'V'], [none, 2, 'V'], [none, 1, 'V'])],
    '1 V, 2 V',
  ],
  [
    'rows of one instant keep their order',
    [trades([3, 1, 'V'], [1, 2, 'V']), trades([2, 3, 'V'])],
    '1 V, 2 V, 3 V',
  ],
] as const)
  test(`trades: ${name}`, () => {
    const at = openStore(emptyFolder())
    for (const rows of imports) store(at, keyOf('trades'), [rows])
    const rows = at.find(keyOf('trades'))!.read({}, 10)
    const shown = Array.from(
      { length: rows.count },
      (_, row) => `${rows.numbers[0]![row]} ${rows.texts[0]!.words[rows.texts[0]!.codes[row]!]}`,
    )
    assert.equal(shown.join(', '), then)
    at.close()
  })

test('one import at a time; one that is given up leaves nothing', () => {
  const folder = emptyFolder()
  const at = openStore(folder)
  const writer = at.write()
  writer.series(bars).add(minutes([1, 1]), 0, 1)
  assert.throws(() => at.write(), FolderInUse)
  writer.abort()
  assert.equal(at.find(bars), undefined)
  store(at, bars, [minutes([1, 1])])
  assert.equal(at.find(bars)!.rows, 1)
  at.close()
})

test('a reader sees the import of another, and one that reads an older state can go on', () => {
  const folder = emptyFolder()
  const [reader, other] = [openStore(folder), openStore(folder)]
  store(other, bars, [minutes([1, 1])])
  const old = reader.find(bars)!
  store(other, bars, [minutes([2, 2])])
  assert.equal(closes(old.read({}, 10)), '1:1')
  assert.equal(closes(reader.find(bars)!.read({}, 10)), '1:1 2:2')
  other.delete(bars)
  assert.deepEqual(reader.list(), [])
  store(other, keyOf('trades'), [trades([1, 1, 'V'])])
  assert.deepEqual(readdirSync(join(folder, 'parts')), ['trades.AAPL.4-0'])
  reader.close()
  other.close()
})

for (const [symbol, name] of [
  ['AAPL', 'AAPL'],
  ['BRK.B', 'BRK%2EB'],
  ['BTC/USD', 'BTC%2FUSD'],
  ['BACpL', 'BAC%70L'],
  ['../x', '%2E%2E%2F%78'],
] as const)
  test(`the files of ${symbol} are named ${name}`, () => assert.equal(safeName(symbol), name))
