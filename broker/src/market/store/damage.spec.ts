import assert from 'node:assert/strict'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { emptyFolder } from '../../journal/testing/journal.ts'
import { databasePath } from './database.ts'
import { StoreDamaged, StoreNewer } from './failures.ts'
import { makeRows } from './rows.ts'
import { openStore } from './store.ts'

const ROWS = 30_000
const key = { kind: 'bars', frame: '1Min', symbol: 'AAPL' } as const

/** A store with one series of three blocks. */
function storedFolder(): string {
  const folder = emptyFolder()
  const rows = makeRows('bars', ROWS)
  rows.count = ROWS
  for (let row = 0; row < ROWS; row++) {
    rows.micros[row] = row * 60_000_000
    for (const column of rows.numbers) column[row] = 100 + ((row * row) % 7)
  }
  const store = openStore(folder)
  const writer = store.write()
  writer.series(key).add(rows, 0, ROWS)
  writer.commit()
  store.close()
  return folder
}

/** The sum of all numbers, so that a wrong number is noticed. */
function readAll(folder: string): number {
  const store = openStore(folder)
  try {
    const rows = store.find(key)!.read({}, ROWS)
    return rows.numbers.reduce((sum, column) => column.reduce((total, value) => total + value, sum), 0)
  } finally {
    store.close()
  }
}

function flipBit(path: string, byte: number): void {
  const bytes = readFileSync(path)
  bytes[byte]! ^= 4
  writeFileSync(path, bytes)
}

test('a changed byte is reported as damage, or does not change the rows', () => {
  const folder = storedFolder()
  const path = databasePath(folder)
  const [whole, right] = [readFileSync(path), readAll(folder)]
  let reported = 0
  for (let byte = 0; byte < whole.length; byte += byte < 200 ? 7 : 3989) {
    flipBit(path, byte)
    try {
      assert.equal(readAll(folder), right, `byte ${byte}`)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      assert.ok(error instanceof StoreDamaged || error instanceof StoreNewer, `byte ${byte}: ${error}`)
      reported++
    }
    writeFileSync(path, whole)
  }
  assert.ok(reported > 50, `${reported} of the changed bytes were reported`)
})

test('a block with another checksum is not returned; the other blocks are', () => {
  const folder = storedFolder()
  const database = new DatabaseSync(databasePath(folder))
  database.exec('UPDATE blocks SET data = zeroblob(length(data)) WHERE period = 0')
  database.close()
  const store = openStore(folder)
  const series = store.find(key)!
  assert.throws(() => series.read({}, 1), {
    name: 'StoreDamaged',
    message: `${databasePath(folder)} is damaged: a block of bars-1Min.AAPL has another checksum`,
  })
  assert.equal(series.read({}, 1, 'desc').count, 1)
  store.close()
})

for (const [change, statement] of [
  ['missing', 'DELETE FROM blocks WHERE period = 1'],
  ['exchanged', 'UPDATE blocks SET period = -period - 1'],
] as const)
  test(`${change} blocks are noticed`, () => {
    const folder = storedFolder()
    const database = new DatabaseSync(databasePath(folder))
    database.exec(statement)
    database.close()
    assert.throws(() => readAll(folder), /bars-1Min.AAPL/)
  })

test('a shortened database is damage, and an import into it changes nothing', () => {
  const folder = storedFolder()
  truncateSync(databasePath(folder), 30_000)
  const before = readFileSync(databasePath(folder))
  assert.throws(() => readAll(folder), StoreDamaged)
  assert.throws(() => {
    const rows = makeRows('bars', 1)
    rows.count = 1
    const writer = openStore(folder).write()
    writer.series(key).add(rows, 0, 1)
    writer.commit()
  }, StoreDamaged)
  assert.deepEqual(readFileSync(databasePath(folder)), before)
})

test('a database of a newer format is not opened', () => {
  const folder = storedFolder()
  const database = new DatabaseSync(databasePath(folder))
  database.exec('PRAGMA user_version = 99')
  database.close()
  assert.throws(() => openStore(folder), StoreNewer)
})
