import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { broker, type Caller, newWorld, type World } from './stage.ts'

const END = '2050-12-31T23:59:59Z'

const clock = (world: string, action: string, body: Body) =>
  callAsOperator(broker, 'POST', `/sim/v1/worlds/${world}/clock/${action}`, body)
const stateOf = async ({ world }: Pick<World, 'world'>): Promise<Body> =>
  (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}`)).body

async function assertUsable(world: Caller): Promise<void> {
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'gtc' }
  assert.equal((await call(world, 'POST', '/v2/orders', order)).status, 200)
  for (const path of [
    '/v2/account',
    '/v2/clock',
    '/v3/clock?markets=NYSE',
    '/v2/positions',
    '/v2/calendar?start=2050-12-01',
  ])
    assert.equal((await call(world, 'GET', path)).status, 200, path)
  assert.equal((await fetch(`${broker.url}/readyz`)).status, 200)
}

test('an advance beyond the end of the calendar is refused and changes nothing', async () => {
  const world = await newWorld({ start: '2045-01-03T15:00:00Z' })
  const before = await stateOf(world)
  for (const target of [{ to: '2054-12-01T00:00:00Z' }, { to: '2051-01-01T00:00:00Z' }, { by: '3650d' }]) {
    const { status, body } = await clock(world.world, 'advance', target)
    assert.deepEqual([status, body.reason], [422, 'clockEndReached'], JSON.stringify(target))
    assert.match(body.message, /2050-12-31T23:59:59Z/)
  }
  assert.deepEqual(await stateOf(world), before)
  await assertUsable(world)
})

test('at the end of the calendar a world can be used and forked, but its clock cannot advance', async () => {
  const world = await newWorld({ start: '2049-12-31T15:00:00Z' })
  await assertUsable(world)
  assert.equal((await clock(world.world, 'advance', { to: END })).status, 200)
  await assertUsable(world)
  for (const target of [{ by: '1s' }, { until: 'next_open' }, { until: 'next_close' }])
    assert.equal((await clock(world.world, 'advance', target)).status, 422, JSON.stringify(target))
  const run = await clock(world.world, 'run', { speed: '1' })
  assert.deepEqual([run.status, run.body.reason], [422, 'clockEndReached'])
  const forked = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/fork`, {})
  assert.equal(forked.status, 201)
  const [account] = forked.body.accounts
  await assertUsable({ url: broker.url, keyId: account.key_id, secretKey: account.secret_key })
  assert.equal((await clock(forked.body.world, 'advance', { by: '1s' })).status, 422)
  const audit = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/audit`)
  assert.equal(audit.body.sound, true)
})

test('a running clock stops at the end of the calendar', async () => {
  const world = await newWorld({ start: '2049-12-31T15:00:00Z' })
  await clock(world.world, 'advance', { to: '2050-12-31T20:00:00Z' })
  assert.equal((await clock(world.world, 'run', { speed: '100000' })).status, 200)
  await waitUntil('the clock has stopped', async () => (await stateOf(world)).frozen)
  assert.equal((await stateOf(world)).now, END)
  await assertUsable(world)
})
