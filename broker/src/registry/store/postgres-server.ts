import { newHolderName } from '../../journal/postgres/lease.ts'
import { Renewals } from '../../journal/postgres/renewals.ts'
import { openPool, type Pool, primaryOf } from '../../postgres/connection.ts'
import { durabilityWarnings } from '../../postgres/statements.ts'
import { openPostgresQueryTables, startPostgresThreads } from '../../query-tables/postgres/postgres.ts'
import { SharedThreads } from '../../threads/shared-threads.ts'

/** A host that accepts writes, connections to it for reads, and the renewals of the leases there. */
export type Primary = {
  readonly url: string
  /** Increments when a primary is selected after a failure, because connections to the earlier one may be silent. */
  readonly number: number
  readonly pool: Pool
  readonly renewals: Renewals
}

const primaryAt = (url: string, number: number): Primary => ({
  url,
  number,
  pool: openPool(url),
  renewals: new Renewals(url),
})

/** How the query tables of a world are opened, and the threads for that are started. */
export type TablesOptions = {
  readonly open: typeof openPostgresQueryTables
  readonly start: (threads: SharedThreads) => void
}

type ServerParts = {
  /** The name of this process in leases. */
  readonly holder?: string
  /** For tests only. */
  readonly queryTables?: TablesOptions
}

/** A PostgreSQL server, with the connections and threads that all worlds of the process share. */
export class PostgresServer {
  readonly threads = new SharedThreads()
  /** The name of this process in leases. */
  readonly holder: string
  readonly queryTables: TablesOptions
  /** The address of this process, if it is a node of a cluster: it then takes only worlds that nobody holds. */
  address: string | undefined
  readonly #url: string
  #primary: Primary
  #hasWarned = false

  constructor(url: string, parts: ServerParts = {}) {
    this.holder = parts.holder ?? newHolderName()
    this.queryTables = parts.queryTables ?? { open: openPostgresQueryTables, start: startPostgresThreads }
    this.#url = url
    this.#primary = primaryAt(url, 1)
  }

  /** The primary that was selected last. */
  get current(): Primary {
    return this.#primary
  }

  /** Selects the primary. After a failover, it is another one of several hosts. A failed one gets new connections. */
  async select(failed?: Primary): Promise<Primary> {
    const url = await primaryOf(this.#url)
    const { url: current, number } = this.#primary
    if (current !== url || this.#primary === failed) this.#primary = primaryAt(url, number + 1)
    return this.#primary
  }

  /** Warns of settings that may lose acknowledged data, at the first call. */
  async warnOnce(warn: (line: string) => void): Promise<void> {
    if (!this.#hasWarned) for (const line of await durabilityWarnings(this.#primary.pool)) warn(line)
    this.#hasWarned = true
  }
}
