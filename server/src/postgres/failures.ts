/** PostgreSQL does not answer, or does not let us in or write. The message names the place, never a password. */
export class PostgresUnreachable extends Error {
  constructor(place: string, cause: unknown) {
    super(`${place} can not be used: ${reasonOf(cause)}`, { cause })
    this.name = 'PostgresUnreachable'
  }
}

/** The tables were made by a newer program than this one. */
export class PostgresNewer extends Error {
  readonly found: number
  readonly supported: number

  constructor(place: string, found: number, supported: number) {
    super(`${place} has table format ${found}, this program reads up to ${supported}`)
    this.name = 'PostgresNewer'
    this.found = found
    this.supported = supported
  }
}

/** The database has orders and positions at the prices of another market model than this program's. */
export class PostgresOfOtherMarket extends Error {
  constructor(place: string, found: number, computed: number) {
    super(`${place} has prices of market model ${found}, this program computes those of model ${computed}`)
    this.name = 'PostgresOfOtherMarket'
  }
}

/** The database can not hold what we store. */
export class PostgresUnfit extends Error {
  constructor(place: string, what: string) {
    super(`${place} can not be used: ${what}`)
    this.name = 'PostgresUnfit'
  }
}

/** Where several addresses were tried, the message of the whole is empty and each has its own. */
function reasonOf(cause: unknown): string {
  const [first] = cause instanceof AggregateError ? cause.errors : []
  const { message, code } = (first ?? cause) as NodeJS.ErrnoException
  return message || code || String(cause)
}
