import type { Entry } from './entry.ts'
import { JournalReader } from './reader.ts'

/** Where another thread can read the durable events of a journal. */
export type JournalSource =
  | { readonly folder: string }
  | {
      /** Of PostgreSQL. */
      readonly url: string
      readonly world: string
    }

/** The events of a journal from the first one up to a durable one, in any thread. */
export async function* readSource(source: JournalSource, to: number): AsyncGenerator<readonly Entry[]> {
  const reader = await openReader(source)
  try {
    yield* reader.read(0, to)
  } finally {
    await reader.close()
  }
}

async function openReader(source: JournalSource) {
  if ('folder' in source) return new JournalReader(source.folder)
  const { openPool } = await import('../postgres/connection.ts')
  const { PostgresReader } = await import('./postgres-reader.ts')
  return new PostgresReader(openPool(source.url), source.world)
}
