import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { definedFields } from '@quipu/core'
import fc from 'fast-check'
import { emptyFolder } from '../journal/testing/journal.ts'
import type { MarketStore, RowKind, Rows, SeriesKey } from '../market/store/index.ts'
import { rowTexts, someRows } from '../market/store/testing/store.ts'
import { csvPieces } from './export.ts'
import { writeParquet } from './export-parquet.ts'
import { REQUIRED } from './fields.ts'
import { importFiles } from './run.ts'
import { emptyStore, file } from './testing/import.ts'

/** Makes random rows valid: required fields are set, and the high of a bar is not below its low. */
function makeValid(kind: RowKind, rows: Rows): Rows {
  for (let row = 0; row < rows.count; row++) {
    for (const number of REQUIRED[kind].keys())
      if (!(rows.numbers[kind === 'quotes' ? number * 2 : number]![row]! > 0))
        rows.numbers[kind === 'quotes' ? number * 2 : number]![row] = 1.5
    if (kind === 'trades') rows.numbers[2]![row] = Math.trunc(rows.numbers[2]![row]!)
    if (kind !== 'bars') continue
    const [open, high, low, close] = rows.numbers.map((column) => column[row]!) as [
      number,
      number,
      number,
      number,
    ]
    if (high < low && rows.texts.every((text) => !text?.codes[row]))
      [rows.numbers[1]![row], rows.numbers[2]![row]] = [low, high]
    else if (high < low) rows.numbers[2]![row] = high
    assert.ok(open > 0 && close > 0)
  }
  return rows
}

function storeWith(key: SeriesKey, rows: Rows): MarketStore {
  const store = emptyStore()
  const writer = store.write()
  writer.series(key).add(rows, 0, rows.count)
  writer.commit()
  return store
}

const all = (store: MarketStore, key: SeriesKey): readonly string[] =>
  rowTexts(store.find(key)!.read({}, 1e9))

for (const kind of ['bars', 'trades', 'quotes'] as const)
  for (const format of ['CSV', 'Parquet'] as const)
    test(`${kind} exported as ${format} and imported again are equal`, async () => {
      await fc.assert(
        fc.asyncProperty(someRows(kind, 12), async (random) => {
          const rows = makeValid(kind, random)
          const query = { kind, ...definedFields({ frame: kind === 'bars' ? '1Min' : undefined }) }
          const key: SeriesKey = { ...query, symbol: 'BTC/USD' }
          const before = storeWith(key, rows)
          const path =
            format === 'CSV'
              ? file('out.csv', [...csvPieces(before, query)].join(''))
              : join(emptyFolder(), 'out.parquet')
          if (format === 'Parquet') assert.equal(await writeParquet(path, before, query), rows.count)
          const after = emptyStore()
          await importFiles(after, [path], query)
          assert.deepEqual(all(after, key), all(before, key))
          before.close()
          after.close()
        }),
        { numRuns: Math.ceil(25 * Number(process.env['PROPERTY_FACTOR'] ?? 0.25)) },
      )
    })
