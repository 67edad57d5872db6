import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { PostgresUnreachable } from './failures.ts'
import { sessionSettings } from './session.ts'

const CONNECT_TIMEOUT_MS = 5_000
/** After this long without a response, a statement and its connection count as lost. */
const RESPONSE_TIMEOUT_MS = 30_000
const KEEP_ALIVE_MS = 10_000
/** After this long without a response, an ended connection is destroyed. */
const END_TIMEOUT_MS = 1_000
/** How often a server is asked while a statement without a timeout runs, and how long it may take to respond. */
const WATCH_MS = 10_000
/** How long the other hosts of a URL may take after the first has responded. */
const SLOW_HOST_MS = 1_000
/** Connections for reads, besides the one that appends. Idle ones are closed. */
const POOL_MAX = 4
const POOL_IDLE_MS = 5_000

export type PostgresConnection = pg.Client
export type Pool = pg.Pool
/** The class that creates connections. */
export type ClientClass = typeof pg.Client

/** The common interface of a connection and a pool. */
export type Queries = { query(query: pg.QueryConfig): Promise<pg.QueryResult> }

/** Sends a query whose response the caller reads later, or never. */
export function asked(queries: Queries, query: pg.QueryConfig): Promise<pg.QueryResult> {
  const response = queries.query(query)
  response.catch(() => undefined)
  return response
}

/** Hosts, ports and database of a URL, for messages. Omits the password. */
export function addressOf(url: string): string {
  const clients = addressesOf(url).map((one) => new pg.Client({ connectionString: one }))
  const hosts = clients.map(({ host, port }) => `${host}:${port}`)
  return `PostgreSQL at ${hosts.join(',')}, database ${clients[0]?.database}`
}

/** The role and the database of a URL. */
export function loginOf(url: string): { readonly role: string; readonly database: string } {
  const { user = '', database = '' } = new pg.Client({ connectionString: addressesOf(url)[0] ?? url })
  return { role: user, database }
}

/** One URL for each host of `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE`. */
export function addressesOf(url: string): readonly string[] {
  const [, front, hosts, rest] = /^(\w+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/.exec(url) ?? []
  return hosts === undefined ? [url] : hosts.split(',').map((host) => `${front}${host}${rest}`)
}

/** The URL of the host that accepts writes. A single host is not queried. */
export async function primaryOf(url: string, Client?: ClientClass): Promise<string> {
  if (addressesOf(url).length === 1) return url
  const [connection, address] = await connectFirst(url, { Client })
  await disconnect(connection)
  return address
}

export type PostgresConnectOptions = {
  /** Called when the connection breaks, also when it is idle. */
  readonly onLost?: (error: unknown) => void
  /** After this long without a response, a statement fails. 0 for none, such as for statements over whole tables. */
  readonly timeoutMs?: number
  /** For tests only. Default: the class of the library. */
  readonly Client?: ClientClass | undefined
}

/** Opens one connection outside the pool. */
export async function connect(
  url: string,
  options: PostgresConnectOptions = {},
): Promise<PostgresConnection> {
  return (await connectFirst(url, options))[0]
}

/**
 * Connects to the only host, or to that of several which accepts writes. After a promotion the earlier primary may still
 * accept writes, which it never confirms: the host with the latest timeline is the primary.
 */
async function connectFirst(
  url: string,
  options: PostgresConnectOptions,
): Promise<readonly [PostgresConnection, string]> {
  const addresses = addressesOf(url)
  if (addresses.length === 1) return [await connectTo(url, options), url]
  const candidates: Candidate[] = []
  const problems: string[] = []
  let isOver = false
  const attempts = addresses.map(async (address) => {
    try {
      const candidate = await candidateAt(address, options)
      if (isOver) await disconnect(candidate.connection)
      else candidates.push(candidate)
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
      throw error
    }
  })
  const soon = Promise.any(attempts).then(() => sleep(SLOW_HOST_MS), ignored)
  await Promise.race([Promise.allSettled(attempts), soon])
  isOver = true
  const [first, ...others] = candidates.sort((a, b) => b.timeline - a.timeline)
  await Promise.all(others.map(({ connection }) => disconnect(connection)))
  const latest = timelines.get(url) ?? 0
  if (first && first.timeline >= latest) {
    timelines.set(url, first.timeline)
    return [first.connection, first.address]
  }
  if (first) {
    await disconnect(first.connection)
    problems.push(
      `${addressOf(first.address)} is a former primary: timeline ${first.timeline}, not ${latest}`,
    )
  }
  throw new PostgresUnreachable(addressOf(url), new Error(problems.join('; ')))
}

/** The latest timeline that this process has used, by URL. A former primary lacks what was stored since. */
const timelines = new Map<string, number>()

type Candidate = {
  readonly connection: PostgresConnection
  readonly address: string
  readonly timeline: number
}

/** A connection to a host, if it accepts writes. A promotion increments the number of the timeline. */
async function candidateAt(address: string, options: PostgresConnectOptions): Promise<Candidate> {
  const connection = await connectTo(address, options)
  try {
    const { rows } = await connection.query('SHOW transaction_read_only')
    if (rows[0].transaction_read_only === 'off') {
      const found = await connection.query(
        'SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline',
      )
      return { connection, address, timeline: Number.parseInt(found.rows[0].timeline, 16) }
    }
  } catch (error) {
    await disconnect(connection)
    throw error
  }
  await disconnect(connection)
  throw new Error(`${addressOf(address)} is a standby or read-only`)
}

async function connectTo(url: string, options: PostgresConnectOptions): Promise<PostgresConnection> {
  const { onLost = ignored, timeoutMs = RESPONSE_TIMEOUT_MS, Client = pg.Client } = options
  const client = new Client(settingsOf(url, timeoutMs))
  client.on('error', onLost)
  try {
    await client.connect()
    await client.query(sessionSettings(timeoutMs))
  } catch (error) {
    await client.end().catch(ignored)
    throw new PostgresUnreachable(addressOf(url), error)
  }
  return client
}

/** Ends a connection. One that does not respond is destroyed. */
export async function disconnect(connection: PostgresConnection): Promise<void> {
  const timer = setTimeout(() => connection.connection.stream.destroy(), END_TIMEOUT_MS)
  await connection.end().catch(ignored)
  clearTimeout(timer)
}

/** Whether the server reported the error. False for a broken or silent connection. */
export const isServerError = (error: unknown): boolean => error instanceof pg.DatabaseError

/**
 * Whether a statement was certainly not executed. The server reports an error for such a statement, and stays usable.
 * Without an error report, or on a dead connection, the statement may have been executed.
 */
export async function isRefusal(connection: PostgresConnection, error: unknown): Promise<boolean> {
  if (!isServerError(error)) return false
  return connection.query('SELECT 1').then(
    () => true,
    () => false,
  )
}

/** Turns an error reported by the server into PostgresUnreachable. */
export function asUnreachable(url: string, error: unknown): unknown {
  return isServerError(error) ? new PostgresUnreachable(addressOf(url), error) : error
}

/** Opens a connection for one use, by default without a timeout. Without one, it breaks when the server is silent. */
export async function withConnection<Value>(
  url: string,
  use: (connection: PostgresConnection) => Promise<Value>,
  options: PostgresConnectOptions = { timeoutMs: 0 },
): Promise<Value> {
  const connection = await connect(url, options)
  const ended = new AbortController()
  if (options.timeoutMs === 0) void breakInSilence(url, connection, ended.signal)
  try {
    return await use(connection)
  } finally {
    ended.abort()
    await disconnect(connection)
  }
}

/** Asks the server by other connections until one gets no response; then no statement will. */
async function breakInSilence(
  url: string,
  connection: PostgresConnection,
  signal: AbortSignal,
): Promise<void> {
  const ask = () => withConnection(url, (other) => other.query('SELECT 1'), { timeoutMs: WATCH_MS })
  try {
    for (;;) {
      await sleep(WATCH_MS, undefined, { signal, ref: false })
      await ask()
    }
  } catch (error) {
    if (!signal.aborted) connection.connection.stream.destroy(error instanceof Error ? error : undefined)
  }
}

// Every read has an index in the order of its rows. Before ANALYZE, PostgreSQL assumes small tables and sorts
// instead. Measured for a page of 500 of 60,000 orders: 116 ms, 17 ms with the index. A plan that must scan or sort has a
// huge cost then, for which PostgreSQL would compile it: 600 ms for a table of ten rows.
const preferIndexes =
  'SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; SET jit = off'

/**
 * A pool of connections for reads from one host. Idle connections do not keep the process alive; broken ones are
 * replaced.
 */
export function openPool(url: string, Client: ClientClass = pg.Client): Pool {
  const pool = new pg.Pool({
    ...settingsOf(url),
    Client,
    max: POOL_MAX,
    idleTimeoutMillis: POOL_IDLE_MS,
    allowExitOnIdle: true,
    onConnect: async (client) => {
      await client.query(sessionSettings(RESPONSE_TIMEOUT_MS))
      await client.query(preferIndexes)
    },
  })
  pool.on('error', ignored)
  // A connection may also break between two statements of its user, who gets the error at the next one.
  pool.on('connect', (client) => client.on('error', ignored))
  return pool
}

/** Uses one connection of a pool. A connection that failed is not used again. */
export async function withPooled<Value>(
  pool: Pool,
  use: (connection: pg.PoolClient) => Promise<Value>,
): Promise<Value> {
  const connection = await pool.connect()
  try {
    const value = await use(connection)
    connection.release()
    return value
  } catch (error) {
    connection.release(true)
    throw error
  }
}

const settingsOf = (url: string, timeoutMs = RESPONSE_TIMEOUT_MS): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'quipu',
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: timeoutMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
})

function ignored(): void {}
