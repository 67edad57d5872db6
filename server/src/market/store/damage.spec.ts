import assert from 'node:assert/strict'
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { emptyFolder } from '../../journal/testing/journal.ts'
import { StoreDamaged, StoreNewer } from './failures.ts'
import { makeRows } from './rows.ts'
import { openStore } from './store.ts'

const ROWS = 10_000
const key = { kind: 'bars', frame: '1Min', symbol: 'AAPL' } as const

/** A store with one part of three blocks. */
function stored(): { readonly folder: string; readonly part: string } {
  const folder = emptyFolder()
  const rows = makeRows('bars', ROWS)
  rows.count = ROWS
  for (let row = 0; row < ROWS; row++) {
    rows.micros[row] = row * 60_000_000
    for (const column of rows.numbers) column[row] = 100 + (row % 7)
  }
  const store = openStore(folder)
  const writer = store.write()
  writer.series(key).add(rows, 0, ROWS)
  writer.commit()
  store.close()
  return { folder, part: join(folder, 'parts', readdirSync(join(folder, 'parts'))[0]!) }
}

function readAll(folder: string): number {
  const store = openStore(folder)
  try {
    return store.find(key)!.read({}, ROWS).count
  } finally {
    store.close()
  }
}

function turnBit(path: string, byte: number): void {
  const bytes = readFileSync(path)
  bytes[byte]! ^= 4
  writeFileSync(path, bytes)
}

test('no byte can change unnoticed', () => {
  const { folder, part } = stored()
  const { length } = readFileSync(part)
  assert.equal(readAll(folder), ROWS)
  // The four bytes after the version are kept for later.
  for (let byte = 0; byte < length; byte += byte < 12 || byte > length - 64 ? 1 : 1999) {
    if (byte >= 12 && byte < 16) continue
    turnBit(part, byte)
    assert.throws(
      () => readAll(folder),
      (error) => error instanceof StoreNewer || (error instanceof StoreDamaged && error.file === part),
      `byte ${byte}`,
    )
    turnBit(part, byte)
  }
})

test('a damaged block is told with file and byte; the others are still served', () => {
  const { folder, part } = stored()
  turnBit(part, 20)
  const series = openStore(folder).find(key)!
  assert.throws(() => series.read({}, 1), {
    message: new RegExp(`^${part} is damaged at byte 16: the checksum`),
  })
  assert.equal(series.read({}, 1, 'desc').count, 1)
})

for (const [what, name] of [
  ['a shortened part', 'part'],
  ['a changed manifest', 'manifest'],
] as const)
  test(`${what} is damage, and an import into it changes nothing`, () => {
    const { folder, part } = stored()
    const manifest = join(folder, 'manifest.json')
    if (name === 'part') truncateSync(part, 1000)
    else turnBit(manifest, 30)
    const before = readFileSync(manifest)
    assert.throws(() => readAll(folder), StoreDamaged)
    assert.throws(() => {
      const rows = makeRows('bars', 1)
      rows.count = 1
      const writer = openStore(folder).write()
      writer.series(key).add(rows, 0, 1)
      writer.commit()
    }, StoreDamaged)
    assert.deepEqual(readFileSync(manifest), before)
  })
