import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openMemoryJournal } from '../journal/memory.ts'
import { openMemoryQueryTables } from './memory.ts'
import { queryTablesSuite } from './testing/query-tables-suite.ts'
import { Story } from './testing/story.ts'

queryTablesSuite('memory', async () => {
  const journal = openMemoryJournal()
  return { journal, open: () => openMemoryQueryTables(journal) }
})

test('the first events stay unread until a caller waits or they are many; then all are read', async () => {
  const { entries } = new Story(1).run(60)
  const journal = openMemoryJournal()
  const [waiting, following] = [await openMemoryQueryTables(journal), await openMemoryQueryTables(journal)]
  const appended = async (from: number, to: number): Promise<readonly number[]> => {
    await journal.append(entries.slice(from, to))
    for (const queryTables of [waiting, following]) queryTables.follow(to)
    await turn()
    return [waiting.position(), following.position()]
  }
  assert.deepEqual(await appended(0, 20), [0, 0])
  await waiting.reached(20)
  assert.deepEqual(await appended(20, 21), [21, 0])
  assert.deepEqual(await appended(21, 40), [40, 40])
  assert.deepEqual(await appended(40, 41), [41, 41])
  await Promise.all([waiting.close(), following.close()])
})
