import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { BrokerEvent } from '@quipu/core'
import { openFilesJournal } from '../../broker/src/journal/files.ts'
import type { Entry } from '../../broker/src/journal/journal.ts'
import { JournalReader } from '../../broker/src/journal/reader.ts'
import { eventOf, storedEntry } from '../../broker/src/journal/stored-event.ts'
import { accountStateOf, assertSound } from '../bad-days/checks.ts'
import { newFolder, startBroker } from '../support/broker.ts'
import {
  contentOf,
  copyOf,
  firstFile,
  flip,
  journalOf,
  runStore,
  type SampleFolder,
  sampleFolder,
  store,
} from './sample-folder.ts'

let sample: SampleFolder
before(async () => {
  sample = await sampleFolder()
})

test('restore --replace restores everything and keeps the replaced folder', async (t) => {
  const parent = newFolder()
  const data = join(parent, 'data')
  const other = await startBroker(['--data', data])
  t.after(other.kill)
  const inUse = await store('restore', sample.backup, '--data', data, '--replace')
  assert.equal(inUse.code, 1)
  assert.match(inUse.stderr, /is in use by process \d+: end it with `quipu stop --data \/.*`/)
  assert.equal(await other.stop(), 0)
  const previous = contentOf(data)
  const refused = await store('restore', sample.backup, '--data', data)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /is not empty; add --replace/)
  assert.deepEqual(contentOf(data), previous)

  const { before, credentials } = await runStore('restore', sample.backup, '--data', data, '--replace')
  assert.equal(credentials, 'of the folder before')
  assert.deepEqual([...contentOf(before).values()], [...previous.values()])
  assert.deepEqual(
    readdirSync(parent)
      .map((name) => join(parent, name))
      .sort(),
    [data, before].sort(),
  )
  cpSync(join(sample.data, 'credentials.json'), join(data, 'credentials.json'))
  const broker = await startBroker(['--data', data])
  t.after(broker.kill)
  assert.deepEqual(await accountStateOf(broker), sample.account)
  assert.deepEqual(await assertSound(broker), sample.head)
})

test('restore --replace carries over the backups in the data folder and which was the last', async () => {
  const data = join(newFolder(), 'data')
  cpSync(sample.data, data, { recursive: true })
  const made = join(data, 'backups', 'monday')
  await runStore('backup', made, '--data', data)
  const { before, hash } = await runStore('restore', made, '--data', data, '--replace')
  assert.equal((await runStore('verify', made)).hash, hash)
  assert.equal(JSON.parse(readFileSync(join(data, 'last-backup.json'), 'utf8')).folder, made)
  assert.equal(readdirSync(before).includes('backups'), false)
})

/** Rewrites the journal of a backup with one event changed and with valid checksums, hashes and manifest. */
async function forge(folder: string, change: (event: BrokerEvent) => BrokerEvent): Promise<void> {
  const reader = new JournalReader(journalOf(folder))
  const entries: Entry[] = []
  for await (const group of reader.read(0, sample.head.seq)) entries.push(...group)
  await reader.close()
  const index = entries.findLastIndex((entry) => 'posting' in eventOf(entry))
  entries[index] = storedEntry(change(eventOf(entries[index]!)))
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

const damages: readonly (readonly [fault: string, damage: (folder: string) => unknown, error: RegExp])[] = [
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
    'an unbalanced posting under a valid hash',
    (folder) =>
      forge(folder, (event) => {
        const [first, ...others] = 'posting' in event ? event.posting : []
        return { ...event, posting: [{ ...first!, amount: first!.amount + 7n }, ...others] } as BrokerEvent
      }),
    /the posting does not balance/,
  ],
]

for (const [fault, damage, error] of damages)
  test(`a backup with ${fault} is refused, and nothing is changed`, async () => {
    const broken = copyOf(sample.backup)
    await damage(broken)
    const parent = newFolder()
    const data = join(parent, 'data')
    cpSync(sample.data, data, { recursive: true })
    const found = contentOf(parent)
    const { code, stdout, stderr } = await store('restore', broken, '--data', data, '--replace')
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.match(stderr, error)
    assert.deepEqual(contentOf(parent), found)
  })
