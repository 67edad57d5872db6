import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { apply, emptyState, type OrderId, type State } from '@quipu/core'
import { JournalLost } from '../../journal/journal.ts'
import { NotApplied } from '../../journal/not-applied.ts'
import { segmentPath } from '../../journal/segment-file.ts'
import { eventOf } from '../../journal/stored-event.ts'
import { rebuildQueryTables } from '../rebuild.ts'
import { QueryTablesFolder, WORLD } from '../testing/query-tables-folder.ts'
import { queryTablesSuite } from '../testing/query-tables-suite.ts'
import { Story } from '../testing/story.ts'

async function openStore() {
  const folder = new QueryTablesFolder({ batchEventsMax: 64 })
  const journal = await folder.openJournal()
  return { journal, open: () => folder.openQueryTables(journal) }
}

queryTablesSuite('sqlite', openStore, [1])

const story = new Story(5).run(300)
const half = Math.floor(story.entries.length / 2)
const everything = { accountId: story.accounts[0]!, status: 'all', limit: 500, direction: 'asc' } as const

/** A folder whose query tables contain these events. */
async function folderWith(...entries: readonly (typeof story.entries)[]): Promise<QueryTablesFolder> {
  const folder = new QueryTablesFolder({ batchEventsMax: 64 })
  for (const part of entries) await folder.add(part)
  return folder
}

const complete = folderWith(story.entries)

/** A folder whose query tables contain the story: a copy of one that is built once. */
async function withStory(): Promise<QueryTablesFolder> {
  const folder = new QueryTablesFolder({ batchEventsMax: 64 })
  cpSync((await complete).path, folder.path, { recursive: true })
  return folder
}

test('rows do not depend on batches, and a rebuild gives the same rows', async () => {
  const folder = await withStory()
  const rows = folder.rows()
  const other = await folderWith(story.entries.slice(0, half), story.entries.slice(half))
  assert.deepEqual(other.rows(), rows)
  const { head } = await folder.with(async (_, journal) => ({ head: journal.head() }))
  const progress: number[] = []
  await rebuildQueryTables({
    world: WORLD,
    file: folder.file(),
    journalFolder: folder.journalFolder(),
    head,
    progress: (seq) => progress.push(seq),
  })
  assert.deepEqual(folder.rows(), rows)
  assert.equal(progress.at(-1), head.seq)
  await folder.with(async (queryTables) => assert.equal(queryTables.position(), head.seq))
  assert.deepEqual(folder.logged, [])
})

/** `npm run test:long` runs all of them, `npm test` the first two. */
const damages: readonly (readonly [what: string, spoil: (file: string) => void])[] = [
  ['is no database', (file) => writeFileSync(file, 'x'.repeat(5000))],
  ['was made from another journal', (file) => run(file, "UPDATE progress SET mark_hash = 'x'")],
  ['was cut', (file) => truncateSync(file, 4096)],
  ['has a page of zeros', (file) => writeSync(openSync(file, 'r+'), Buffer.alloc(4096), 0, 4096, 0)],
  ['has another format', (file) => run(file, 'PRAGMA user_version = 999')],
  ['has tables of someone else', (file) => run(file, 'PRAGMA user_version = 0')],
]

for (const [what, spoil] of damages.slice(0, process.env['CASES'] === 'all' ? undefined : 2))
  test(`a file that ${what} is rebuilt from the journal, and the log says so`, async () => {
    const folder = await withStory()
    const rows = folder.rows()
    spoil(folder.file())
    await folder.with(async (queryTables) => assert.equal(queryTables.position(), story.entries.length))
    assert.deepEqual(folder.rows(), rows)
    assert.match(folder.logged.join(), /^query tables are rebuilt from the journal: [^,]+/)
    assert.deepEqual(folder.failures, [])
  })

test('tables ahead of the journal prove a loss: they are not opened and stay unchanged', async () => {
  const folder = await folderWith(story.entries.slice(0, half))
  const journalFile = segmentPath(folder.journalFolder(), 1)
  const earlier = readFileSync(journalFile)
  await folder.add(story.entries.slice(half))
  const rows = folder.rows()
  writeFileSync(journalFile, earlier)
  const isLost = (error: unknown) => error instanceof JournalLost && error.end === half
  await assert.rejects(
    folder.with(async () => undefined),
    isLost,
  )
  assert.deepEqual(folder.rows(), rows)
  assert.deepEqual(folder.logged, [])
})

test('damage found by a query ends the query tables, and the next opening rebuilds them', async () => {
  const folder = await withStory()
  const rows = folder.rows()
  await folder.with(async (queryTables) => {
    const size = readFileSync(folder.file()).length
    writeSync(openSync(folder.file(), 'r+'), Buffer.alloc(size - 4096, 0xff), 0, size - 4096, 4096)
    await assert.rejects(queryTables.orders(everything), NotApplied)
    await assert.rejects(queryTables.reached(1_000_000), NotApplied)
    await assert.rejects(queryTables.order(everything.accountId, 'x' as OrderId), NotApplied)
    assert.equal(folder.failures.length, 1)
  })
  assert.ok(!existsSync(folder.file()))
  await folder.with(async () => assert.deepEqual(folder.rows(), rows))
})

test('an unreadable journal ends the query tables, and the error is reported to the world', async () => {
  const folder = await folderWith(story.entries.slice(0, half))
  await folder.with(async (queryTables, journal) => {
    await journal.append(story.entries.slice(half))
    const journalFile = segmentPath(folder.journalFolder(), 1)
    writeFileSync(journalFile, readFileSync(journalFile, 'latin1').replaceAll('order', 'Order'), 'latin1')
    queryTables.follow(journal.head().seq)
    await assert.rejects(queryTables.reached(journal.head().seq), NotApplied)
    assert.match(String(folder.failures), /journal damaged from event/)
    assert.equal(queryTables.position(), half)
  })
})

/** The state after the first half of the story. */
function halfway(): State {
  const state = emptyState()
  for (const entry of story.entries.slice(0, half)) apply(state, eventOf(entry))
  return state
}

for (const [what, state] of [
  ['continues from the state that it receives', halfway()],
  ['replays the journal if there is no such state', undefined],
] as const)
  test(`without a snapshot the writer ${what}`, async () => {
    const folder = await folderWith(story.entries.slice(0, half))
    rmSync(folder.snapshots(), { recursive: true })
    const journal = await folder.openJournal()
    const queryTables = await folder.openQueryTables(journal)
    assert.equal(queryTables.stateWantedAt, half)
    queryTables.takeState!(state)
    assert.equal(queryTables.stateWantedAt, undefined)
    await journal.append(story.entries.slice(half))
    queryTables.follow(journal.head().seq)
    await queryTables.reached(journal.head().seq)
    await queryTables.close()
    await journal.close()
    assert.deepEqual(folder.rows(), (await complete).rows())
  })

test('without a snapshot the writer also closes before it has a state', async () => {
  const folder = await folderWith(story.entries)
  rmSync(folder.snapshots(), { recursive: true })
  const journal = await folder.openJournal()
  const queryTables = await folder.openQueryTables(journal)
  assert.equal(queryTables.stateWantedAt, story.entries.length)
  await queryTables.close()
  await journal.close()
  assert.deepEqual(folder.rows(), (await complete).rows())
})

test('queries above the limit are rejected, the others succeed', async () => {
  const folder = await withStory()
  const few = new QueryTablesFolder({ queriesMax: 3 }, folder.path)
  await few.with(async (queryTables) => {
    const pending = Array.from({ length: 5 }, () => queryTables.orders(everything))
    const responses = await Promise.allSettled(pending)
    assert.deepEqual(
      responses.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    )
    assert.equal((await queryTables.orders(everything)).length, [...mine()].length)
  })
})

test('an invalid query fails alone', async () => {
  const folder = await withStory()
  await folder.with(async (queryTables) => {
    await assert.rejects(queryTables.orders({ ...everything, limit: {} as number }), TypeError)
    assert.equal((await queryTables.orders(everything)).length, [...mine()].length)
  })
  assert.deepEqual(folder.failures, [])
})

test('closing completes pending queries and rejects new ones', async () => {
  const folder = await withStory()
  const journal = await folder.openJournal()
  const queryTables = await folder.openQueryTables(journal)
  const pending = queryTables.orders(everything)
  const [closed] = [queryTables.close(), queryTables.close()]
  await assert.rejects(queryTables.orders(everything), NotApplied)
  await closed
  assert.equal((await pending).length, [...mine()].length)
  await assert.rejects(queryTables.reached(1_000_000), NotApplied)
  await journal.close()
})

test('a missing folder is an error, not an empty view', async () => {
  const folder = new QueryTablesFolder()
  const journal = await folder.openJournal()
  const lost = new QueryTablesFolder({}, `${folder.path}/lost`)
  await assert.rejects(lost.openQueryTables(journal), /unable to open database file/)
  assert.deepEqual(lost.failures, [])
  await journal.close()
})

function* mine() {
  for (const order of story.state.orders.values()) if (order.accountId === everything.accountId) yield order
}

function run(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}
