import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openMemoryJournal } from '../journal/memory.ts'
import { openMemoryViews } from './memory.ts'
import { Story } from './testing/story.ts'
import { viewsSuite } from './testing/views-suite.ts'

viewsSuite('memory', async () => {
  const journal = openMemoryJournal()
  return { journal, open: () => openMemoryViews(journal) }
})

test('a few events stay unread until a caller waits; many are read without a caller', async () => {
  const journal = openMemoryJournal()
  const views = await openMemoryViews(journal)
  const { entries } = new Story(1).run(60)
  await journal.append(entries.slice(0, 20))
  views.follow(20)
  await turn()
  assert.equal(views.position(), 0)
  await views.reached(20)
  assert.equal(views.position(), 20)
  await journal.append(entries.slice(20))
  views.follow(entries.length)
  await turn()
  assert.equal(views.position(), entries.length)
  await views.close()
})
