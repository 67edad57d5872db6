import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apply, copyState } from '@quipu/core'
import { stateText } from '../../../../core/src/testing/state-text.ts'
import { openMemoryJournal } from '../../journal/memory.ts'
import { eventOf } from '../../journal/stored-event.ts'
import { openMemoryQueryTables } from '../memory.ts'
import { forkRules } from '../testing/fork-rules.ts'
import { QueryTablesFolder } from '../testing/query-tables-folder.ts'
import { ruleOf } from '../testing/rule.ts'
import { Story } from '../testing/story.ts'

forkRules(
  ruleOf('a world in memory', async () => {
    const journal = openMemoryJournal()
    return { journal, open: () => openMemoryQueryTables(journal) }
  }),
  1,
)

forkRules(
  ruleOf('a world in files', async () => {
    const folder = new QueryTablesFolder()
    const journal = await folder.openJournal()
    return { journal, open: () => folder.openQueryTables(journal) }
  }),
  2,
)

test('a copied state is equal and independent', () => {
  const story = new Story(1)
  for (let part = 0; part < 4; part++) {
    story.run(50)
    const copy = copyState(story.state)
    const [text, from] = [stateText(story.state), story.entries.length]
    assert.equal(stateText(copy), text)
    story.run(50)
    assert.equal(stateText(copy), text, 'the copy changed with the original')
    const later = stateText(story.state)
    for (const entry of story.entries.slice(from)) apply(copy, eventOf(entry))
    assert.equal(stateText(copy), later)
    assert.equal(stateText(story.state), later, 'the original changed with the copy')
  }
})
