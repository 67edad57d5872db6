import type { WorldId } from '@quipu/core'
import type { Journal } from '../../journal/journal.ts'
import type { Pool } from '../../postgres/connection.ts'
import type { SharedThreads } from '../../threads/shared-threads.ts'
import type { OpenThread } from '../../threads/thread.ts'
import type { QueryTablesLimits } from '../messages.ts'
import type { QueryTables } from '../query-tables.ts'
import { openThreadedQueryTables, threadsUrl } from '../threaded.ts'
import { postgresSnapshots } from './snapshot.ts'

/** The data of both threads. */
export type PostgresQueryTablesData = {
  readonly url: string
  /** The number of the selected primary: another one has other connections. */
  readonly number: number
  readonly world: WorldId
  /** The fencing number of its journal. A process that has lost the journal changes no tables. */
  readonly fence: number
}
/** The data of the writer thread. */
export type PostgresWriterData = PostgresQueryTablesData & { readonly limits: QueryTablesLimits }

export type PostgresQueryTablesParts = PostgresQueryTablesData & {
  /** The connections of this thread for reads from `url`. */
  readonly pool: Pool
  /** The journal of that world, in the same database. */
  readonly journal: Journal
  readonly limits?: Partial<QueryTablesLimits>
  /** See `ThreadedQueryTablesParts`. */
  readonly withoutSnapshot?: (() => boolean) | undefined
  /** Opens the threads, which worlds share. */
  readonly openThread: OpenThread
  readonly log: (line: string) => void
  /** Called when the open query tables fail. The caller must close and reopen them. */
  readonly onFailure: (error: unknown) => void
}

const WRITER = 'postgres/writer-thread'
const READER = 'postgres/reader-thread'

/** Starts the threads before the first world needs them: their start takes longer than the opening of a world. */
export function startPostgresThreads(threads: Pick<SharedThreads, 'keep'>): void {
  for (const name of [WRITER, READER]) threads.keep(threadsUrl, name)
}

/** Query tables in PostgreSQL. All worlds of the process share the threads and their connections. */
export function openPostgresQueryTables({ pool, ...parts }: PostgresQueryTablesParts): Promise<QueryTables> {
  const { url, number, world, fence, ...rest } = parts
  const data: PostgresQueryTablesData = { url, number, world, fence }
  return openThreadedQueryTables({
    ...rest,
    writer: { name: WRITER, data },
    reader: { name: READER, data },
    newestSnapshot: async (upTo) => (await postgresSnapshots(pool, world, rest.journal, upTo).next()).value,
    // PostgreSQL checks its own files.
    dropTables: () => undefined,
  })
}
