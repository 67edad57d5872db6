import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CivilDate, Instant } from '@quipu/core'
import { emptyFolder } from '../journal/testing/journal.ts'
import type { ExportQuery } from './export.ts'
import { exportRows } from './export-file.ts'
import { ImportUsage } from './failures.ts'
import { importFiles } from './run.ts'
import { emptyStore, exported, file, imported } from './testing/import.ts'

const minute = (number: number): Instant =>
  ((1_704_205_800n + BigInt(number) * 60n) * 1_000_000_000n) as Instant
const content = ['AAPL', 'MSFT'].flatMap((symbol) =>
  [0, 1, 2].map((at) => `${symbol},${1704205800 + at * 60},${at + 1}1,${at + 1}2,10,${at + 1}1`),
)
const date = (text: string) => text as CivilDate
const bars = { kind: 'bars', frame: '1Min' } as const

for (const [query, then] of [
  [{ ...bars }, 'AAPL:11 AAPL:21 AAPL:31 MSFT:11 MSFT:21 MSFT:31'],
  [{ ...bars, symbols: ['MSFT'] }, 'MSFT:11 MSFT:21 MSFT:31'],
  [{ ...bars, symbols: ['MSFT', 'AAPL'], limit: 4 }, 'MSFT:11 MSFT:21 MSFT:31 AAPL:11'],
  [{ ...bars, order: 'desc', limit: 2 }, 'AAPL:31 AAPL:21'],
  [{ ...bars, from: minute(1), to: minute(1) }, 'AAPL:21 MSFT:21'],
  [{ kind: 'trades' }, ''],
] as const satisfies readonly (readonly [ExportQuery, string])[])
  test(`export of ${JSON.stringify(query, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`, async () => {
    const store = emptyStore()
    await importFiles(store, [file('x.csv', ['symbol,time,open,high,low,close', ...content].join('\n'))])
    const shown = then === '' ? [] : then.split(' ')
    const path = join(emptyFolder(), 'out.csv')
    assert.equal(await exportRows(store, query, path), shown.length)
    const rows = readFileSync(path, 'utf8').trimEnd().split('\n').slice(1)
    assert.deepEqual(
      rows.map((row) => `${row.split(',')[0]}:${row.split(',')[2]}`),
      shown,
    )
    const parquet = join(emptyFolder(), 'out.parquet')
    assert.equal(await exportRows(store, query, parquet), shown.length)
    store.close()
    if (shown.length === 0) return
    const again = await imported(parquet, { frame: '1Min' })
    assert.equal(again.split('\n').filter((line) => line.includes(',2024')).length, shown.length)
  })

// The first and the last minute of two days, in New York and in UTC.
for (const [query, then] of [
  [{ from: date('2024-01-03') }, 'AAPL:3 AAPL:4 BTC/USD:3 BTC/USD:4'],
  [{ to: date('2024-01-02') }, 'AAPL:1 AAPL:2 BTC/USD:1 BTC/USD:2'],
  [{ from: date('2024-01-03'), to: date('2024-01-03') }, 'AAPL:3 AAPL:4 BTC/USD:3 BTC/USD:4'],
  [{ symbols: ['BTC/USD', 'AAPL'], from: date('2024-01-03') }, 'BTC/USD:3 BTC/USD:4 AAPL:3 AAPL:4'],
] as const)
  test(`a date is a New York day for stocks and a UTC day for crypto pairs: ${JSON.stringify(query)}`, async () => {
    const times = ['02T00:00', '02T23:59', '03T00:00', '03T23:59'].map((time) => `2024-01-${time}:00`)
    const lines = times.flatMap((time, at) => [
      `AAPL,${time}-05:00,${at + 1},9,1,9`,
      `BTC/USD,${time}Z,${at + 1},9,1,9`,
    ])
    const store = emptyStore()
    const path = file('days.csv', ['symbol,time,open,high,low,close', ...lines].join('\n'))
    await importFiles(store, [path], { frame: '1Min' })
    const rows = exported(store, { ...bars, ...query }).split('\n')
    store.close()
    assert.equal(
      rows
        .map((row) => row.split(','))
        .map(([symbol, , open]) => `${symbol}:${open}`)
        .join(' '),
      then,
    )
  })

test('a missing series is an error, and no file is created', async () => {
  const store = emptyStore()
  const path = join(emptyFolder(), 'out.csv')
  await assert.rejects(exportRows(store, { ...bars, symbols: ['NONE'] }, path), ImportUsage)
  assert.equal(existsSync(path) || existsSync(`${path}.tmp`), false)
  store.close()
})
