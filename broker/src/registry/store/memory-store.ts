import { openMemoryJournal } from '../../journal/memory.ts'
import { openMemoryViews } from '../../views/memory.ts'
import type { MainStore } from '../worlds.ts'

/** A store without persistence. */
export const memoryStore: MainStore = {
  openJournal: async () => openMemoryJournal(),
  openViews: openMemoryViews,
  snapshot: async () => undefined,
}
