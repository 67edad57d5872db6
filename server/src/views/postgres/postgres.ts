import type { WorldId } from '@quipu/core'
import type { Journal } from '../../journal/journal.ts'
import { openPool } from '../../postgres/connection.ts'
import type { ViewsLimits } from '../messages.ts'
import { openThreadedViews } from '../threaded.ts'
import type { Views } from '../views.ts'
import { postgresSnapshots } from './snapshot.ts'

/** What both threads are given. */
export type PostgresViewsData = { readonly url: string; readonly world: WorldId }
/** And the one that writes. */
export type PostgresWriterData = PostgresViewsData & { readonly limits: ViewsLimits }

export type PostgresViewsParts = PostgresViewsData & {
  /** The journal of that world, in the same database. */
  readonly journal: Journal
  readonly limits?: Partial<ViewsLimits>
  readonly log: (line: string) => void
  /** The views are over; what is left is to close them and open them anew. Not called before they are open. */
  readonly failed: (error: unknown) => void
}

/** Query tables in PostgreSQL, made by a thread that reads the journal there itself, on a connection of its own. */
export function openPostgresViews({ url, world, ...rest }: PostgresViewsParts): Promise<Views> {
  const data: PostgresViewsData = { url, world }
  const pool = openPool(url)
  return openThreadedViews({
    ...rest,
    writer: { name: 'postgres/writer-thread', data },
    reader: { name: 'postgres/reader-thread', data },
    newestSnapshot: async (upTo) => (await postgresSnapshots(pool, world, rest.journal, upTo).next()).value,
    // Whether its own files are sound is PostgreSQL's business.
    drop: () => undefined,
  })
}
