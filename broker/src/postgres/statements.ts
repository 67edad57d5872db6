import type pg from 'pg'
import type { Queries } from './connection.ts'

/**
 * After this long without a statement the server ends a transaction, so that row locks of a lost engine are released.
 */
const IDLE_TRANSACTION_MS = 10_000

/** Runs statements in one transaction. */
export async function transaction<Value>(
  connection: pg.ClientBase,
  run: () => Promise<Value>,
): Promise<Value> {
  await connection.query('BEGIN')
  await connection.query(`SET LOCAL idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_MS}`)
  try {
    const value = await run()
    await write(connection, { text: 'COMMIT' })
    return value
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** The SQLSTATE of a warning without a more specific one. */
const WARNING = '01000'
/** The SQLSTATE of a commit whose outcome is unknown. */
const RESOLUTION_UNKNOWN = '08007'

/**
 * Executes a statement that writes. It fails if the server warns: an administrator may cancel the wait for a standby,
 * and the server then confirms a commit that a promotion would lose. Whether the statement was executed is unknown then.
 */
export async function write(connection: pg.ClientBase, query: pg.QueryConfig): Promise<pg.QueryResult> {
  let warning: string | undefined
  const onNotice = ({ code, message }: { code?: string | undefined; message?: string | undefined }) => {
    if (code === WARNING) warning = message
  }
  connection.on('notice', onNotice)
  try {
    const result = await connection.query(query)
    if (warning !== undefined) throw Object.assign(new Error(warning), { code: RESOLUTION_UNKNOWN })
    return result
  } finally {
    connection.off('notice', onNotice)
  }
}

/** Settings that risk data loss when they are off, with the consequence. */
const riskySettings = new Map([
  ['fsync', 'acknowledged data may be lost, and its files damaged, when the machine stops'],
  ['full_page_writes', 'its files may be damaged when the machine stops during a write'],
  ['synchronous_commit', 'Quipu switches it on for its connections'],
])

/** One warning for each setting that may lose acknowledged data. */
export async function durabilityWarnings(queries: Queries): Promise<readonly string[]> {
  const { rows } = await queries.query({
    text: "SELECT name FROM pg_settings WHERE name = ANY($1) AND reset_val = 'off' ORDER BY name",
    values: [[...riskySettings.keys()]],
  })
  return rows.map(({ name }) => `PostgreSQL runs with ${name} = off: ${riskySettings.get(name)}`)
}
