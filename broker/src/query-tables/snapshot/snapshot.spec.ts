import assert from 'node:assert/strict'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { apply, emptyState, encode, forget, type State } from '@quipu/core'
import fc from 'fast-check'
import type { Entry } from '../../journal/journal.ts'
import { openMemoryJournal } from '../../journal/memory.ts'
import { eventOf } from '../../journal/stored-event.ts'
import { emptyFolder } from '../../journal/testing/journal.ts'
import { Tables } from '../sqlite/tables.ts'
import { QueryTablesFolder, WORLD } from '../testing/query-tables-folder.ts'
import { Story } from '../testing/story.ts'
import { loadSnapshot, SNAPSHOT_FORMAT, writeSnapshot } from './snapshot.ts'

const story = new Story(7).run(500)
const total = story.entries.length
assert.ok(total > 500)

function replay(state: State, entries: readonly Entry[]): State {
  for (const entry of entries) apply(state, eventOf(entry))
  return state
}

async function journalOf(entries: readonly Entry[]) {
  const journal = openMemoryJournal()
  await journal.append(entries)
  return journal
}

/** A folder with snapshots at these numbers of the story. */
async function folderWithSnapshots(...numbers: readonly number[]): Promise<string> {
  const [folder, journal] = [emptyFolder(), await journalOf(story.entries)]
  for (const seq of numbers) {
    const state = replay(emptyState(), story.entries.slice(0, seq))
    await writeSnapshot(folder, state, { hash: await journal.hashAt(seq), keep: 2 })
  }
  return folder
}

const load = async (folder: string, entries = story.entries) =>
  (await loadSnapshot(folder, await journalOf(entries)))?.seq

test('a snapshot and the events after it lead to the same state as all events', async () => {
  const property = fc.asyncProperty(fc.nat({ max: 9 }), fc.nat(), fc.nat(), async (seed, cut, forgotten) => {
    const { entries } = new Story(seed).run(120)
    const [at, upTo] = [1 + (cut % entries.length), forgotten % (entries.length + 1)]
    const [folder, journal] = [emptyFolder(), await journalOf(entries)]
    const early = replay(emptyState(), entries.slice(0, at))
    forget(early, Math.min(upTo, at))
    await writeSnapshot(folder, early, { hash: await journal.hashAt(at), keep: 1 })
    const restored = await loadSnapshot(folder, journal)
    assert.equal(encode(restored), encode(early))
    const late = replay(restored!, entries.slice(at))
    const full = replay(emptyState(), entries)
    for (const state of [late, full]) forget(state, state.seq)
    assert.equal(encode(late), encode(full))
  })
  await fc.assert(property, { numRuns: Math.ceil(40 * Number(process.env['PROPERTY_FACTOR'] ?? 0.25)) })
})

test('the newest two snapshots are kept, and the newest is loaded', async () => {
  const folder = await folderWithSnapshots(100, 200, 300)
  assert.deepEqual(readdirSync(folder).sort(), ['0000000000000200.snapshot', '0000000000000300.snapshot'])
  assert.equal(await load(folder), 300)
})

test('a snapshot ahead of the journal is not used and never deleted', async () => {
  const folder = await folderWithSnapshots(100, 300)
  const journal = await journalOf(story.entries.slice(0, 200))
  assert.equal((await loadSnapshot(folder, journal))?.seq, 100)
  const state = replay(emptyState(), story.entries.slice(0, 200))
  await writeSnapshot(folder, state, { hash: journal.head().hash, keep: 2 })
  assert.equal((await loadSnapshot(folder, journal))?.seq, 200)
  assert.ok(existsSync(join(folder, '0000000000000300.snapshot')))
})

for (const [what, spoil] of [
  ['is empty', (path: string) => writeFileSync(path, '')],
  ['was cut', (path: string) => truncateSync(path, readFileSync(path).length - 1)],
  ['was cut in its first line', (path: string) => truncateSync(path, 20)],
  ['was added to', (path: string) => appendFileSync(path, '\n')],
  ['has a changed byte', (path: string) => change(path, 'accounts', 'accountz')],
  ['has a changed number', (path: string) => change(path, '"seq":200', '"seq":199')],
  ['has another format', (path: string) => change(path, `"format":${SNAPSHOT_FORMAT}`, '"format":0')],
] as const)
  test(`a snapshot that ${what} is ignored, and an older one is used if it exists`, async () => {
    const folder = await folderWithSnapshots(100, 200)
    spoil(join(folder, '0000000000000200.snapshot'))
    assert.equal(await load(folder), 100)
    const alone = await folderWithSnapshots(200)
    spoil(join(alone, '0000000000000200.snapshot'))
    assert.equal(await load(alone), undefined)
  })

test('a snapshot of another journal is ignored', async () => {
  const folder = await folderWithSnapshots(100)
  const other = new Story(8).run(300).entries
  assert.equal(await load(folder, other), undefined)
})

test('an unfinished file is not a snapshot', async () => {
  const folder = await folderWithSnapshots(100)
  writeFileSync(join(folder, 'next.tmp'), 'half a line')
  assert.equal(await load(folder), 100)
  assert.equal(await load(join(folder, 'missing')), undefined)
})

test('the query tables take a snapshot every `snapshotEvents` events and on close, and continue from it', async () => {
  const folder = new QueryTablesFolder({ snapshotEvents: 200, batchEventsMax: 50 })
  const names = () => readdirSync(folder.snapshots()).sort()
  await folder.with(async (queryTables, journal) => {
    for (let at = 0; at < 450; at += 50) {
      await journal.append(story.entries.slice(at, at + 50))
      queryTables.follow(journal.head().seq)
      await queryTables.reached(journal.head().seq)
    }
    assert.deepEqual(names(), ['0000000000000200.snapshot', '0000000000000400.snapshot'])
  })
  assert.deepEqual(names(), ['0000000000000400.snapshot', '0000000000000450.snapshot'])
  await folder.add(story.entries.slice(450))
  const journal = await folder.openJournal()
  const state = await loadSnapshot(folder.snapshots(), journal)
  assert.equal(state?.seq, total)
  const full = replay(emptyState(), story.entries)
  forget(full, full.seq)
  assert.equal(encode(state), encode(full))
  await journal.close()
})

test('a thread makes the same snapshots, from an earlier one and from the first event', async () => {
  const snapshots = async (snapshotThreadMin: number) => {
    const folder = new QueryTablesFolder({ snapshotThreadMin })
    await folder.add(story.entries.slice(0, 300))
    await folder.add(story.entries.slice(300))
    const names = readdirSync(folder.snapshots()).sort()
    return names.map((name) => [name, readFileSync(join(folder.snapshots(), name), 'utf8')])
  }
  const fromThread = await snapshots(1)
  assert.equal(fromThread.length, 2)
  assert.deepEqual(fromThread, await snapshots(Number.POSITIVE_INFINITY))
})

test('a snapshot is taken only after its events are in the main database file', async () => {
  const folder = new QueryTablesFolder({ snapshotEvents: 200, batchEventsMax: 50 })
  await folder.with(async (queryTables, journal) => {
    for (let at = 0; at < 250; at += 50) {
      await journal.append(story.entries.slice(at, at + 50))
      queryTables.follow(journal.head().seq)
      await queryTables.reached(journal.head().seq)
    }
    assert.deepEqual(readdirSync(folder.snapshots()), ['0000000000000200.snapshot'])
    // A power cut may lose the log beside the file, so the copy omits it.
    const copy = join(emptyFolder(), 'queryTables.db')
    copyFileSync(folder.file(), copy)
    assert.ok(new Tables(copy, WORLD).position >= 200)
  })
})

test('without a usable snapshot the query tables replay, and no older row overwrites a newer one', async () => {
  const folder = new QueryTablesFolder({ batchEventsMax: 50 })
  await folder.add(story.entries.slice(0, 300))
  for (const name of readdirSync(folder.snapshots())) change(join(folder.snapshots(), name), 'seq', 'qes')
  await folder.add(story.entries.slice(300))
  const plain = new QueryTablesFolder()
  await plain.add(story.entries)
  assert.deepEqual(folder.rows(), plain.rows())
  assert.deepEqual(folder.logged, [])
})

test('if a snapshot cannot be written, the query tables continue and log it', async () => {
  const folder = new QueryTablesFolder({ snapshotEvents: 100 })
  writeFileSync(folder.snapshots(), 'a file where a folder should be')
  await folder.add(story.entries)
  assert.match(folder.logged.join('\n'), /^no snapshot was taken at event \d+: /)
  assert.deepEqual(folder.failures, [])
})

function change(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8')
  assert.ok(text.includes(from))
  writeFileSync(path, text.replace(from, to))
}
