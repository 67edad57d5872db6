import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openFilesJournal } from './files.ts'
import { openMemoryJournal } from './memory.ts'
import { JournalReader } from './reader.ts'
import { segmentPath } from './segment-file.ts'
import { emptyFolder } from './testing/journal.ts'
import { collect } from './testing/journal-suite.ts'
import { verifyJournal } from './verify.ts'

const GROUPS = [
  [{ open: '{"kind":"one"}' }],
  [
    { open: '{"kind":"two","text":"ñ 東京 🪢"}', sealed: '{"digest":"00ff"}' },
    { open: '{"kind":"three"}' },
    { open: '{"kind":"four"}', sealed: '{"digest":"11ee"}' },
  ],
]
const HASH = 'acc61982d8e6562428fe9e3b70f80ea0b8c7c9177d5543d49bbbd55d52cf6451'

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
  const lines = Array.from({ length: 65_537 }, (_, index) => `{"number":${index}}`)
  await journal.append(lines.map((open) => ({ open })))
  const sha = (seed: Buffer, text: string) => createHash('sha256').update(seed).update(text).digest()
  const first = sha(Buffer.alloc(32), lines.slice(0, 65_536).join('\n') + '\n')
  assert.equal(await journal.hashAt(65_536), first.toString('hex'))
  assert.equal(journal.head().hash, sha(first, `${lines[65_536]}\n`).toString('hex'))
})
