/** PostgreSQL does not respond, or rejects the login or writes. The message never contains a password. */
export class PostgresUnreachable extends Error {
  constructor(place: string, cause: unknown) {
    super(`${place} cannot be used: ${reasonOf(cause)}`, { cause })
    this.name = 'PostgresUnreachable'
  }
}

/** The tables have a newer format than this version of Quipu. */
export class PostgresNewer extends Error {
  readonly found: number
  readonly supported: number

  constructor(place: string, found: number, supported: number) {
    super(`${place} has table format ${found}, this version reads up to ${supported}`)
    this.name = 'PostgresNewer'
    this.found = found
    this.supported = supported
  }
}

/** The database has prices of another market model. */
export class PostgresOfOtherMarket extends Error {
  constructor(place: string, found: number, computed: number) {
    super(`${place} has prices of market model ${found}, this version computes those of model ${computed}`)
    this.name = 'PostgresOfOtherMarket'
  }
}

/** The database has unsuitable settings. */
export class PostgresUnfit extends Error {
  constructor(place: string, reason: string) {
    super(`${place} cannot be used: ${reason}`)
    this.name = 'PostgresUnfit'
  }
}

/** With several addresses, the error has no message of its own, only one per address. */
function reasonOf(cause: unknown): string {
  const [first] = cause instanceof AggregateError ? cause.errors : []
  const { message, code } = (first ?? cause) as NodeJS.ErrnoException
  return message || code || String(cause)
}
