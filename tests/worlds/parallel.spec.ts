import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { headOf, sim } from './files.ts'

const WORLDS = 80
const SEEDS = 4

type World = Awaited<ReturnType<typeof newWorld>>

/** Trades in a world, with pauses in which the other worlds work. Returns what its account sees. */
async function trade(world: World, seed: number): Promise<Body> {
  const order = { symbol: 'KO', side: 'buy', type: 'market', time_in_force: 'day', qty: String(seed + 1) }
  for (const client_order_id of ['one', 'two']) {
    const { status } = await call(world, 'POST', '/v2/orders', { ...order, client_order_id })
    assert.equal(status, 200)
    assert.equal((await world.advance('5m')).status, 200)
  }
  const [orders, positions, { body: account }] = [
    (await call(world, 'GET', '/v2/orders?status=all')).body,
    (await call(world, 'GET', '/v2/positions')).body,
    await call(world, 'GET', '/v2/account'),
  ]
  const { seq, hash } = await headOf(broker, world.world)
  return { seq, hash, orders, positions, cash: account.cash, id: account.id }
}

test(`${WORLDS} worlds at once: each is as if it were alone, no key opens another, and main answers`, async () => {
  const worlds = await Promise.all(
    Array.from({ length: WORLDS }, (_, number) =>
      newWorld(broker, { world: `parallel-${number}`, seed: `s${number % SEEDS}`, symbols: ['KO'] }),
    ),
  )
  const results = await Promise.all(worlds.map((world, number) => trade(world, number % SEEDS)))
  assert.equal((await call(broker, 'GET', '/v2/clock')).status, 200)
  for (let seed = 0; seed < SEEDS; seed++) {
    const alone = await newWorld(broker, { seed: `s${seed}`, symbols: ['KO'] })
    const expected = await trade(alone, seed)
    assert.deepEqual(
      expected.orders.map(({ qty, status }: Body) => [qty, status]),
      [
        [String(seed + 1), 'filled'],
        [String(seed + 1), 'filled'],
      ],
    )
    for (const [number, result] of results.entries())
      if (number % SEEDS === seed) assert.deepEqual(result, expected, `world ${number}`)
  }
  const [first, second] = worlds
  const foreign = await call({ ...first!, secretKey: second!.secretKey }, 'GET', '/v2/account')
  assert.equal(foreign.status, 401)
  await Promise.all(worlds.map(({ world }) => sim(broker, 'DELETE', world)))
})

const bars =
  '/v2/stocks/bars?symbols=AAPL&timeframe=1Hour&start=2026-01-02T14:00:00Z&end=2026-01-02T21:00:00Z'
const barsOf = async (world: Parameters<typeof call>[0]) => (await call(world, 'GET', bars)).body.bars.AAPL

test('worlds with the same market seed have the same prices and different ids', async () => {
  const one = await newWorld(broker, { seed: 'one', market_seed: 'shared' })
  const two = await newWorld(broker, { seed: 'two', market_seed: 'shared' })
  const plain = await newWorld(broker, { seed: 'shared' })
  const other = await newWorld(broker, { seed: 'one' })
  assert.ok((await barsOf(one)).length > 0)
  assert.deepEqual(await barsOf(two), await barsOf(one))
  assert.deepEqual(await barsOf(plain), await barsOf(one))
  assert.notDeepEqual(await barsOf(other), await barsOf(one))
  assert.notEqual(two.accountId, one.accountId)
  assert.equal(other.accountId, one.accountId)
})

test('a world and its fork show the market seed', async () => {
  const { world } = await newWorld(broker, { seed: 'three', market_seed: 'shared' })
  const fork = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world}/fork`, {})
  for (const name of [world, fork.body.world]) {
    const { body } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${name}`)
    assert.deepEqual([body.seed, body.market_seed], ['three', 'shared'])
  }
})
