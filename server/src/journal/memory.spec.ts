import { openMemoryJournal } from './memory.ts'
import { journalSuite } from './testing/journal-suite.ts'

journalSuite('memory', async (options) => openMemoryJournal(options))
