import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type BrokerEvent, decode, encode } from '@quipu/core'
import { storedEntry } from '../journal/stored-event.ts'
import { Projection } from './projection.ts'
import { type ColumnTypes, historyRow, orderRow, requestRow, updatesRow } from './rows.ts'
import { SNAPSHOT_FORMAT } from './snapshot/snapshot.ts'
import { TABLES_FORMAT } from './sqlite/tables.ts'

// Files of an earlier version are used if they have the current format. So the format must be raised when the same
// events lead to other data. These digests per format detect that.
const states: Readonly<Record<number, string>> = {
  1: '25ada57eec2b00e16a74ed823319d597a1b1a477a7a9cb414fc5ac5645b774d3',
  2: 'b50b0c0ed1f61010156767909c709910a893d348a710d0bc804afc2fb12e8f12',
  3: '9336cfa848f2696f16ccce1c1ba64217e2836491dd680691520088911a2ff9f7',
  // Keys have events of their own; keys in other events no longer count.
  4: '04c73584a776d6f329bd75c2f215bb965dd4d061544f478f2e9eb206144b9592',
  // What another world responded to a book transfer has other names.
  5: 'd5caec1479d14930bc44a99a40249b3c25958721aa33e09356062913607a2a01',
  // A state has the runs of programs and the title and note of its world.
  6: '6ad3162b97edfa7f7bd14657d2b097be436318743e68502e7c57d5ce3f7bb3ba',
}
const rows: Readonly<Record<number, string>> = {
  1: '7e4b2601766fed6eaa586f955e708199387103aa34dc9dd8b6e73457985b5267',
  // The same rows; owners and UUIDs are stored as numbers and bytes.
  2: '7e4b2601766fed6eaa586f955e708199387103aa34dc9dd8b6e73457985b5267',
  // The same, for rows of keys and the keys of requests.
  3: 'f86d6758a92a63173db14ba9a1c5da9d6a74fa55762b579b5cb321161173f34f',
  // Book transfers have their name, also in the rows.
  4: '06632f6a7e261b7c10ba4be35476841d1259570b0d39bf628b819c06aacb9ca9',
}

const entries = readFileSync(new URL('kept/story.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => storedEntry(decode(line) as BrokerEvent))

const columnTypes: ColumnTypes<string | boolean> = { owner: String, id: String, key: String, flag: Boolean }

const digest = (value: unknown): string => createHash('sha256').update(encode(value)).digest('hex')

test('a kept journal leads to the state of this snapshot format', () => {
  const projection = new Projection()
  projection.take(entries)
  assert.equal(
    digest(projection.state),
    states[SNAPSHOT_FORMAT],
    'events lead to a different state: raise SNAPSHOT_FORMAT in snapshot.ts and add the digest here',
  )
})

test('a kept journal leads to the rows of this table format', () => {
  const { orders, requests, history, updates } = new Projection().take(entries)
  assert.ok(orders.length > 0 && requests.length > 0 && history.length > 0 && updates.length > 0)
  const stored = [
    ...orders.map((order) => orderRow(order, columnTypes)),
    ...requests.map((request) => requestRow(request, columnTypes)),
    ...history.map((row) => historyRow(row, columnTypes)),
    ...updates.map((row) => updatesRow(row, columnTypes)),
  ]
  assert.equal(
    digest(stored.map((row) => row.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : value)))),
    rows[TABLES_FORMAT],
    'events lead to different rows: raise TABLES_FORMAT in tables.ts and add the digest here',
  )
})
