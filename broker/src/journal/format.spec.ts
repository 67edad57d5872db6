import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openFilesJournal } from './files.ts'
import { openMemoryJournal } from './memory.ts'
import { JournalReader } from './reader.ts'
import { segmentPath } from './segment-file.ts'
import { entry } from './testing/entries.ts'
import { emptyFolder } from './testing/journal.ts'
import { collect } from './testing/journal-suite.ts'
import { verifyJournal } from './walk.ts'

const GROUPS = [
  [entry('one')],
  [entry('two: ñ 東京 🪢', '\x00\x7f'), entry('three'), entry('\x00'.repeat(300), 'four')],
]
const HASH = '0361dfb1c3d5d90ec3b5e9d0bbcaac9fe3db79f6c83a61db15f7d3a10ec14d5a'

/** Journals written by released versions, one folder per format. These folders never change. */
const keptFolders = ['format-1'].map((name) => fileURLToPath(new URL(`kept/${name}`, import.meta.url)))

for (const folder of keptFolders) {
  test(`the journal kept in ${folder.split('/').at(-1)} still reads the same`, async () => {
    assert.deepEqual(await verifyJournal(folder), { head: { seq: 4, hash: HASH }, tornBytes: 0 })
    const reader = new JournalReader(folder)
    assert.deepEqual(await collect(reader.read(0, 4)), GROUPS.flat())
    await reader.close()
  })
}

test('the current version writes the newest kept journal byte for byte', async () => {
  const folder = emptyFolder()
  const journal = await openFilesJournal(folder)
  for (const group of GROUPS) await journal.append(group)
  await journal.close()
  const kept = readFileSync(segmentPath(keptFolders.at(-1)!, 1))
  const written = readFileSync(segmentPath(folder, 1))
  assert.deepEqual(written.subarray(0, kept.length), kept)
  assert.ok(written.subarray(kept.length).every((byte) => byte === 0))
})

test('a hash segment is 65,536 events, seeded with the hash of the previous one', async () => {
  const journal = openMemoryJournal()
  const events = Array.from({ length: 65_537 }, (_, index) => `event ${index}`)
  await journal.append(events.map((open) => entry(open)))
  const sha = (seed: Buffer, some: readonly string[]) =>
    createHash('sha256')
      .update(seed)
      .update(some.map((each) => String.fromCharCode(each.length) + each).join(''))
      .digest()
  const first = sha(Buffer.alloc(32), events.slice(0, 65_536))
  assert.equal(await journal.hashAt(65_536), first.toString('hex'))
  assert.equal(journal.head().hash, sha(first, events.slice(65_536)).toString('hex'))
})
