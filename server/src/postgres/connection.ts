import pg from 'pg'
import { PostgresUnreachable } from './failures.ts'

const CONNECT_TIMEOUT_MS = 5_000
/** After this long without an answer a statement counts as lost, and its connection with it. */
const ANSWER_TIMEOUT_MS = 30_000
const KEEP_ALIVE_MS = 10_000
/** After this long without a statement the server ends a transaction: the rows a lost engine locked must become free. */
const IDLE_TRANSACTION_MS = 10_000
/** Connections that serve reads beside the one that appends; each goes when it has been idle for a while. */
const POOL_MAX = 4
const POOL_IDLE_MS = 5_000

export type Connection = pg.Client
export type Pool = pg.Pool
/** What makes connections. */
export type ClientClass = typeof pg.Client

/** What both a single connection and a pool of them do. */
export type Queries = { query(query: pg.QueryConfig): Promise<pg.QueryResult> }

/** Hosts, ports and database: all that may be shown of an address. */
export function placeOf(url: string): string {
  const clients = addressesOf(url).map((one) => new pg.Client({ connectionString: one }))
  const hosts = clients.map(({ host, port }) => `${host}:${port}`)
  return `PostgreSQL at ${hosts.join(',')}, database ${clients[0]!.database}`
}

/** One address for each host of `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE`. */
export function addressesOf(url: string): readonly string[] {
  const [, front, hosts, rest] = /^(\w+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/.exec(url) ?? []
  return hosts === undefined ? [url] : hosts.split(',').map((host) => `${front}${host}${rest}`)
}

/** The address of the host that takes writes; of a single host its own, without asking. */
export async function primaryOf(url: string, Client?: ClientClass): Promise<string> {
  if (addressesOf(url).length === 1) return url
  const [connection, address] = await connectFirst(url, { Client })
  await connection.end()
  return address
}

export type ConnectOptions = {
  /** Called when the connection breaks, also where nothing was asked of it. */
  readonly lost?: (error: unknown) => void
  /** For statements that may take any time, such as those over whole tables. */
  readonly patient?: boolean
  /** For tests: everyone else takes the library's. */
  readonly Client?: ClientClass | undefined
}

/** One connection of our own. */
export async function connect(url: string, options: ConnectOptions = {}): Promise<Connection> {
  return (await connectFirst(url, options))[0]
}

/** To the only host, or to the first of several that answers and takes writes. */
async function connectFirst(url: string, options: ConnectOptions): Promise<readonly [Connection, string]> {
  const addresses = addressesOf(url)
  const problems: string[] = []
  for (const address of addresses) {
    try {
      const connection = await connectTo(address, options)
      if (addresses.length === 1 || (await takesWrites(connection))) return [connection, address]
      await connection.end().catch(ignored)
      problems.push(`${placeOf(address)} is a standby or read-only`)
    } catch (error) {
      if (addresses.length === 1) throw error
      problems.push((error as Error).message)
    }
  }
  throw new PostgresUnreachable(placeOf(url), new Error(problems.join('; ')))
}

async function takesWrites(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query('SHOW transaction_read_only')
  return rows[0].transaction_read_only === 'off'
}

async function connectTo(url: string, options: ConnectOptions): Promise<Connection> {
  const { lost = ignored, patient = false, Client = pg.Client } = options
  const client = new Client({ ...settingsOf(url), ...(patient ? { query_timeout: 0 } : {}) })
  client.on('error', lost)
  try {
    await client.connect()
  } catch (error) {
    await client.end().catch(ignored)
    throw new PostgresUnreachable(placeOf(url), error)
  }
  return client
}

/** The server's own answer, as against a connection that broke or fell silent. */
export const isAnswer = (error: unknown): boolean => error instanceof pg.DatabaseError

/** What the server says against a use that nothing works without: that it can not be used, and why. */
export function unusable(url: string, error: unknown): unknown {
  return isAnswer(error) ? new PostgresUnreachable(placeOf(url), error) : error
}

/** A connection for one use, which may take any time where nothing else is said. */
export async function withConnection<Value>(
  url: string,
  use: (connection: Connection) => Promise<Value>,
  options: ConnectOptions = { patient: true },
): Promise<Value> {
  const connection = await connect(url, options)
  try {
    return await use(connection)
  } finally {
    await connection.end()
  }
}

// Every read has an index that gives its rows in order. Until tables were analyzed PostgreSQL takes them for small and
// sorts instead: a page of 500 among 60,000 orders took 116 ms, by the index 17 ms.
const byIndex = 'SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off'

/** Connections for reads, to one host. They keep no process alive, and one that breaks is replaced. */
export function openPool(url: string, Client: ClientClass = pg.Client): Pool {
  const pool = new pg.Pool({
    ...settingsOf(url),
    Client,
    max: POOL_MAX,
    idleTimeoutMillis: POOL_IDLE_MS,
    allowExitOnIdle: true,
    onConnect: (client) => client.query(byIndex),
  })
  pool.on('error', ignored)
  return pool
}

/** Runs statements that count all together or not at all. */
export async function transaction<Value>(connection: Connection, run: () => Promise<Value>): Promise<Value> {
  await connection.query('BEGIN')
  await connection.query(`SET LOCAL idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_MS}`)
  try {
    const value = await run()
    await connection.query('COMMIT')
    return value
  } catch (error) {
    await connection.query('ROLLBACK').catch(ignored)
    throw error
  }
}

const settingsOf = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'quipu',
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: ANSWER_TIMEOUT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
})

function ignored(): void {}
