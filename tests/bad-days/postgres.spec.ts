import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { connect } from '../../broker/src/postgres/connection.ts'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import { openProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import { ids, TRADES } from '../../server/src/http/testing/events.ts'
import { residentMiB } from '../hostile/send.ts'
import { type Broker, call, newFolder, plainEnvironment, startBroker } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { program, serverNode } from '../support/program.ts'
import { command } from '../support/quipu-command.ts'
import { Random, seed } from '../support/random.ts'
import { waitUntil } from '../support/wait-until.ts'
import {
  assertAcknowledged,
  assertBalances,
  assertSound,
  openUpdates,
  pastEvents,
  settledOrders,
} from './checks.ts'
import { type ClientRecords, load, newClientRecords, startLoad } from './load.ts'

/** `npm run test:long` kills twice. */
const KILLS = process.env['KILLS'] === undefined ? 1 : 2

const cluster = await Cluster.start()
after(() => cluster.stop())

async function assertNothingLost(broker: Broker, records: ClientRecords): Promise<void> {
  const current = await settledOrders(broker)
  assertAcknowledged(records, current)
  await assertBalances(broker, current)
  await assertSound(broker)
}

/** The log, /readyz and `quipu status` name the lost database, and not its address. */
async function assertNamed(broker: Broker): Promise<void> {
  const expected = 'not ready: the database cannot be reached; the world main is being rebuilt'
  await waitUntil('/readyz names the database', async () =>
    (await call(broker, 'GET', '/readyz')).body.message.startsWith(expected),
  )
  assert.match(
    broker.log(),
    /"level":"error","message":"world failed"[^\n]*"problem":"the database cannot be/,
  )
  const { code, stdout } = await command(['status', '--json', '--data', broker.dataFolder!])
  assert.deepEqual([code, JSON.parse(stdout).problem], [1, expected])
}

const isReady = async (broker: Broker) => (await call(broker, 'GET', '/readyz')).status === 200
const countResponses = ({ orders }: ClientRecords, status: number): number =>
  [...orders.values()].filter((one) => one.status === status).length

test(`PostgreSQL killed mid-commit, ${KILLS} times: nothing acknowledged is lost, and the program continues (SEED=${seed})`, async (t) => {
  const broker = await startBroker(['--data', newFolder(), '--store', await cluster.database('killed')])
  t.after(broker.kill)
  const records = newClientRecords()
  const updates = await openUpdates(broker)
  for (let round = 1; round <= KILLS; round++) {
    const client = { broker, random: new Random(seed, 'postgres', round), records, name: `r${round}` }
    const before = countResponses(records, 200)
    let isOver = false
    const ended = load(client, 16, () => isOver)
    await waitUntil('orders are stored', () => countResponses(records, 200) >= before + 20)
    await cluster.kill()
    await waitUntil('the broker is not ready', async () => !(await isReady(broker)))
    if (round === 1) await assertNamed(broker)
    await cluster.start()
    await waitUntil('the broker is ready again', () => isReady(broker))
    isOver = true
    await ended
    let more = 0
    await load({ ...client, name: `after${round}` }, 8, () => ++more > 20)
    await assertNothingLost(broker, records)
  }
  const past = await pastEvents(broker, TRADES)
  await waitUntil('the last update is sent', () => updates.received.length >= past.length)
  assert.deepEqual(ids(updates.received), ids(past), 'a stream that stays open receives every event once')
  assert.equal(await broker.stop(), 0, broker.log().slice(-2_000))
})

test(`kill -9 of the program under load, ${KILLS} times, with the journal in PostgreSQL (SEED=${seed})`, async (t) => {
  const flags = ['--data', newFolder(), '--store', await cluster.database('abandoned')]
  const records = newClientRecords()
  let broker = await startBroker(flags)
  for (let round = 1; round <= KILLS; round++) {
    const client = { broker, random: new Random(seed, 'abandoned', round), records, name: `r${round}` }
    const { ended } = await startLoad(client, 32, 40)
    await broker.kill()
    await ended
    broker = await startBroker(flags)
    t.after(broker.kill)
    await assertNothingLost(broker, records)
  }
  assert.equal(await broker.stop(), 0)
  assert(countResponses(records, 200) > 10 * KILLS)
})

const QUEUE_MAX = 40
const REFUSED = hasAllCases ? 600 : 150
const HEAP_MAX_MIB = 96
const GROWTH_MAX_MIB = 120

/** The PostgreSQL processes that serve the connections of the program to this database. */
async function backends(database: string): Promise<readonly number[]> {
  const rows = await cluster.run(
    `SELECT pid FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid()`,
  )
  return rows.map(({ pid }) => Number(pid))
}

test(`PostgreSQL pauses under a flood: the queue and memory stay bounded, and the broker continues afterwards (SEED=${seed})`, async (t) => {
  const store = await cluster.database('still')
  const flags = ['--data', newFolder(), '--store', store, '--queue-max', String(QUEUE_MAX)]
  const broker = await startBroker(flags, { NODE_OPTIONS: `--max-old-space-size=${HEAP_MAX_MIB}` })
  t.after(broker.kill)
  const records = newClientRecords()
  const client = { broker, random: new Random(seed, 'still'), records, name: 'flood' }
  await load({ ...client, name: 'before' }, 16, () => records.orders.size >= 60)
  const beforeMiB = await residentMiB(broker)
  const pids = await backends('still')
  signal(pids, 'SIGSTOP')
  t.after(() => signal(pids, 'SIGCONT'))
  const ended = load(client, 150, () => countResponses(records, 503) >= REFUSED)
  await waitUntil(`${REFUSED} orders are refused`, () => countResponses(records, 503) >= REFUSED)
  const waiting = [...records.orders.values()].filter(({ outcome }) => outcome === 'unknown').length
  assert(waiting > 0 && waiting <= 150, `${waiting} wait for a response`)
  const afterMiB = await residentMiB(broker)
  assert(afterMiB < beforeMiB + GROWTH_MAX_MIB, `${beforeMiB} MiB before, ${afterMiB} MiB in the flood`)
  signal(pids, 'SIGCONT')
  await ended
  // If the pause was longer than the timeout of a connection, the world is being rebuilt.
  await waitUntil('the broker is ready again', () => isReady(broker))
  await assertNothingLost(broker, records)
  assert.equal(await broker.stop(), 0)
})

function signal(pids: readonly number[], name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch {
      // The connection is closed.
    }
}

test('a program that lost its connection to PostgreSQL answers no read after another program took over', async (t) => {
  const store = await cluster.database('cut_off')
  const proxy = await openProxy(store)
  t.after(() => proxy.close())
  const data = newFolder()
  const older = await startBroker(['--data', data, '--store', proxy.url])
  t.after(older.kill)
  const order = { symbol: 'AAPL', qty: 1, side: 'buy', type: 'limit', limit_price: 1, time_in_force: 'gtc' }
  assert.equal((await call(older, 'POST', '/v2/orders', order)).status, 200)
  proxy.goSilent()
  const newer = await startBroker(['--data', 'memory', '--store', store])
  t.after(newer.kill)
  for (const path of ['/v2/account', '/v2/orders', '/v2/positions', '/v2/account/activities']) {
    const { status, headers } = await call(older, 'GET', path)
    assert.deepEqual([path, status, headers.get('retry-after')], [path, 503, '1'])
  }
  assert.equal((await call(older, 'POST', '/v2/orders', order)).status, 503)
  assert.equal((await call({ ...newer, ...keysOf(older) }, 'GET', '/v2/orders')).body.length, 1)
  assert.equal(await newer.stop(), 0)
})

const keysOf = ({ keyId, secretKey }: Broker) => ({ keyId, secretKey })

test('a signal stops a start that waits for PostgreSQL', async (t) => {
  const store = await cluster.database('locked')
  const flags = ['--data', newFolder(), '--store', store]
  assert.equal(await (await startBroker(flags)).stop(), 0)
  const other = await connect(store)
  t.after(() => other.end())
  await other.query('BEGIN')
  await other.query('LOCK TABLE quipu_worlds')
  const starting = spawn(serverNode, [program, 'start', '--port', '0', ...flags], { env: plainEnvironment() })
  t.after(() => starting.kill('SIGKILL'))
  await waitUntil('the start waits for the lock', async () => {
    return (await cluster.run('SELECT FROM pg_locks WHERE NOT granted')).length > 0
  })
  starting.kill('SIGTERM')
  assert.deepEqual(await once(starting, 'exit'), [0, null])
})

test('PostgreSQL settings that may lose acknowledged writes: the start warns once for each', async () => {
  const store = await cluster.database('doubtful')
  const warnings = async () => {
    const broker = await startBroker(['--data', newFolder(), '--store', store])
    assert.equal(await broker.stop(), 0)
    const lines = broker.log().trim().split('\n')
    return lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn')
  }
  assert.deepEqual(await warnings(), [])
  for (const setting of ['fsync', 'full_page_writes']) await cluster.run(`ALTER SYSTEM SET ${setting} = off`)
  await cluster.run('ALTER DATABASE doubtful SET synchronous_commit = off')
  await cluster.run('SELECT pg_reload_conf()')
  await waitUntil('the settings are in force', async () => {
    return (await cluster.run('SHOW fsync'))[0]!['fsync'] === 'off'
  })
  const messages = (await warnings()).map(({ message }) => message)
  assert.equal(messages.length, 3, messages.join('\n'))
  for (const [index, setting] of ['fsync', 'full_page_writes', 'synchronous_commit'].entries())
    assert(messages[index].startsWith(`PostgreSQL runs with ${setting} = off: `), messages[index])
})
