import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { openFilesJournal } from './files.ts'
import { JournalReader } from './reader.ts'
import { emptyFolder } from './testing/journal.ts'
import { all, collect, events, grouped, hashOf, journalSuite } from './testing/journal-suite.ts'
import { verifyJournal } from './walk.ts'

const small = { segmentEvents: 4 }

journalSuite('files', (options) => openFilesJournal(emptyFolder(), options))

test('a reopened journal continues at its head, with the same hash', async () => {
  const folder = emptyFolder()
  for (const group of grouped(events(20), [1, 7, 3, 9])) {
    const journal = await openFilesJournal(folder, small)
    assert.equal(journal.recovered, undefined)
    await journal.append(group)
    await journal.close()
  }
  const journal = await openFilesJournal(folder, small)
  assert.deepEqual(journal.head(), { seq: 20, hash: hashOf(20) })
  assert.deepEqual(await all(journal), events(20))
  assert.equal(await journal.hashAt(13), hashOf(13))
  await journal.close()
})

for (const [groups, names] of [
  [
    [4, 4, 1],
    [1, 5, 9],
  ],
  [
    [3, 3, 3],
    [1, 7],
  ],
  [
    [1, 12, 1],
    [1, 14],
  ],
  [
    [9, 9],
    [1, 10],
  ],
] as const) {
  test(`groups of ${groups} create files that start with events ${names}`, async () => {
    const folder = emptyFolder()
    const journal = await openFilesJournal(folder, small)
    for (const group of grouped(events(20), groups)) await journal.append(group)
    await journal.close()
    assert.deepEqual(
      (await readdir(folder)).map((name) => Number.parseInt(name, 10)),
      names,
    )
    const count = groups.reduce((sum, size) => sum + size, 0)
    assert.deepEqual(await verifyJournal(folder, small), {
      head: { seq: count, hash: hashOf(count) },
      tornBytes: 0,
    })
  })
}

test('a group is rejected while another is being stored, and the first is stored', async () => {
  const folder = emptyFolder()
  const journal = await openFilesJournal(folder)
  const first = journal.append(events(1))
  await assert.rejects(journal.append(events(1)), /bug/)
  await first
  await journal.close()
  assert.equal((await verifyJournal(folder)).head.seq, 1)
})

test('closing waits for the running append', async () => {
  const folder = emptyFolder()
  const journal = await openFilesJournal(folder)
  const append = journal.append(events(1))
  await journal.close()
  await append
  assert.equal((await verifyJournal(folder)).head.seq, 1)
})

test('verifying a missing journal finds no events', async () => {
  assert.equal((await verifyJournal(`${emptyFolder()}/none`)).head.seq, 0)
})

test('a reader follows the journal across files, from any event', async () => {
  const folder = emptyFolder()
  const journal = await openFilesJournal(folder, small)
  const follower = new JournalReader(folder)
  let seen = 0
  for (const group of grouped(events(20), [1, 7, 3, 9])) {
    await journal.append(group)
    const { seq } = journal.head()
    assert.deepEqual(await collect(follower.read(seen, seq)), group)
    assert.deepEqual(await collect(follower.read(seq, seq)), [])
    seen = seq
  }
  for (let after = 20; after >= 0; after--) {
    for (let to = after; to <= 20; to++) {
      assert.deepEqual(
        await collect(follower.read(after, to)),
        events(20).slice(after, to),
        `${after} to ${to}`,
      )
    }
  }
  await follower.close()
  await journal.close()
})

test('a reader that stopped early can continue', async () => {
  const folder = emptyFolder()
  const journal = await openFilesJournal(folder, small)
  for (const group of grouped(events(20), [2, 2, 2, 2, 2, 2, 2, 2, 2, 2])) await journal.append(group)
  const reader = new JournalReader(folder)
  for await (const batch of reader.read(0, 20)) {
    assert.deepEqual(batch, events(2))
    break
  }
  assert.deepEqual(await collect(reader.read(2, 20)), events(20).slice(2))
  await reader.close()
  await journal.close()
})

test('a reader and a verification stop at the given event', async () => {
  const folder = emptyFolder()
  const journal = await openFilesJournal(folder, small)
  for (const group of grouped(events(20), [1, 7, 3, 9])) await journal.append(group)
  await journal.close()
  const reader = new JournalReader(folder)
  assert.deepEqual(await collect(reader.read(0, 8)), events(8))
  await reader.close()
  assert.deepEqual((await verifyJournal(folder, { ...small, upTo: 8 })).head, { seq: 8, hash: hashOf(8) })
})
