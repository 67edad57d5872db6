import assert from 'node:assert/strict'
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { rebuildStore } from '../../backup/rebuild.ts'
import { mainPaths } from '../../data-folder/folder-layout.ts'
import { JournalLost } from '../../journal/journal.ts'
import { segmentPath } from '../../journal/segment-file.ts'
import { emptyFolder } from '../../journal/testing/journal.ts'
import { Story } from '../../query-tables/testing/story.ts'
import { lossInFolder } from './folder-loss.ts'
import { filesStore } from './main-store.ts'

const { entries } = new Story(3).run(60)

/** A folder with a journal, query tables and a snapshot of the story. */
async function folderWithStory(): Promise<string> {
  const data = emptyFolder()
  const journal = await storeOf(data).openJournal()
  for (const entry of entries) await journal.append([entry])
  await journal.close()
  await rebuildStore(data)
  return data
}

const storeOf = (data: string, acceptJournalLoss?: boolean) =>
  filesStore(data, { warn: () => undefined, recovered: () => undefined, acceptJournalLoss })

const journalFile = (data: string) => segmentPath(mainPaths(data).journal, 1)

const snapshotName = join('snapshots', `${String(entries.length).padStart(16, '0')}.snapshot`)

const rows: readonly (readonly [string, (data: string) => void, names: readonly string[]])[] = [
  ['query tables and a snapshot', () => undefined, ['query-tables.sqlite', snapshotName]],
  [
    'query tables of another format',
    (data) => {
      rmSync(mainPaths(data).snapshots, { recursive: true })
      const database = new DatabaseSync(mainPaths(data).queryTables)
      database.exec('PRAGMA user_version = 1; DROP TABLE orders')
      database.close()
    },
    ['query-tables.sqlite'],
  ],
  ['damaged query tables', (data) => truncateSync(mainPaths(data).queryTables, 50), [snapshotName]],
  [
    'a damaged snapshot',
    (data) => writeFileSync(join(data, snapshotName), ''),
    ['query-tables.sqlite', snapshotName],
  ],
  [
    'unreadable credentials',
    (data) => writeFileSync(join(data, 'credentials.json'), '{'),
    ['query-tables.sqlite', snapshotName],
  ],
]

for (const [followers, change, names] of rows)
  test(`${followers} ahead of the journal: a loss is reported`, async () => {
    const data = await folderWithStory()
    change(data)
    assert.equal(await lossInFolder(data, entries.length), undefined)
    const loss = await lossInFolder(data, entries.length - 1)
    assert.deepEqual(
      loss?.ahead.map(({ name }) => name),
      names,
    )
  })

test('a loss is accepted once: a later loss is rejected again', async () => {
  const data = await folderWithStory()
  truncateSync(journalFile(data), 4_000)
  await assert.rejects(storeOf(data).openJournal(), JournalLost)
  const store = storeOf(data, true)
  const journal = await store.openJournal()
  const { seq } = journal.head()
  await journal.append(entries.slice(seq))
  await journal.close()
  await rebuildStore(data)
  truncateSync(journalFile(data), 3_000)
  await assert.rejects(store.openJournal(), JournalLost)
})
