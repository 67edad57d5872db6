import { journalSuite } from './journal-suite.ts'
import { openMemoryJournal } from './memory.ts'

journalSuite('memory', async (options) => openMemoryJournal(options))
