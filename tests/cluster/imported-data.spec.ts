import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, type Broker, call, callAsOperator, newFolder, newWorld } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { barsFile, runOn } from '../support/imported-data.ts'
import { quipu } from '../support/quipu-process.ts'
import { waitUntil } from '../support/wait-until.ts'
import { checkFirstUse } from './first-use-checks.ts'
import { clusterOf, move, moveTo, openDatabase, startNode, untilHeld } from './nodes.ts'

const { store, nodes } = await openDatabase('imported')
const folders = [newFolder(), newFolder()] as const
const startIn = async (folder: string): Promise<Broker> => {
  const node = await startNode(store, [], {}, folder)
  nodes.push(node)
  return node
}
let one = await startIn(folders[0])
const two = await startIn(folders[1])
await moveTo(one, 'main', one)
await runOn(folders[0], 'import', barsFile)

type World = Awaited<ReturnType<typeof newWorld>>
const create = (world: string, settings: object = {}) =>
  newWorld(one, { world, durable: true, start: '2025-03-12T14:00:00Z', ...settings })
const useData = (via: Broker, world: string) =>
  callAsOperator(via, 'POST', `/sim/v1/worlds/${world}/data`, { symbols: ['ZQXW'] })

/** The number of imported bars that a node returns. */
async function countBars(via: Broker, world: World): Promise<number> {
  const path = '/v2/stocks/bars?symbols=ZQXW&timeframe=1Min&start=2025-03-10&end=2025-03-11'
  return (await call({ ...world, url: via.url }, 'GET', path)).body.bars?.ZQXW?.length ?? 0
}
const BARS = 780

const leader = await create('leader')
const follower = await create('follower', { follows: 'leader' })
const missing = /uses imported data \(bars 1Min ZQXW: 780 rows\), and .* does not have it/

const rowOf = async (via: Broker, world: string): Promise<Body> =>
  (await clusterOf(via)).worlds?.find((row: Body) => row.world === world)

test('each node lists symbols on first use, and a moved world has the same symbols and prices', () =>
  checkFirstUse([one, two]))

test('a what-if is the same at every node, before and after a move', async () => {
  const { keyId, secretKey } = await create('what-if')
  const fields = {
    symbol: 'AAPL',
    qty: '2',
    side: 'buy',
    type: 'limit',
    time_in_force: 'gtc',
    limit_price: '1',
  }
  const { body: order } = await call({ keyId, secretKey, url: one.url }, 'POST', '/v2/orders', fields)
  const path = `/sim/v1/worlds/what-if/orders/${order.id}/what-if?limit_prices=1,100000`
  const computed = async () => {
    const found = await Promise.all([one, two].map((node) => callAsOperator(node, 'GET', path)))
    return found.map(({ status, body }) => [status, body.complete, body.to, body.fills])
  }
  const before = await computed()
  assert.deepEqual(
    [before[0]![0], before[0]![1], before[0]![3].map(({ outcome }: Body) => outcome)],
    [200, true, ['filled', 'not_filled']],
  )
  assert.deepEqual(before[1], before[0])
  for (const to of [two, one]) {
    await moveTo(one, 'what-if', to)
    assert.deepEqual(await computed(), before)
  }
})

test('a follower on a node without the imported data continues as it is, until the data is there', async () => {
  await moveTo(one, 'follower', two)
  const used = await useData(one, 'leader')
  assert.equal(used.status, 200, JSON.stringify(used.body))
  assert.equal(await countBars(two, leader), BARS)
  await waitUntil('the node reports the missing data', () => missing.test(two.log()))
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  const placed = await call({ ...follower, url: one.url }, 'POST', '/v2/orders', order)
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  assert.equal(await countBars(one, follower), 0)
  await moveTo(one, 'follower', one)
  await waitUntil('the follower has the data', async () => (await countBars(two, follower)) === BARS)
})

test('a world is not moved to a node without its imported data', async () => {
  const { held_since } = await rowOf(one, 'leader')
  const refused = await move(two, 'leader', two.url)
  assert.equal(refused.status, 409)
  assert.match(refused.body.message, missing)
  assert.equal((await rowOf(one, 'leader')).held_since, held_since)
  assert.equal(await countBars(two, leader), BARS)
})

test('after the loss of its node the status says why no node holds it; it continues when the node is back', {
  skip: !hasAllCases,
}, async () => {
  await one.kill()
  const { problems } = await waitUntil('the node reports the problem', async () => {
    const row = await rowOf(two, 'leader')
    // Before it knows, the node reports that it opens the world.
    return missing.test(row?.problems[0]?.problem) && row
  })
  const { name } = (await clusterOf(two)).nodes.find(({ address }: Body) => address === two.url)
  assert.equal(problems[0].node, name)
  const env = { QUIPU_URL: two.url, QUIPU_BROKER_KEY: two.brokerKey, QUIPU_BROKER_SECRET: two.brokerSecret }
  const { stdout } = await quipu(['cluster', 'status'], { env })
  assert.match(stdout, new RegExp(`leader is not held: ${two.url} could not open it: .*ZQXW`))
  one = await startIn(folders[0])
  for (const world of [leader, follower]) {
    await untilHeld(two, world.world)
    assert.equal(await countBars(two, world), BARS)
    assert.deepEqual((await rowOf(two, world.world)).problems, [])
  }
})

test('with the data, the other node opens it', async () => {
  await runOn(folders[1], 'import', barsFile)
  await moveTo(one, 'leader', two)
  assert.equal(await countBars(one, leader), BARS)
})
