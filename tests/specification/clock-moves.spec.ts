import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout, setImmediate as turn } from 'node:timers/promises'
import { type Body, callAsOperator } from '../support/broker.ts'
import {
  assertRefused,
  broker,
  get,
  marketBuy,
  newWorld,
  openStream,
  placeOrder,
  restingBuy,
  UNKNOWN_ID,
  type World,
} from './stage.ts'

const post = (world: string, path: string, body: object) =>
  callAsOperator(broker, 'POST', `/sim/v1/worlds/${world}/clock/${path}`, body)
const clockOf = async (world: string): Promise<Body> =>
  (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}/clock`)).body

async function advance(world: World, body: object): Promise<Body> {
  const response = await post(world.world, 'advance', body)
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body
}

test('an advance has sent every stream message that it caused before it returns', async (t) => {
  const world = await newWorld({ latency: '20s' })
  const client = await openStream('/stream')
  t.after(() => client.close())
  const received: string[] = []
  await client.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await client.request({ action: 'listen', data: { streams: ['trade_updates'] } })
  client.socket.on('message', (data) => received.push(JSON.parse(String(data)).data.event))
  for (let number = 0; number < 20; number++) await placeOrder(world, marketBuy)
  await client.rest()
  received.length = 0
  const { events, orders_ended } = await advance(world, { by: '1m' })
  // The messages were written before the response, so the system has them: one turn of the event loop reads them.
  await turn()
  await turn()
  assert.deepEqual([events.orderFilled, orders_ended], [20, { filled: 20 }])
  assert.equal(received.filter((event) => event === 'fill').length, 20)
})

test('an advance until the end of an order stops at that instant', async () => {
  const world = await newWorld()
  const { id } = await placeOrder(world, restingBuy)
  const moved = await advance(world, { until: 'order_end', order_id: id })
  // The close of the day is an event at the same instant, one nanosecond earlier.
  assert.equal(moved.now, '2026-01-05T21:00:00.000000001Z')
  assert.deepEqual([moved.reached, moved.orders_ended], [true, { expired: 1 }])
  assert.equal((await get(world, `/v2/orders/${id}`)).body.status, 'expired')
  const again = await advance(world, { until: 'order_end', order_id: id })
  assert.deepEqual([again.now, again.reached, again.events], [moved.now, true, {}])
})

test('an advance until the end of an order that stays open stops at the limit', async () => {
  const world = await newWorld()
  const { id } = await placeOrder(world, { ...restingBuy, time_in_force: 'gtc', limit_price: '0.01' })
  const moved = await advance(world, { until: 'order_end', order_id: id, within: '1h' })
  assert.deepEqual([moved.reached, moved.orders_ended], [false, {}])
  assert.equal(Date.parse(moved.now) - Date.parse(moved.from), 3_600_000)
})

test('an advance until idle waits for orders and settlement, and not for closes', async () => {
  const world = await newWorld()
  const empty = await advance(world, { until: 'idle' })
  assert.deepEqual([empty.now, empty.reached], [empty.from, true])
  await placeOrder(world, marketBuy)
  await placeOrder(world, restingBuy)
  const moved = await advance(world, { until: 'idle' })
  assert.deepEqual([moved.reached, moved.events.orderExpired, moved.events.accountSettled], [true, 1, 1])
  const last = (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/events?last=1`)).body
  assert.equal(last.events[0].kind, 'accountSettled')
  assert.equal(last.events[0].at, moved.now)
})

test('the clock is set to a later time, everything due happens, and it is frozen', async () => {
  const world = await newWorld()
  const { id } = await placeOrder(world, restingBuy)
  await post(world.world, 'run', { speed: 1 })
  const to = (await clockOf(world.world)).next_open
  const moved = await post(world.world, 'set', { to })
  assert.deepEqual([moved.status, moved.body.now, moved.body.frozen], [200, to, true])
  assert.equal((await get(world, `/v2/orders/${id}`)).body.status, 'expired')
})

test('a wrong move is refused and moves nothing', async () => {
  const world = await newWorld()
  const before = (await clockOf(world.world)).now
  const past = await post(world.world, 'set', { to: '2026-01-05T14:59:59Z' })
  assertRefused(past, 422, 42210000, /cannot move back/)
  for (const [body, field] of [
    [{ until: 'order_end' }, /order_id/],
    [{ by: '1m', order_id: UNKNOWN_ID }, /order_id/],
    [{ until: 'next_open', within: '1h' }, /within/],
    [{ until: 'idle', within: '-1h' }, /within/],
    [{ until: 'sunday' }, /until/],
    [{}, /by, to or until/],
  ] as const)
    assertRefused(await post(world.world, 'advance', body), 422, 40010001, field)
  const unknown = await post(world.world, 'advance', { until: 'order_end', order_id: UNKNOWN_ID })
  assertRefused(unknown, 404, 40410000)
  const long = await post(world.world, 'advance', { until: 'idle', within: '4000d' })
  assertRefused(long, 422, 42210000, /at most 3660d/)
  assertRefused(await post('main', 'set', { to: '2030-01-01' }), 409, 40910000)
  assert.equal((await clockOf(world.world)).now, before)
})

const clock = (name: string, verb = '', body?: object) =>
  callAsOperator(broker, verb ? 'POST' : 'GET', `/sim/v1/worlds/${name}/clock${verb}`, body)

test('a clock runs at the requested speed, sends every bar, and stops when frozen', async () => {
  const world = await newWorld()
  const client = await openStream('/v2/sip')
  await client.next()
  await client.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await client.request({ action: 'subscribe', bars: ['AAPL'] })
  assert.equal((await clock(world.world)).body.speed, 0)
  const running = await clock(world.world, '/run', { speed: 3600 })
  assert.deepEqual([running.status, running.body.speed, running.body.frozen], [200, 3600, false])
  const isPast = async (instant: string) => (await clock(world.world)).body.now > instant
  while (!(await isPast('2026-01-05T15:10'))) await setTimeout(10)
  const frozen = (await clock(world.world, '/freeze')).body
  assert.deepEqual([frozen.frozen, frozen.speed], [true, 0])
  await setTimeout(30)
  assert.equal((await clock(world.world)).body.now, frozen.now)
  const starts = (await client.rest()).flat().map(({ t }: Body) => t)
  assert.ok(starts.length >= 10)
  for (const [index, start] of starts.entries())
    assert.equal(Date.parse(start), Date.parse('2026-01-05T15:00:00Z') + index * 60_000)
  await client.close()
})

for (const speed of ['0', '-1', 'fast', 100_001, undefined])
  test(`a speed of ${speed} is refused`, async () => {
    const world = await newWorld()
    assertRefused(await clock(world.world, '/run', { speed }), 422, 40010001, /speed/)
    assert.equal((await clock(world.world)).body.frozen, true)
  })

test('the speed of the clock of main cannot be changed', async () => {
  const refused = await clock('main', '/run', { speed: 2 })
  assert.equal(refused.status, 409)
  assert.equal((await clock('main')).body.speed, 1)
})
