import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Body, type Broker, call, callAsOperator, startBroker } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'
import { quipu } from '../support/quipu-process.ts'
import { Random, seed } from '../support/random.ts'
import { waitUntil } from '../support/wait-until.ts'
import { assertAcknowledged, assertBalances, assertSound, settledOrders } from './checks.ts'
import { canMount, type Disk, fillUp, limitedFiles, mountSmall, smallDisk, unmount } from './full-disk.ts'
import { type ClientRecords, load, newClientRecords } from './load.ts'

const marketOrder = { symbol: 'BTC/USD', qty: '0.01', side: 'buy', type: 'market', time_in_force: 'gtc' }

const rows: readonly (readonly [name: string, disk: (t: TestContext) => Disk | undefined])[] = [
  ...(canMount() ? [['a full disk', smallDisk] as const] : []),
  ['files that may not grow', limitedFiles],
]

for (const [diskName, diskOf] of casesOf(rows))
  test(`${diskName}: 503 and nothing is lost; with free space the world continues (SEED=${seed})`, async (t) => {
    const disk = diskOf(t)
    if (!disk) return
    const records = newClientRecords()
    const broker = await startBroker(['--data', disk.folder])
    t.after(broker.kill)
    const until = (name: string, isOver: () => boolean) =>
      load({ broker, random: new Random(seed, diskName, name), records, name }, 16, isOver)
    await until('before', () => records.orders.size >= 100)
    // Otherwise the last events are in the journal but no longer fit into the query tables, and lists are refused.
    await settledOrders(broker)
    disk.fill(broker)
    await until('full', () => count(records, 503) >= 20)
    assert(count(records, 503) >= 20, broker.log().slice(-2000))
    await assertRefusing(broker)
    if (disk.isDetectable) await assertReading(broker)
    if (disk.isDetectable) await assertNamed(broker)
    else await waitForFailedRebuilds(broker, 2)
    disk.empty(broker)
    await waitUntilReady(broker)
    const { size } = records.orders
    await until('after', () => records.orders.size >= size + 100)
    await assertNothingLost(broker, records)
    assert.equal(await broker.stop(), 0, broker.log().slice(-2000))
    const again = await startBroker(['--data', disk.folder])
    t.after(again.kill)
    await assertNothingLost(again, records)
  })

test('on a full disk, reads of the past do not wait for the query tables without end', {
  skip: canMount() ? false : 'only root can mount a small disk',
}, async (t) => {
  const disk = smallDisk(t)
  // Orders are accepted until the journal has no space, so that the query tables stay behind it.
  const flags = ['--disk-free-min-bytes', '0', '--query-tables-wait-ms', '200']
  const broker = await startBroker(['--data', disk.folder, ...flags])
  t.after(broker.kill)
  await fillUntilTablesWait(broker, disk)
  for (const [method, path] of [
    ['GET', 'orders'],
    ['GET', `orders/${randomUUID()}`],
    ['POST', 'fork'],
  ] as const) {
    const { status, body, headers } = await callAsOperator(broker, method, `/sim/v1/worlds/main/${path}`)
    assert.equal(status, 503, JSON.stringify(body))
    assert.match(headers.get('retry-after') ?? '', /^\d+$/)
  }
  disk.empty(broker)
  await waitWithLog(
    broker,
    'expected the list of orders',
    async () => (await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/orders')).status === 200,
  )
})

test('a server in the background whose log is on the full disk runs on, and logs again with free space', {
  skip: canMount() ? false : 'only root can mount a small disk',
}, async (t) => {
  const disk = mountSmall()
  const [data, filler] = [join(disk, 'data'), join(disk, 'filler')]
  t.after(async () => {
    await command(['stop', '--data', data])
    unmount(disk)
  })
  const start = async () =>
    assert.equal((await quipu(['start', '--detach', '--port', '0', '--data', data])).code, 0)
  const status = () => command(['status', '--data', data])
  const pid = (): number => JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')).pid
  await start()
  fillUp(filler)
  for (const _ of [1, 2, 3]) assert.match((await status()).stdout, /the disk is full/)
  // Also one that starts on the full disk.
  process.kill(pid(), 'SIGKILL')
  await start()
  assert.match((await status()).stdout, /the disk is full/)
  rmSync(filler)
  await waitUntil('the server is ready', async () => (await status()).code === 0, 20)
  const size = () => statSync(join(data, 'server.log')).size
  const before = size()
  assert.equal((await command(['world', 'list', '--data', data])).code, 0)
  await waitUntil('the log has lines again', () => size() > before, 5)
})

test('a start on a full disk with query tables behind listens, names the full disk, and becomes ready by itself', {
  skip: canMount() ? false : 'only root can mount a small disk',
}, async (t) => {
  const disk = smallDisk(t)
  const flags = ['--data', disk.folder, '--query-tables-wait-ms', '200']
  // Orders are accepted until the journal has no space, so that the query tables stay behind it.
  const first = await startBroker([...flags, '--disk-free-min-bytes', '0'])
  t.after(first.kill)
  await fillUntilTablesWait(first, disk)
  await first.kill()

  // A start that waits for space would wait for ever.
  const late = setTimeout(() => disk.empty(first), 40_000)
  t.after(() => clearTimeout(late))
  const tooFarBehind = startBroker([...flags, '--query-tables-lag-max', '1'])
  tooFarBehind.then(({ kill }) => kill()).catch(() => undefined)
  await assert.rejects(
    tooFarBehind,
    /exited with 1: [\s\S]*quipu: the disk is full: free some space and start again/,
  )
  const broker = await startBroker(flags)
  clearTimeout(late)
  t.after(broker.kill)
  assert.match(broker.log(), /"level":"error","message":"the disk is full/)
  assert.equal((await call(broker, 'GET', '/healthz')).status, 200)
  assert.equal((await call(broker, 'GET', '/v2/account')).status, 200)
  assert((await call(broker, 'GET', '/v2/orders?status=all')).status in { 200: true, 503: true })
  await assertRefusing(broker)
  await assertNamed(broker)
  disk.empty(broker)
  await waitUntilReady(broker)
  assert.equal((await call(broker, 'POST', '/v2/orders', marketOrder)).status, 200)
  await assertSound(broker)
})

const count = ({ orders }: ClientRecords, wanted: number): number =>
  [...orders.values()].filter(({ status }) => status === wanted).length

/** Fills the disk and places orders until the query tables wait for space. The journal has space for some orders. */
async function fillUntilTablesWait(broker: Broker, disk: Disk): Promise<void> {
  const place = () => call(broker, 'POST', '/v2/orders', marketOrder)
  // The first order of a client stores its address too. On a full disk that fails, and the order is refused.
  assert.equal((await place()).status, 200)
  disk.fill(broker)
  await waitWithLog(broker, 'expected query tables that wait for space', async () => {
    await place().catch(() => unanswered)
    return /the disk is full: the query tables wait for space/.test(broker.log())
  })
}

/** The process runs, reports that it is not ready, and refuses orders with the reason and Retry-After. */
async function assertRefusing(broker: Broker): Promise<void> {
  assert.equal((await call(broker, 'GET', '/healthz')).status, 200)
  const order = { symbol: 'KO', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  // If the full disk is not detectable, the world may be ready for a moment between two failures.
  await waitWithLog(broker, 'expected an order to be refused', async () => {
    const { status, body, headers } = await call(broker, 'POST', '/v2/orders', order).catch(() => unanswered)
    if (status !== 503) return false
    assert.equal(body.message, 'the disk is full; nothing was applied')
    assert.match(headers.get('retry-after') ?? '', /^\d+$/)
    return true
  })
  await waitWithLog(
    broker,
    'expected /readyz to return 503',
    async () => (await call(broker, 'GET', '/readyz')).status === 503,
  )
}

/** The log, /readyz and `quipu status` name the full disk. */
async function assertNamed(broker: Broker): Promise<void> {
  const { body } = await call(broker, 'GET', '/readyz')
  assert.equal(body.message, 'not ready: the disk is full')
  assert.match(broker.log(), /"level":"error","message":"the disk is full/)
  const { code, stdout } = await command(['status', '--json', '--data', broker.dataFolder!])
  assert.deepEqual([code, JSON.parse(stdout).problem], [1, body.message])
}

/** A write whose outcome is unknown gets no response. */
const unanswered = { status: 0, body: {} as Body, headers: new Headers() }

/** Memory, query tables, journal and market stay readable, and no world is rebuilt. */
async function assertReading(broker: Broker): Promise<void> {
  for (const path of [
    '/v2/account',
    '/v2/positions',
    '/v2/orders?status=all&limit=500',
    '/v2/account/activities',
    '/v2/account/portfolio/history',
    '/v2/stocks/bars?symbols=AAPL&timeframe=1Day',
  ])
    assert.equal((await call(broker, 'GET', path)).status, 200, `${path}: ${broker.log().slice(-2000)}`)
  const events = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/events?limit=10')
  assert.equal(events.status, 200)
  assert.doesNotMatch(broker.log(), /world failed/)
}

/** Keeps the disk full for longer than one rebuild takes. */
const waitForFailedRebuilds = (broker: Broker, wanted: number) =>
  waitWithLog(
    broker,
    `expected ${wanted} failed rebuilds`,
    async () => broker.log().split('"world failed"').length > wanted,
  )

const waitUntilReady = (broker: Broker) =>
  waitWithLog(
    broker,
    'expected /readyz to return 200',
    async () => (await call(broker, 'GET', '/readyz')).status === 200,
  )

async function waitWithLog(broker: Broker, condition: string, check: () => Promise<boolean>): Promise<void> {
  await waitUntil(condition, check).catch(({ message }: Error) =>
    assert.fail(`${message}: ${broker.log().slice(-2000)}`),
  )
}

async function assertNothingLost(broker: Broker, records: ClientRecords): Promise<void> {
  const current = await settledOrders(broker)
  assertAcknowledged(records, current)
  await assertBalances(broker, current)
  await assertSound(broker)
}
