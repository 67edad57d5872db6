import { openMemoryJournal } from '../journal/memory.ts'
import { openMemoryViews } from './memory.ts'
import { viewsSuite } from './testing/views-suite.ts'

viewsSuite('memory', async () => {
  const journal = openMemoryJournal()
  return { journal, open: () => openMemoryViews(journal) }
})
