import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diskOperations, type FileOperations } from '../data-folder/file-operations.ts'
import { openFilesJournal } from './files.ts'
import { AppendFailed, type Journal, JournalClosed } from './journal.ts'
import { encodeFileHeader } from './record.ts'
import { emptyFolder } from './testing/journal.ts'
import { all, events, grouped, hashOf } from './testing/journal-suite.ts'

const small = { segmentEvents: 4 }
const GROUPS = [1, 2, 3, 1, 1, 4]

type Operation = keyof FileOperations

/** A disk on which the n-th call of an operation fails, and every later call too if the disk is permanently broken. */
function failingDisk(operation: Operation, nth: number, isBrokenForGood: boolean): FileOperations {
  let calls = 0
  let hasFailed = false
  const wrap =
    (name: Operation) =>
    async (...inputs: unknown[]) => {
      if (hasFailed && isBrokenForGood && name !== 'close') throw fault(name)
      if (name === operation && ++calls === nth) {
        hasFailed = true
        throw fault(name)
      }
      return (diskOperations[name] as (...inputs: unknown[]) => Promise<unknown>)(...inputs)
    }
  const names = Object.keys(diskOperations) as Operation[]
  return Object.fromEntries(names.map((name) => [name, wrap(name)])) as FileOperations
}

function fault(name: string): Error {
  return Object.assign(new Error(`${name}: no space left`), { code: 'ENOSPC' })
}

/** Appends groups until one fails. Returns the number of acknowledged events and the error. */
async function appendAll(journal: Journal) {
  let acknowledged = 0
  for (const group of grouped(events(12), GROUPS)) {
    try {
      await journal.append(group)
    } catch (failure) {
      assert.ok(failure instanceof AppendFailed)
      return { acknowledged, attempted: acknowledged + group.length, failure }
    }
    acknowledged += group.length
  }
  return { acknowledged, attempted: acknowledged }
}

/** The expected certainty per failed operation. A failed write is cut off if the disk still allows it. */
const rows: readonly [Operation, isBrokenForGood: boolean, certain: boolean][] = [
  ['open', false, true],
  ['rename', false, true],
  ['syncFolder', false, true],
  ['sync', false, true],
  ['datasync', false, false],
  ['datasync', true, false],
  ['write', false, true],
]

for (const [operation, isBrokenForGood, certain] of rows) {
  test(`when ${operation} fails${isBrokenForGood ? ' permanently' : ''}, the reported outcome is the stored one`, async () => {
    let failures = 0
    for (let nth = 1; ; nth++) {
      const folder = emptyFolder()
      const operations = failingDisk(operation, nth, isBrokenForGood)
      const journal = await openFilesJournal(folder, { ...small, operations })
      const { acknowledged, attempted, failure } = await appendAll(journal)
      if (!failure) break
      failures++
      assert.equal(failure.certain, certain, `${operation} ${nth}`)
      await assertDead(journal)
      const again = await openFilesJournal(folder, small)
      const { seq, hash } = again.head()
      assert.ok(failure.certain ? seq === acknowledged : seq === acknowledged || seq === attempted)
      assert.equal(hash, hashOf(seq))
      assert.deepEqual(await all(again), events(seq))
      await again.append(events(12).slice(seq))
      assert.equal(again.head().hash, hashOf(12))
      await again.close()
    }
    assert.ok(failures > 0)
  })
}

async function assertDead(journal: Journal) {
  await assert.rejects(journal.append(events(1)), (error) => error instanceof AppendFailed && error.certain)
  assert.throws(() => journal.head(), JournalClosed)
  assert.throws(() => journal.read(0), JournalClosed)
  await journal.close()
}

/** A disk that is full after `room` bytes of the record. */
function fullDisk(room: number, truncate: FileOperations['truncate']): FileOperations {
  let left = room
  return {
    ...diskOperations,
    truncate,
    write: async (file, bytes, at) => {
      if (bytes.length > 100_000) return diskOperations.write(file, bytes, at)
      if (left === 0) throw fault('write')
      const taken = Math.min(left, bytes.length)
      left -= taken
      return diskOperations.write(file, bytes.subarray(0, taken), at)
    },
  }
}

const FILE_HEADER_BYTES = encodeFileHeader(0, Buffer.alloc(32)).length

test('a record that fits only in part is cut off, and certainly not stored', async () => {
  for (let room = 0; room < 60; room += 7) {
    const folder = emptyFolder()
    const operations = fullDisk(FILE_HEADER_BYTES + room, diskOperations.truncate)
    const journal = await openFilesJournal(folder, { operations })
    await assert.rejects(journal.append(events(2)), (error: AppendFailed) => error.certain)
    const again = await openFilesJournal(folder)
    assert.equal(again.recovered, undefined)
    assert.equal(again.head().seq, 0)
    await again.close()
  }
})

test('a partial record that cannot be cut off has an unknown outcome', async () => {
  const folder = emptyFolder()
  const operations = fullDisk(FILE_HEADER_BYTES + 50, async () => {
    throw fault('truncate')
  })
  const journal = await openFilesJournal(folder, { operations })
  await assert.rejects(journal.append(events(2)), (error: AppendFailed) => !error.certain)
  const again = await openFilesJournal(folder)
  assert.deepEqual(again.recovered, { cutBytes: 50 })
  assert.equal(again.head().seq, 0)
  await again.close()
})

test('a disk that accepts a few bytes at a time stores every event', async () => {
  const folder = emptyFolder()
  const operations: FileOperations = {
    ...diskOperations,
    write: (file, bytes, at) =>
      diskOperations.write(file, bytes.length > 100_000 ? bytes : bytes.subarray(0, 13), at),
  }
  const journal = await openFilesJournal(folder, { ...small, operations })
  await appendAll(journal)
  await journal.close()
  const again = await openFilesJournal(folder, small)
  assert.deepEqual(again.head(), { seq: 12, hash: hashOf(12) })
  await again.close()
})

test('a record found after a failed sync is written again before it is used', async () => {
  const folder = emptyFolder()
  const failing = { operations: failingDisk('datasync', 2, true) }
  const journal = await openFilesJournal(folder, failing)
  assert.equal((await appendAll(journal)).acknowledged, 1)
  const log: string[] = []
  const operations: FileOperations = {
    ...diskOperations,
    write: (file, bytes, at) => {
      log.push(`write ${bytes.toString('latin1', 12, 28)}`)
      return diskOperations.write(file, bytes, at)
    },
    sync: (file) => {
      log.push('sync')
      return diskOperations.sync(file)
    },
  }
  const again = await openFilesJournal(folder, { operations })
  assert.equal(again.head().seq, 3)
  assert.deepEqual(log, ['write 0000000000000002', 'sync'])
  await again.close()
})
