/** PostgreSQL does not respond, or rejects the login or writes. The message never contains a password. */
export class PostgresUnreachable extends Error {
  constructor(address: string, cause: unknown) {
    super(`${address} cannot be used: ${reasonOf(cause)}`, { cause })
    this.name = 'PostgresUnreachable'
  }
}

/** The tables have a newer format than this version of Quipu. */
export class PostgresNewer extends Error {
  override readonly name = 'PostgresNewer'

  constructor(address: string, found: number, supported: number) {
    super(`${address} has table format ${found}, this version reads up to ${supported}`)
  }
}

/** The database has prices of another market model. */
export class PostgresOfOtherMarket extends Error {
  constructor(address: string, found: number, computed: number) {
    super(`${address} has prices of market model ${found}, this version computes those of model ${computed}`)
    this.name = 'PostgresOfOtherMarket'
  }
}

/** The database has unsuitable settings. */
export class PostgresUnfit extends Error {
  constructor(address: string, reason: string) {
    super(`${address} cannot be used: ${reason}`)
    this.name = 'PostgresUnfit'
  }
}

/** With several addresses, the error has no message of its own, only one per address. */
function reasonOf(cause: unknown): string {
  const [first] = cause instanceof AggregateError ? cause.errors : []
  const error: unknown = first ?? cause
  return (error instanceof Error && error.message) || sqlState(error) || String(cause)
}

/** The code of an error of PostgreSQL, such as `57P03`, or of the system. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
