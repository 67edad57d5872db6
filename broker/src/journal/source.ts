import type { Entry, JournalSource } from './journal.ts'
import { JournalReader } from './reader.ts'

/** The events of a journal after a number up to a durable one, in any thread. */
export async function* readSource(
  source: JournalSource,
  after: number,
  to: number,
): AsyncGenerator<readonly Entry[]> {
  const reader = await openReader(source)
  try {
    yield* reader.read(after, to)
  } finally {
    await reader.close()
  }
}

async function openReader(source: JournalSource) {
  if ('folder' in source) return new JournalReader(source.folder)
  const { openPool } = await import('../postgres/connection.ts')
  const { PostgresReader } = await import('./postgres/reader.ts')
  return new PostgresReader(openPool(source.url), source.world)
}
