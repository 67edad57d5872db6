import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { openFilesJournal } from './files.ts'
import { JournalDamaged, JournalNewer } from './journal.ts'
import { JournalReader } from './reader.ts'
import { segmentPath } from './segment-file.ts'
import { entry } from './testing/entries.ts'
import { emptyFolder } from './testing/journal.ts'
import { all, collect, events, grouped, hashOf } from './testing/journal-suite.ts'
import { verifyJournal } from './walk.ts'

const small = { segmentEvents: 4 }
const SECTOR = 512
/** The distance of the bytes that are changed. `npm run test:long` changes every byte. */
const STEP = process.env['INPUTS'] === undefined ? 5 : 1
/** The journal is verified with each change, and opened with every twentieth byte, because both use the same code. */
const OPENED_EVERY = 20

/** A journal of several files. Each test changes bytes of one file. */
async function written(groups: readonly number[], options: { segmentEvents?: number } = small) {
  const folder = emptyFolder()
  const journal = await openFilesJournal(folder, options)
  const total = groups.reduce((sum, size) => sum + size, 0)
  for (const group of grouped(events(total), groups)) await journal.append(group)
  await journal.close()
  const files = readdirSync(folder).map((name) => ({
    path: join(folder, name),
    bytes: used(join(folder, name)),
  }))
  return { folder, files, last: files.at(-1)! }
}

/** The content of a file without the preallocated zeros. */
function used(path: string): Buffer {
  const bytes = readFileSync(path)
  return bytes.subarray(0, bytes.length - /\0*$/.exec(bytes.toString('latin1'))![0].length)
}

const isDamagedFrom =
  (...numbers: number[]) =>
  (error: unknown) =>
    error instanceof JournalDamaged && numbers.includes(error.damage.from)

/** Opens the journal, which must contain these events and accept new ones. */
async function holds(folder: string, count: number, cutBytes: number) {
  const journal = await openFilesJournal(folder, small)
  assert.deepEqual(journal.recovered, cutBytes > 0 ? { cutBytes } : undefined)
  assert.deepEqual(await all(journal), events(count))
  await journal.append([entry('next')])
  await journal.close()
  const again = await openFilesJournal(folder, small)
  assert.equal(again.recovered, undefined)
  assert.equal(again.head().seq, count + 1)
  await again.close()
}

for (const zeros of [0, 4096]) {
  test(`a last record torn at any byte, with ${zeros} zeros after it, is cut off`, async () => {
    const { folder, last } = await written([3, 3, 2, 1])
    const start = last.bytes.lastIndexOf('\x1equipu ')
    for (let end = start; end < last.bytes.length; end += STEP) {
      writeFileSync(last.path, Buffer.concat([last.bytes.subarray(0, end), Buffer.alloc(zeros)]))
      assert.equal((await verifyJournal(folder, small)).tornBytes, end - start)
      if ((end - start) % OPENED_EVERY === 0) await holds(folder, 8, end - start)
    }
  })
}

test('a last record without any one of its sectors is cut off', async () => {
  const { folder, last } = await written([3, 3, 2, 60])
  const start = last.bytes.lastIndexOf('\x1equipu ')
  assert.ok(last.bytes.length - start > 3 * SECTOR)
  for (let sector = 0; sector < last.bytes.length; sector += SECTOR) {
    const bytes = Buffer.concat([last.bytes, Buffer.alloc(4096)])
    bytes.fill(0, Math.max(start, sector), Math.min(sector + SECTOR, last.bytes.length))
    writeFileSync(last.path, bytes)
    const journal = await openFilesJournal(folder, small)
    assert.ok(journal.recovered!.cutBytes > 0)
    assert.deepEqual(journal.head(), { seq: 8, hash: hashOf(8) })
    await journal.close()
  }
})

test('an event that contains a record header does not hide a torn record', async () => {
  const { folder, last } = await written([3, 3, 2])
  const header = last.bytes.subarray(last.bytes.lastIndexOf('\x1equipu ')).toString('latin1').split('\n')[0]
  const journal = await openFilesJournal(folder, small)
  await journal.append([entry(`${header}\n`.repeat(20))])
  await journal.close()
  const path = segmentPath(folder, 9)
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0, 1024, 1536))
  const again = await openFilesJournal(folder, small)
  assert.ok(again.recovered!.cutBytes > 0)
  assert.deepEqual(again.head(), { seq: 8, hash: hashOf(8) })
  await again.close()
})

test('one changed bit anywhere is detected, with its event number', async () => {
  const { folder, files } = await written([3, 3, 2, 1])
  for (const { path, bytes } of files) {
    for (let offset = 0; offset < bytes.length; offset += STEP) {
      const changed = Buffer.from(bytes)
      changed[offset]! ^= 1 << (offset % 8)
      writeFileSync(path, changed)
      const mark = bytes.lastIndexOf('\x1equipu ', offset)
      const first = Number(mark < 0 ? path.slice(-19, -3) : bytes.toString('latin1', mark + 12, mark + 28))
      if (offset % OPENED_EVERY === 0)
        await assert.rejects(openFilesJournal(folder, small), isDamagedFrom(first), `${path} at ${offset}`)
      const { head, damage } = await verifyJournal(folder, small)
      assert.deepEqual(head, { seq: first - 1, hash: hashOf(first - 1) })
      assert.deepEqual([damage!.from, damage!.file], [first, path])
    }
    writeFileSync(path, bytes)
  }
  await holds(folder, 9, 0)
})

test('zeros over any record except the last are damage, not a torn end', async () => {
  const { folder, last } = await written([1, 2, 3], {})
  const [, second, third] = [...last.bytes.toString('latin1').matchAll(/\x1equipu /g)].map(
    ({ index }) => index,
  )
  writeFileSync(last.path, Buffer.from(last.bytes).fill(0, second, third))
  await assert.rejects(openFilesJournal(folder), isDamagedFrom(2))
  writeFileSync(last.path, Buffer.from(last.bytes).fill(0, second! + 40, second! + 100))
  await assert.rejects(openFilesJournal(folder), isDamagedFrom(2))
})

test('a repeated or missing record is damage', async () => {
  const { folder, last } = await written([1, 2, 3], {})
  const [first, second, third] = [...last.bytes.toString('latin1').matchAll(/\x1equipu /g)].map(
    ({ index }) => index,
  )
  const part = (from?: number, to?: number) => last.bytes.subarray(from, to)
  writeFileSync(last.path, Buffer.concat([part(0, second), part(first)]))
  await assert.rejects(openFilesJournal(folder), isDamagedFrom(2))
  writeFileSync(last.path, Buffer.concat([part(0, second), part(third)]))
  await assert.rejects(openFilesJournal(folder), isDamagedFrom(2))
})

for (const [gone, from] of [
  [0, 1],
  [1, 5],
  [2, 9],
] as const) {
  test(`a journal without file ${gone + 1} of 4 is damaged from event ${from}`, async () => {
    const { folder, files } = await written([4, 4, 4, 4])
    rmSync(files[gone]!.path)
    await assert.rejects(openFilesJournal(folder, small), isDamagedFrom(from))
    const reader = new JournalReader(folder)
    await assert.rejects(collect(reader.read(0, 16)), isDamagedFrom(from))
    await reader.close()
  })
}

test('a torn end in a file that is not the last is damage', async () => {
  const { folder, files } = await written([2, 2, 4])
  const { path, bytes } = files[0]!
  writeFileSync(path, bytes.subarray(0, -5))
  await assert.rejects(openFilesJournal(folder, small), isDamagedFrom(3))
})

test('an event rewritten with correct checksums breaks the hash of its segment', async () => {
  const { folder, files } = await written([4, 4, 4])
  const { path, bytes } = files[1]!
  const text = bytes.toString('latin1')
  const start = text.indexOf('\x1equipu ')
  const payload = text.slice(start).split('\n').slice(1).join('\n').replace('"number":6', '"number":7')
  const header = `${text.slice(start, start + 60)}${hex(crc32(payload))}`
  writeFileSync(path, Buffer.from(`${text.slice(0, start)}${header} ${hex(crc32(header))}\n${payload}`))
  const { damage } = await verifyJournal(folder, small)
  assert.equal(damage!.from, 5)
  assert.match(damage!.reason, /hash/)
})

test('a newer format is rejected with both versions, and is not damage', async () => {
  const { folder, last } = await written([1, 2, 3], {})
  const text = last.bytes.toString('latin1')
  for (const mark of ['\x1ejournal ', '\x1equipu ']) {
    const start = text.lastIndexOf(mark)
    const line = text.slice(start, text.indexOf('\n', start))
    const newer = line.slice(0, -9).replace('0001', '0002')
    writeFileSync(last.path, Buffer.from(text.replace(line, `${newer} ${hex(crc32(newer))}`), 'latin1'))
    const isNewer = (error: unknown) =>
      error instanceof JournalNewer && /format 2, this version reads up to 1$/.test(error.message)
    await assert.rejects(openFilesJournal(folder), isNewer)
    await assert.rejects(verifyJournal(folder), isNewer)
  }
})

test('other bytes in the preallocated space are cut off', async () => {
  const { folder, last } = await written([3, 3, 2, 1])
  const bytes = Buffer.concat([last.bytes, Buffer.alloc(200_000)])
  bytes[bytes.length - 7] = 1
  writeFileSync(last.path, bytes)
  await holds(folder, 9, 200_000 - 6)
})

test('a file created before the stop is used, an unfinished file is not', async () => {
  const { folder, files } = await written([4, 4, 4])
  const header = files[2]!.bytes.subarray(0, files[2]!.bytes.indexOf('\n') + 1)
  writeFileSync(files[2]!.path, header)
  writeFileSync(join(folder, 'next.tmp'), header.subarray(0, 9))
  await holds(folder, 8, 0)
})

function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, '0')
}
