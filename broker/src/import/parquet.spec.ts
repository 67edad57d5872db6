import assert from 'node:assert/strict'
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { SchemaElement } from 'hyparquet'
import { type ColumnSource, fileWriter, ParquetWriter, type parquetWriteFile } from 'hyparquet-writer'
import { emptyFolder } from '../journal/testing/journal.ts'
import { imported } from './testing/import.ts'

type Codec = NonNullable<Parameters<typeof parquetWriteFile>[0]['codec']>
type Element = Omit<SchemaElement, 'name'>

const compressors = {
  GZIP: (bytes: Uint8Array) => gzipSync(bytes),
  BROTLI: (bytes: Uint8Array) => brotliCompressSync(bytes),
  ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes),
}

/** Writes a Parquet file with the type and the values of each column. */
async function parquetFile(
  name: string,
  columns: Readonly<Record<string, readonly [Element, ColumnSource['data']]>>,
  codec: Codec = 'SNAPPY',
): Promise<string> {
  const path = join(emptyFolder(), name)
  const entries = Object.entries(columns)
  const schema: SchemaElement[] = [
    { name: 'root', num_children: entries.length },
    ...entries.map(([column, [element]]): SchemaElement => ({ name: column, ...element })),
  ]
  const writer = new ParquetWriter({ writer: fileWriter(path), schema, codec, compressors })
  const columnData = entries.map(([column, [, data]]): ColumnSource => ({ name: column, data }))
  // One row per row group.
  await writer.write({ columnData, rowGroupSize: 1 })
  await writer.finish()
  return path
}

const number: Element = { type: 'DOUBLE', repetition_type: 'OPTIONAL' }
const timestamp = (unit: 'MILLIS' | 'MICROS' | 'NANOS', isAdjustedToUTC: boolean): Element => ({
  type: 'INT64',
  repetition_type: 'REQUIRED',
  logical_type: { type: 'TIMESTAMP', unit, isAdjustedToUTC },
})
const prices = (...values: readonly number[]) =>
  Object.fromEntries(
    ['open', 'high', 'low', 'close'].map((name) => [name, [number, [...values]] as [Element, number[]]]),
  )

const SECONDS = 1_704_205_800n
const minutes = 'bars 1Min AAPL\nAAPL,2024-01-02T14:30:00Z,2,2,2,2,,,\nAAPL,2024-01-02T14:31:00Z,3,3,3,3,,,'

for (const codec of ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI', 'ZSTD'] as const)
  test(`Parquet compressed with ${codec}`, async () => {
    const times = [SECONDS * 1_000_000_000n, (SECONDS + 60n) * 1_000_000_000n]
    const path = await parquetFile(
      'AAPL.parquet',
      { timestamp: [timestamp('NANOS', true), times], ...prices(2, 3) },
      codec,
    )
    assert.equal(await imported(path), minutes)
  })

for (const [unit, factor] of [
  ['MILLIS', 1_000n],
  ['MICROS', 1_000_000n],
  ['NANOS', 1_000_000_000n],
] as const)
  test(`times in ${unit} are instants, and need a time zone if they are not in UTC`, async () => {
    const times = [SECONDS * factor, (SECONDS + 60n) * factor]
    const known = await parquetFile('AAPL.parquet', { time: [timestamp(unit, true), times], ...prices(2, 3) })
    assert.equal(await imported(known), minutes)
    const bare = await parquetFile('AAPL.parquet', { time: [timestamp(unit, false), times], ...prices(2, 3) })
    await assert.rejects(imported(bare), /AAPL\.parquet:1: "2024-01-02T14:30:00" has no time zone/)
    assert.equal(await imported(bare, { timezone: 'UTC' }), minutes)
    assert.match(await imported(bare, { timezone: 'America/New_York' }), /2024-01-02T19:30:00Z/)
  })

test('midnights without a time zone are dates, and date columns are dates', async () => {
  const days = [19_724, 19_725]
  const then = 'bars 1Day SPY\nSPY,2024-01-02T05:00:00Z,2,2,2,2,,,\nSPY,2024-01-03T05:00:00Z,3,3,3,3,,,'
  const midnights = days.map((day) => BigInt(day) * 86_400_000n)
  assert.equal(
    await imported(
      await parquetFile('SPY.parquet', { Date: [timestamp('MILLIS', false), midnights], ...prices(2, 3) }),
    ),
    then,
  )
  const date: Element = { type: 'INT32', converted_type: 'DATE', repetition_type: 'REQUIRED' }
  assert.equal(
    await imported(
      await parquetFile('SPY.parquet', { Date: [date, Int32Array.from(days)], ...prices(2, 3) }),
    ),
    then,
  )
})

test('decimals are read exactly', async () => {
  const decimal: Element = {
    type: 'INT64',
    converted_type: 'DECIMAL',
    scale: 3,
    precision: 18,
    repetition_type: 'REQUIRED',
  }
  const epoch: Element = { type: 'INT64', repetition_type: 'REQUIRED' }
  const path = await parquetFile('AAPL.parquet', {
    timestamp: [epoch, [SECONDS]],
    price: [decimal, [1_100n]],
    size: [decimal, [123_456_789_012_345_678n]],
  })
  assert.equal(await imported(path), 'trades AAPL\nAAPL,2024-01-02T14:30:00Z,1.1,123456789012345.678,,,,,,')
})

test('a damaged Parquet file is an error', async () => {
  const path = await parquetFile('AAPL.parquet', prices(2))
  truncateSync(path, 40)
  await assert.rejects(imported(path), /AAPL\.parquet: invalid Parquet file/)
})
