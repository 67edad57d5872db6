import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ids, TRADES } from '../../server/src/http/testing/events.ts'
import { SilentProxy } from '../../server/src/postgres/testing/proxy.ts'
import { Cluster } from '../../server/src/postgres/testing/server.ts'
import { type Broker, call, newFolder, startBroker } from '../broker.ts'
import { eventually, residentMiB } from '../hostile/gauges.ts'
import { Random, seed } from '../random.ts'
import { assertBooks, assertRemembered, assertSound, settled } from './checks.ts'
import { busyAfter, load, type Memory, newMemory } from './load.ts'
import { openUpdates, pastEvents } from './updates.ts'

const cluster = await Cluster.start()
after(() => cluster.stop())

async function assertNothingLost(broker: Broker, memory: Memory): Promise<void> {
  const seen = await settled(broker)
  assertRemembered(memory, seen)
  await assertBooks(broker, seen)
  await assertSound(broker)
}

const isReady = async (broker: Broker) => (await call(broker, 'GET', '/readyz')).status === 200
const answered = ({ orders }: Memory, status: number): number =>
  [...orders.values()].filter((one) => one.status === status).length

test(`PostgreSQL killed mid-commit, twice: nothing acknowledged is lost, and the program goes on (SEED=${seed})`, async (t) => {
  const broker = await startBroker(['--data', newFolder(), '--store', await cluster.database('killed')])
  t.after(broker.kill)
  const memory = newMemory()
  const updates = await openUpdates(broker)
  for (let round = 1; round <= 2; round++) {
    const client = { broker, random: new Random(seed, 'postgres', round), memory, name: `r${round}` }
    const before = answered(memory, 200)
    let isOver = false
    const over = load(client, 16, () => isOver)
    await eventually('orders are stored', () => answered(memory, 200) >= before + 40)
    await cluster.kill()
    await eventually('it is not ready', async () => !(await isReady(broker)))
    await cluster.start()
    await eventually('it is ready again', () => isReady(broker))
    isOver = true
    await over
    let more = 0
    await load({ ...client, name: `after${round}` }, 8, () => ++more > 60)
    await assertNothingLost(broker, memory)
  }
  const past = await pastEvents(broker, TRADES)
  await eventually('the last update is sent', () => updates.heard.length >= past.length)
  assert.deepEqual(ids(updates.heard), ids(past), 'a stream that stays open receives every event once')
  assert.equal(await broker.stop(), 0, broker.log().slice(-2_000))
})

test(`kill -9 of the program under load, twice, with the books in PostgreSQL (SEED=${seed})`, async (t) => {
  const flags = ['--data', newFolder(), '--store', await cluster.database('abandoned')]
  const memory = newMemory()
  let broker = await startBroker(flags)
  for (let round = 1; round <= 2; round++) {
    const client = { broker, random: new Random(seed, 'abandoned', round), memory, name: `r${round}` }
    const { over } = await busyAfter(client, 32, 40)
    await broker.kill()
    await over
    broker = await startBroker(flags)
    t.after(broker.kill)
    await assertNothingLost(broker, memory)
  }
  assert.equal(await broker.stop(), 0)
  assert(answered(memory, 200) > 20)
})

const QUEUE_MAX = 40
const REFUSED = 600
const HEAP_MAX_MIB = 64
const GROWTH_MAX_MIB = 120

/** Everything that serves the program's connections to this database. */
async function backends(database: string): Promise<readonly number[]> {
  const rows = await cluster.run(
    `SELECT pid FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid()`,
  )
  return rows.map(({ pid }) => Number(pid))
}

test(`PostgreSQL stands still under a flood: the queue has its limit, memory its bound, and all goes on after (SEED=${seed})`, async (t) => {
  const store = await cluster.database('still')
  const flags = ['--data', newFolder(), '--store', store, '--queue-max', String(QUEUE_MAX)]
  const broker = await startBroker(flags, { NODE_OPTIONS: `--max-old-space-size=${HEAP_MAX_MIB}` })
  t.after(broker.kill)
  const memory = newMemory()
  const client = { broker, random: new Random(seed, 'still'), memory, name: 'flood' }
  await load({ ...client, name: 'before' }, 16, () => memory.orders.size >= 200)
  const beforeMiB = await residentMiB(broker)
  const pids = await backends('still')
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  t.after(() => proceed(pids))
  const over = load(client, 150, () => answered(memory, 503) >= REFUSED)
  await eventually(`${REFUSED} are refused`, () => answered(memory, 503) >= REFUSED)
  const waiting = [...memory.orders.values()].filter(({ outcome }) => outcome === 'unknown').length
  assert(waiting > 0 && waiting <= 150, `${waiting} wait for an answer`)
  const afterMiB = await residentMiB(broker)
  assert(afterMiB < beforeMiB + GROWTH_MAX_MIB, `${beforeMiB} MiB before, ${afterMiB} MiB in the flood`)
  proceed(pids)
  await over
  // Where it stood still for longer than a connection may take, the world begins again meanwhile.
  await eventually('it is ready again', () => isReady(broker))
  await assertNothingLost(broker, memory)
  assert.equal(await broker.stop(), 0)
})

function proceed(pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, 'SIGCONT')
    } catch {
      // Its connection is over.
    }
}

test('a program cut off from PostgreSQL answers no read after another one has taken over', async (t) => {
  const store = await cluster.database('cut_off')
  const proxy = await SilentProxy.before(store)
  t.after(() => proxy.close())
  const data = newFolder()
  const older = await startBroker(['--data', data, '--store', proxy.through(store)])
  t.after(older.kill)
  const order = { symbol: 'AAPL', qty: 1, side: 'buy', type: 'limit', limit_price: 1, time_in_force: 'gtc' }
  assert.equal((await call(older, 'POST', '/v2/orders', order)).status, 200)
  proxy.fallSilent()
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

test('a PostgreSQL that may lose what it acknowledged: the start says so, once for each setting', async () => {
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
  await eventually('the settings are in force', async () => {
    return (await cluster.run('SHOW fsync'))[0]!['fsync'] === 'off'
  })
  const told = (await warnings()).map(({ message }) => message)
  assert.equal(told.length, 3, told.join('\n'))
  for (const [index, setting] of ['fsync', 'full_page_writes', 'synchronous_commit'].entries())
    assert(told[index].startsWith(`PostgreSQL runs with ${setting} = off: `), told[index])
})
