import { openMemoryJournal } from '../../journal/memory.ts'
import { openMemoryQueryTables } from '../../query-tables/memory.ts'
import type { MainStore } from '../worlds.ts'

/** A store without persistence. */
export const memoryStore: MainStore = {
  openJournal: async () => openMemoryJournal(),
  openQueryTables: openMemoryQueryTables,
  snapshot: async () => undefined,
}
