import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call, callAsOperator, newWorld, startBroker } from '../support/broker.ts'

const broker = await startBroker()
after(() => broker.kill())

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
