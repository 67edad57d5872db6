import assert from 'node:assert/strict'
import { appendFileSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyJournal } from './copy.ts'
import { openFilesJournal } from './files.ts'
import { JournalDamaged } from './journal.ts'
import { emptyFolder } from './testing/journal.ts'
import { all, events, grouped, hashOf } from './testing/journal-suite.ts'

const small = { segmentEvents: 4 }

async function filled(count: number, sizes: readonly number[]): Promise<string> {
  const folder = emptyFolder()
  const journal = await openFilesJournal(folder, small)
  for (const group of grouped(events(count), sizes)) await journal.append(group)
  await journal.close()
  return folder
}

test('a copy has the same events, opens, and accepts new ones', async () => {
  const from = await filled(20, [1, 7, 3, 9])
  const to = join(emptyFolder(), 'copy')
  assert.deepEqual(await copyJournal(from, to, small), { seq: 20, hash: hashOf(20) })
  assert.deepEqual(readdirSync(to), readdirSync(from))
  const journal = await openFilesJournal(to, small)
  assert.deepEqual(await all(journal), events(20))
  await journal.append(events(21).slice(20))
  assert.deepEqual(journal.head(), { seq: 21, hash: hashOf(21) })
  await journal.close()
})

test('preallocated space is not copied', async () => {
  const to = emptyFolder()
  await copyJournal(await filled(3, [3]), to, small)
  const [file] = globSync(join(to, '*.qj'))
  assert.ok(!readFileSync(file!).includes(0))
})

for (const [upTo, files] of [
  [8, 1],
  [11, 2],
  [20, 2],
] as const) {
  test(`a copy up to event ${upTo} of a journal in use has ${files} files and ends at that event`, async () => {
    const from = await filled(20, [1, 7, 3, 9])
    const to = emptyFolder()
    const head = await copyJournal(from, to, { ...small, upTo })
    assert.deepEqual(head, { seq: upTo, hash: hashOf(upTo) })
    assert.equal(readdirSync(to).length, files)
  })
}

test('the copy of an empty journal is empty', async () => {
  const head = { seq: 0, hash: hashOf(0) }
  assert.deepEqual(await copyJournal(emptyFolder(), emptyFolder()), head)
})

test('a torn group at the end is not copied', async () => {
  const from = await filled(8, [8])
  const [file] = globSync(join(from, '*.qj'))
  const text = readFileSync(file!)
  const end = text.indexOf(0)
  writeFileSync(file!, text.subarray(0, end))
  appendFileSync(file!, '\x1equipu 0001 00000')
  const to = emptyFolder()
  assert.deepEqual(await copyJournal(from, to, small), { seq: 8, hash: hashOf(8) })
  const [copied] = globSync(join(to, '*.qj'))
  assert.equal(readFileSync(copied!).length, end)
})

test('damage is reported and not copied', async () => {
  const from = await filled(20, [1, 7, 3, 9])
  const file = globSync(join(from, '*.qj')).sort()[1]!
  const bytes = readFileSync(file)
  const offset = bytes.indexOf('\n{') + 3
  bytes[offset] = bytes[offset]! ^ 1
  writeFileSync(file, bytes)
  await assert.rejects(
    copyJournal(from, emptyFolder(), small),
    (error) => error instanceof JournalDamaged && error.damage.from === 9,
  )
})

test('a copy never overwrites a journal', async () => {
  const from = await filled(3, [3])
  const to = await filled(2, [2])
  await assert.rejects(copyJournal(from, to, small), { code: 'EEXIST' })
})
