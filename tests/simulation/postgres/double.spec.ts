import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { AppendFailed } from '../../../server/src/journal/journal.ts'
import { openPostgresJournal } from '../../../server/src/journal/postgres.ts'
import { type ClientClass, connect } from '../../../server/src/postgres/connection.ts'
import { Cluster } from '../../../server/src/postgres/testing/server.ts'
import { Random } from '../../random.ts'
import { OwnLoop } from '../faults/event-loop.ts'
import { Gate } from '../faults/store-calls.ts'
import { script } from './script.ts'
import { DoubleServer, type ServerOptions } from './server.ts'
import { type Exchange, tapped } from './statement-log.ts'
import { BadWire, type Trouble } from './wire.ts'

const cluster = await Cluster.start()
after(() => cluster.stop())

const URL = 'postgres://quipu@127.0.0.1/double'

function double(options?: ServerOptions) {
  const server = new DoubleServer(options)
  const gate = new Gate<Trouble>()
  const wire = new BadWire({ server, gate, random: new Random('double'), note: () => undefined })
  return { server, gate, Client: wire.Client }
}

async function toldBy(url: string, Client: ClientClass): Promise<readonly Exchange[]> {
  const told: Exchange[] = []
  await script({ url, Client: tapped(Client, (exchange) => told.push(exchange)) })
  return told.filter(({ text }) => !RENEWAL.test(text))
}

/** A journal renews its lease every second; when that comes is a matter of time. */
const RENEWAL = /^UPDATE quipu_journals SET renewed_at = clock_timestamp/

async function inOwnTime<Value>(use: () => Promise<Value>): Promise<Value> {
  const loop = new OwnLoop()
  return use().finally(() => loop.end())
}

for (const synchronousCommit of ['on', 'off'] as const)
  test(`the double tells what PostgreSQL tells, statement by statement (synchronous_commit ${synchronousCommit})`, async () => {
    const url = await cluster.database(`held_against_${synchronousCommit}`)
    await cluster.run(
      `ALTER DATABASE held_against_${synchronousCommit} SET synchronous_commit = ${synchronousCommit}`,
    )
    const real = await toldBy(url, pg.Client)
    const told = await inOwnTime(() => toldBy(URL, double({ synchronousCommit }).Client))
    assert(real.length > 100)
    for (const [at, exchange] of real.entries()) assert.deepEqual(told[at], exchange)
    assert.equal(told.length, real.length)
  })

/** What a client notices of a server that goes away under it: that it is told, and that nothing is answered later. */
async function noticed(url: string, Client: ClientClass, crash: () => void | Promise<void>) {
  const lost = Promise.withResolvers<unknown>()
  const connection = await connect(url, { Client, onLost: lost.resolve })
  await crash()
  const told = await lost.promise
  const later = connection.query('SELECT 1').then(
    () => 'an answer',
    (error: unknown) => (error instanceof pg.DatabaseError ? 'a refusal' : 'nothing'),
  )
  return { isTold: told instanceof Error, later: await later }
}

test('a crash looks the same to a client', async () => {
  const { server, Client } = double()
  const told = await noticed(URL, Client, () => server.crash(new Random('crash')))
  const real = await noticed(cluster.url(), pg.Client, () => cluster.kill())
  await cluster.start()
  assert.deepEqual(told, real)
})

test('too many connections are refused alike', async () => {
  await cluster.run('CREATE ROLE crowd LOGIN CONNECTION LIMIT 0')
  const { gate, Client } = double()
  gate.plan(1, 'refused')
  const codes = [
    await codeOf(connect(cluster.url().replace('quipu:', 'crowd:'))),
    await codeOf(connect(URL, { Client })),
  ]
  assert.deepEqual(codes, ['53300', '53300'])
})

/** As the specs of the journal show it for the real one. */
for (const [trouble, certain, code] of [
  ['refused', true, /^(53100|40001)$/],
  ['terminated', false, /^57P01$/],
  ['lost', false, /^undefined$/],
  ['silent', false, /^undefined$/],
  ['restart', false, /^undefined$/],
] as const)
  test(`an append that meets ${trouble} is ${certain ? 'certainly not there' : 'known to nobody'}`, async () => {
    const { gate, Client } = double()
    const error = await inOwnTime(async () => {
      const journal = await openPostgresJournal({ url: URL, world: 'main', marketModel: 2, Client })
      gate.plan(1, trouble)
      return journal.append([{ open: '{}' }]).catch((problem: unknown) => problem)
    })
    assert(error instanceof AppendFailed)
    assert.equal(error.certain, certain)
    assert.match(String((error.cause as { code?: string }).code), code)
  })

test('a server that falls silent keeps no journal from being opened for longer than an answer may take', async () => {
  const { gate, Client } = double()
  const opening = { url: URL, world: 'main', marketModel: 2, Client }
  const error = await inOwnTime(async () => {
    await (await openPostgresJournal(opening)).close()
    gate.plan(3, 'silent')
    return openPostgresJournal(opening).catch((problem: unknown) => problem)
  })
  assert.match(String(error), /Query read timeout/)
})

const codeOf = (connecting: Promise<unknown>): Promise<unknown> =>
  connecting.then(
    () => 'connected',
    ({ cause }) => cause.code,
  )
