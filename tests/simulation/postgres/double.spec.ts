import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { QueryConfig, QueryResult } from 'pg'
import pg from 'pg'
import { AppendFailed } from '../../../broker/src/journal/journal.ts'
import { LEASE_MS } from '../../../broker/src/journal/lease.ts'
import { openPostgresJournal } from '../../../broker/src/journal/postgres/journal.ts'
import { entry } from '../../../broker/src/journal/testing/entries.ts'
import { type ClientClass, connect } from '../../../broker/src/postgres/connection.ts'
import { Cluster } from '../../../broker/src/postgres/testing/server.ts'
import { Random } from '../../support/random.ts'
import { SimulatedLoop } from '../faults/event-loop.ts'
import { CallControl } from '../faults/store.ts'
import type { Done } from './client.ts'
import { type Fault, FaultyNetwork } from './network.ts'
import { script } from './script.ts'
import { DoubleServer, type ServerOptions } from './server.ts'
import { singleLine } from './tables.ts'

const cluster = await Cluster.start()
after(() => cluster.stop())

const URL = 'postgres://quipu@127.0.0.1/double'

function startDouble(options?: ServerOptions) {
  const server = new DoubleServer(options)
  const control = new CallControl<Fault>()
  const network = new FaultyNetwork({ server, control, random: new Random('double'), note: () => undefined })
  return { server, control, Client: network.Client }
}

async function exchangesOf(url: string, Client: ClientClass): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = []
  await script({ url, Client: withStatementLog(Client, (exchange) => exchanges.push(exchange)) })
  return exchanges
}

async function withSimulatedTime<Value>(use: () => Promise<Value>): Promise<Value> {
  const loop = new SimulatedLoop()
  return use().finally(() => loop.end())
}

type Commit = 'on' | 'off'

/** Runs the script on both. On a busy machine a lease of the real server may end between two statements: then it runs again. */
async function compare(synchronousCommit: Commit, attempt = 1): Promise<void> {
  const name = `held_against_${synchronousCommit}_${attempt}`
  const url = await cluster.database(name)
  await cluster.run(`ALTER DATABASE ${name} SET synchronous_commit = ${synchronousCommit}`)
  const startedAt = performance.now()
  try {
    const real = await exchangesOf(url, pg.Client)
    const double = await withSimulatedTime(() => exchangesOf(URL, startDouble({ synchronousCommit }).Client))
    assert(real.length > 100)
    for (const [index, exchange] of real.entries()) assert.deepEqual(double[index], exchange)
    assert.equal(double.length, real.length)
  } catch (error) {
    const mayHaveEnded = performance.now() - startedAt > LEASE_MS
    if (!mayHaveEnded || attempt === 5) throw error
    await compare(synchronousCommit, attempt + 1)
  }
}

for (const synchronousCommit of ['on', 'off'] as const)
  test(`the double answers every statement like PostgreSQL (synchronous_commit ${synchronousCommit})`, () =>
    compare(synchronousCommit))

/** What a client receives when its server crashes: an error event, and no response to a later query. */
async function clientAfterCrash(url: string, Client: ClientClass, crash: () => void | Promise<void>) {
  const lost = Promise.withResolvers<unknown>()
  const connection = await connect(url, { Client, onLost: lost.resolve })
  await crash()
  const lostError = await lost.promise
  const later = connection.query('SELECT 1').then(
    () => 'a response',
    (error: unknown) => (error instanceof pg.DatabaseError ? 'a refusal' : 'nothing'),
  )
  return { isNotified: lostError instanceof Error, later: await later }
}

test('a crash looks the same to a client', async () => {
  const { server, Client } = startDouble()
  const double = await clientAfterCrash(URL, Client, () => server.crash(new Random('crash')))
  const real = await clientAfterCrash(cluster.url(), pg.Client, () => cluster.kill())
  await cluster.start()
  assert.deepEqual(double, real)
})

test('too many connections are refused with the same code', async () => {
  await cluster.run('CREATE ROLE crowd LOGIN CONNECTION LIMIT 0')
  const { control, Client } = startDouble()
  control.plan(1, 'refused')
  const codes = [
    await codeOf(connect(cluster.url().replace('quipu:', 'crowd:'))),
    await codeOf(connect(URL, { Client })),
  ]
  assert.deepEqual(codes, ['53300', '53300'])
})

/** The specs of the journal test the same for PostgreSQL. */
for (const [fault, certain, code] of [
  ['refused', true, /^(53100|40001)$/],
  ['terminated', false, /^57P01$/],
  ['lost', false, /^undefined$/],
  ['silent', false, /^undefined$/],
  ['restart', false, /^undefined$/],
] as const)
  test(`an append with the fault ${fault} is ${certain ? 'certainly not stored' : 'of unknown outcome'}`, async () => {
    const { control, Client } = startDouble()
    const error = await withSimulatedTime(async () => {
      const journal = await openPostgresJournal({ url: URL, world: 'main', marketModel: 1, Client })
      control.plan(1, fault)
      return journal.append([entry('{}')]).catch((problem: unknown) => problem)
    })
    assert(error instanceof AppendFailed)
    assert.equal(error.certain, certain)
    assert.match(String((error.cause as { code?: string }).code), code)
  })

test('opening a journal on a silent server fails after the query timeout', async () => {
  const { control, Client } = startDouble()
  const opening = { url: URL, world: 'main', marketModel: 1, Client }
  const error = await withSimulatedTime(async () => {
    await (await openPostgresJournal(opening)).close()
    control.plan(3, 'silent')
    return openPostgresJournal(opening).catch((problem: unknown) => problem)
  })
  assert.match(String(error), /Query read timeout/)
})

const codeOf = (connecting: Promise<unknown>): Promise<unknown> =>
  connecting.then(
    () => 'connected',
    ({ cause }) => cause.code,
  )

/** A statement with its values and its result. */
export type Exchange = {
  readonly text: string
  readonly values: readonly unknown[]
  readonly rows?: readonly unknown[]
  readonly rowCount?: number | null
  readonly code?: string
}

/** A client class that reports its statements and their results. */
export function withStatementLog(Client: ClientClass, onExchange: (exchange: Exchange) => void): ClientClass {
  return class extends (Client as unknown as typeof QueryClient) {
    override query(
      statement: string | QueryConfig,
      valuesOrDone?: unknown,
      done?: Done<QueryResult>,
    ): unknown {
      const { text, values = [] } = typeof statement === 'string' ? { text: statement } : statement
      const bound = Array.isArray(valuesOrDone) ? valuesOrDone : values
      const exchange: Exchange = { text: singleLine(text), values: bound.map(readable) }
      // Reported in the order of the statements, because responses on two connections may overtake each other.
      onExchange(exchange)
      const addResult = (error: unknown, result?: QueryResult) =>
        Object.assign(exchange, exchange.text.includes(';') ? {} : outcomeOf(error, result))
      const answer = (typeof valuesOrDone === 'function' ? valuesOrDone : done) as
        | Done<QueryResult>
        | undefined
      if (answer)
        return super.query(statement, bound, (error, result) => {
          addResult(error, result)
          answer(error, result)
        })
      return (super.query(statement, bound) as Promise<QueryResult>).then(
        (result) => {
          addResult(undefined, result)
          return result
        },
        (error: unknown) => {
          addResult(error)
          throw error
        },
      )
    }
  } as unknown as ClientClass
}

/** The method that both client classes have. */
declare class QueryClient {
  query(statement: string | QueryConfig, values?: unknown, done?: Done<QueryResult>): unknown
}

// A text with several statements is reported without a result.
function outcomeOf(error: unknown, result?: QueryResult): Partial<Exchange> {
  if (error) return { code: (error as { code?: string }).code ?? 'none' }
  return { rows: result!.rows.map(withoutTimes), rowCount: result!.rowCount }
}

/** The clocks of two servers differ. */
const withoutTimes = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? 'a time' : value]),
  )

const readable = (value: unknown): unknown => (Buffer.isBuffer(value) ? value.toString() : value)
