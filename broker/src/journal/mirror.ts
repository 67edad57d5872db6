import type { Entry, Journal } from './journal.ts'
import { openMemoryJournal } from './memory.ts'

/**
 * A stored journal with a copy of its events in memory. Reads and forks use the copy, so forks do not need the store
 * after the world is deleted.
 */
export async function mirrored(stored: Journal): Promise<Journal> {
  const memory = openMemoryJournal()
  await copyEvents(stored, memory)
  return {
    async append(group) {
      await stored.append(group)
      await memory.append(group)
    },
    read: (after) => memory.read(after),
    isCurrentHolder: () => stored.isCurrentHolder(),
    head: () => memory.head(),
    hashAt: (seq) => memory.hashAt(seq),
    fork: (at) => memory.fork(at),
    async close() {
      await stored.close()
      await memory.close()
    },
  }
}

/** Appends all events of a journal, or what `changed` makes of them, to another one, which is empty. */
export async function copyEvents(
  from: Journal,
  to: Journal,
  changed: (entry: Entry) => Entry = (entry) => entry,
): Promise<void> {
  for await (const entries of from.read(0)) await to.append(entries.map(changed))
}
