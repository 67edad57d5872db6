import { errorCode } from '@quipu/core/values'

const SYSTEM_ERROR = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/
/** SQLSTATE codes: connection failure, server shutdown or start, too many connections, read-only standby. */
const SERVER_ERROR = /^(08...|57P0.|53300|25006)$/
/** Errors of the PostgreSQL library, which have no code. */
const LIBRARY_ERROR =
  /^(Connection terminated|Query read timeout|timeout e|Client (has encountered|was closed)|.* after calling end on the pool)/

/** Whether the database could not be reached, or ended the connection before it answered. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { message, name } = error
  const code = errorCode(error) ?? ''
  if (name === 'PostgresUnreachable' || LIBRARY_ERROR.test(message)) return true
  return SYSTEM_ERROR.test(code) || SERVER_ERROR.test(code)
}
