import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { openFilesJournal } from '../../server/src/journal/files.ts'
import type { Entry } from '../../server/src/journal/journal.ts'
import { JournalReader } from '../../server/src/journal/reader.ts'
import { assertSound } from '../bad-days/checks.ts'
import { pictureOf } from '../bad-days/picture.ts'
import { newFolder, startBroker } from '../broker.ts'
import {
  answered,
  contentOf,
  copyOf,
  firstFile,
  flip,
  journalOf,
  type Kept,
  keptFolder,
  store,
} from './kept.ts'

let kept: Kept
before(async () => {
  kept = await keptFolder()
})

test('restored in place, everything is as it was, and what was there stays beside', async (t) => {
  const parent = newFolder()
  const data = join(parent, 'data')
  const other = await startBroker(['--data', data])
  t.after(other.kill)
  const inUse = await store('restore', kept.backup, '--data', data, '--replace')
  assert.equal(inUse.code, 1)
  assert.match(inUse.stderr, /is in use by process \d+: end it with `quipu stop --data \/.*`/)
  assert.equal(await other.stop(), 0)
  const found = contentOf(data)
  const refused = await store('restore', kept.backup, '--data', data)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /is not empty; add --replace/)
  assert.deepEqual(contentOf(data), found)

  const { before, credentials } = await answered('restore', kept.backup, '--data', data, '--replace')
  assert.equal(credentials, 'of the folder before')
  assert.deepEqual([...contentOf(before).values()], [...found.values()])
  assert.deepEqual(
    readdirSync(parent)
      .map((name) => join(parent, name))
      .sort(),
    [data, before].sort(),
  )
  cpSync(join(kept.data, 'credentials.json'), join(data, 'credentials.json'))
  const broker = await startBroker(['--data', data])
  t.after(broker.kill)
  assert.deepEqual(await pictureOf(broker), kept.was)
  assert.deepEqual(await assertSound(broker), kept.head)
})

/** Writes the journal of a backup anew with one event changed, checksums, chain and manifest fitting. */
async function forge(folder: string, change: (open: string) => string): Promise<void> {
  const reader = new JournalReader(journalOf(folder))
  const entries: Entry[] = []
  for await (const group of reader.read(0, kept.head.seq)) entries.push(...group)
  await reader.close()
  const place = entries.findLastIndex(({ open }) => open.includes('"posting"'))
  entries[place] = { ...entries[place]!, open: change(entries[place]!.open) }
  rmSync(journalOf(folder), { recursive: true })
  const journal = await openFilesJournal(journalOf(folder))
  await journal.append(entries)
  const manifest = JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8'))
  writeFileSync(join(folder, 'backup.json'), JSON.stringify({ ...manifest, ...journal.head() }))
  await journal.close()
}

const changeManifest = (folder: string, change: object): void => {
  const path = join(folder, 'backup.json')
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }))
}

const cutEnd = (folder: string): void => {
  const bytes = readFileSync(firstFile(folder))
  writeFileSync(firstFile(folder), bytes.subarray(0, bytes.length - 5))
}

const damages: readonly (readonly [given: string, damage: (folder: string) => unknown, says: RegExp])[] = [
  ['a flipped byte', flip, /the journal is damaged from event \d+ on/],
  ['its last record cut short', cutEnd, /its journal ends at event \d+ with hash \w+, expected \d+/],
  ['no journal', (folder) => rmSync(journalOf(folder), { recursive: true }), /its journal ends at event 0/],
  ['no manifest', (folder) => rmSync(join(folder, 'backup.json')), /is not a backup/],
  ['half a manifest', (folder) => writeFileSync(join(folder, 'backup.json'), '{"format":1'), /is damaged/],
  ['another hash', (folder) => changeManifest(folder, { hash: '0'.repeat(64) }), /expected \d+ with 0000/],
  [
    'a newer format',
    (folder) => changeManifest(folder, { format: 99 }),
    /backup format 99, this version reads/,
  ],
  [
    'a newer folder layout',
    (folder) => writeFileSync(join(folder, 'format.json'), '{"version":99}'),
    /data format 99, this version reads up to/,
  ],
  [
    'books that do not balance under a fitting hash',
    (folder) =>
      forge(folder, (open) =>
        open.replace(/("amount":"?-?)\D*(\d)/, (_, start, digit) => `${start}${digit}7`),
      ),
    /the posting does not balance/,
  ],
]

for (const [given, damage, says] of damages)
  test(`a backup with ${given} is refused, and nothing is changed`, async () => {
    const broken = copyOf(kept.backup)
    await damage(broken)
    const parent = newFolder()
    const data = join(parent, 'data')
    cpSync(kept.data, data, { recursive: true })
    const found = contentOf(parent)
    const { code, stdout, stderr } = await store('restore', broken, '--data', data, '--replace')
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.match(stderr, says)
    assert.deepEqual(contentOf(parent), found)
  })
