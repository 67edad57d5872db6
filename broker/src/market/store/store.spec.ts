import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Instant } from '@quipu/core'
import fc from 'fast-check'
import { FolderInUse } from '../../data-folder/folder.ts'
import { emptyFolder } from '../../journal/testing/journal.ts'
import { databasePath } from './database.ts'
import { StoreChanged } from './failures.ts'
import { readPins, removePins, storePins } from './pins.ts'
import { makeRows, type RowKind, type Rows, setText } from './rows.ts'
import type { SeriesKey } from './series-key.ts'
import { type MarketStore, openStore } from './store.ts'
import { rowTexts, someRows } from './testing/store.ts'

const bars: SeriesKey = { kind: 'bars', frame: '1Min', symbol: 'AAPL' }
const keyOf = (kind: RowKind): SeriesKey => (kind === 'bars' ? bars : { kind, symbol: 'AAPL' })

function store(at: MarketStore, key: SeriesKey, imports: readonly Rows[], rowsInMemory = 1e6): void {
  const writer = at.write({ rowsInMemory })
  for (const rows of imports) writer.series(key).add(rows, 0, rows.count)
  writer.commit()
}

const all = (at: MarketStore, key: SeriesKey): readonly string[] => {
  const series = at.find(key)
  return series ? rowTexts(series.read({}, Number.MAX_SAFE_INTEGER)) : []
}

/** Minute bars at these minutes, with these closes. */
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

const FACTOR = Number(process.env['PROPERTY_FACTOR'] ?? 0.25)

for (const kind of ['bars', 'trades', 'quotes'] as const)
  test(`${kind}: a read returns the stored rows, and storing them again changes nothing`, () => {
    fc.assert(
      fc.property(someRows(kind), fc.integer({ min: 1, max: 60 }), (rows, rowsInMemory) => {
        const at = openStore(emptyFolder())
        store(at, keyOf(kind), [rows], rowsInMemory)
        assert.deepEqual(all(at, keyOf(kind)), rowTexts(rows))
        store(at, keyOf(kind), [rows, rows], rowsInMemory)
        assert.deepEqual(all(at, keyOf(kind)), rowTexts(rows))
        at.close()
      }),
      { numRuns: Math.ceil(40 * FACTOR) },
    )
  })

for (const frame of ['1Min', '1Hour', '1Day'])
  test(`many ${frame} imports, in any order and overlapping, are one map by time`, () => {
    const key = { ...bars, frame }
    const at = openStore(emptyFolder(), { cacheBlocks: 2 })
    const expected = new Map<number, number>()
    let state = 1
    const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below
    for (let round = 0; round < 6; round++) {
      const from = random(20_000)
      const rows = Array.from({ length: 9_000 }, (_, index): [number, number] => [
        from + (index % 2 ? index : random(9_000)),
        index,
      ])
      for (const [minute, close] of rows) expected.set(minute, close)
      store(at, key, [minutes(...rows)], 2_500)
    }
    const wanted = [...expected].sort(([a], [b]) => a - b)
    const series = at.find(key)!
    assert.equal(series.rows, wanted.length)
    const text = (rows: typeof wanted): string =>
      rows.map(([minute, close]) => `${minute}:${close}`).join(' ')
    assert.equal(closes(series.read({}, 1e9)), text(wanted))
    const minute = (value: number): Instant => (BigInt(value) * 60_000_000_000n) as Instant
    for (let round = 0; round < 200 * FACTOR; round++) {
      const [from, to, limit] = [random(30_000), random(30_000), 1 + random(9_000)]
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

test('a reader sees the imports of others, and a series that was read before one import', () => {
  const folder = emptyFolder()
  const [reader, other] = [openStore(folder), openStore(folder)]
  store(other, bars, [minutes([1, 1])])
  const old = reader.find(bars)!
  store(other, bars, [minutes([2, 2])])
  assert.equal(closes(old.read({}, 10)), '1:1')
  assert.equal(closes(reader.find(bars)!.read({}, 10)), '1:1 2:2')
  other.delete(bars)
  assert.deepEqual(reader.list(), [])
  reader.close()
  other.close()
})

const blocksIn = (folder: string): number => {
  const database = new DatabaseSync(databasePath(folder))
  const { count } = database.prepare('SELECT count(*) AS count FROM blocks').get()!
  database.close()
  return Number(count)
}

test('replaced blocks are deleted by the second import after it, unless a world pins them', () => {
  const folder = emptyFolder()
  const at = openStore(folder)
  store(at, bars, [minutes([1, 1])])
  const { record } = at.find(bars)!
  storePins(folder, 'main', [record])
  store(at, bars, [minutes([1, 2])])
  store(at, bars, [minutes([1, 3])])
  store(at, bars, [minutes([1, 4])])
  assert.equal(blocksIn(folder), 3)
  assert.equal(closes(at.pinned(readPins(folder, 'main')[0]!).read({}, 10)), '1:1')
  removePins(folder, 'main')
  store(at, bars, [minutes([1, 5])])
  assert.equal(blocksIn(folder), 2)
  assert.equal(at.has(record), false)
  assert.throws(() => at.pinned(record).read({}, 10), StoreChanged)
  assert.equal(closes(at.find(bars)!.read({}, 10)), '1:5')
  at.close()
})

test('the digest depends on the rows, not on the imports that stored them', () => {
  const digestAfter = (...imports: readonly Rows[]): string => {
    const at = openStore(emptyFolder())
    for (const rows of imports) store(at, bars, [rows])
    const { digest } = at.find(bars)!
    at.close()
    return digest
  }
  const [early, late] = [minutes([1, 1]), minutes([2, 2], [9000, 3])]
  assert.equal(digestAfter(early, late), digestAfter(late, early, early))
  assert.notEqual(digestAfter(early, late), digestAfter(early))
})

test('a deleted series can be imported again in the same import', () => {
  const at = openStore(emptyFolder())
  store(at, bars, [minutes([1, 1], [2, 2])])
  const writer = at.write({ rowsInMemory: 1 })
  writer.remove(bars)
  const rows = minutes([5, 5], [6, 6])
  for (const row of [0, 1]) writer.series(bars).add(rows, row, row + 1)
  assert.deepEqual(writer.commit(), [{ ...bars, rows: 2, added: 2 }])
  assert.equal(closes(at.find(bars)!.read({}, 10)), '5:5 6:6')
  at.close()
})
