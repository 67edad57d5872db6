import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Alpaca } from '@alpacahq/alpaca-trade-api'
import { createQuipu } from '@quipu/sdk'
import { type Body, callAsOperator } from '../support/broker.ts'
import { assertRefused, broker, get, newWorld, type World } from './stage.ts'

const OPEN = '2026-01-05T14:30:00Z'
const minutesLater = (minutes: number) => new Date(Date.parse(OPEN) + minutes * 60_000).toISOString()

const replay = (world: string, body: object) =>
  callAsOperator(broker, 'POST', `/sim/v1/worlds/${world}/clock/replay`, body)

/** The times of all orders, in the order in which they were placed. */
const orderTimes = async (world: World): Promise<readonly string[]> =>
  (await get(world, '/v2/orders?status=all&direction=asc')).body.map(({ created_at }: Body) => created_at)

/** An order for every fifth bar; each is placed at the end of its bar. */
const expected = [5, 10, 15].map((minute) => minutesLater(minute).replace('.000', ''))

test('our SDK: a step begins when the promises of the callbacks have ended', async () => {
  const world = await newWorld({ start: OPEN })
  const quipu = createQuipu({ url: broker.url, keyId: world.keyId, secretKey: world.secretKey })
  const stream = quipu.streams.marketData('sip')
  let bars = 0
  stream.onMessage(async (message) => {
    if (message.T !== 'b') return
    bars += 1
    const isFifth = bars % 5 === 0
    await sleep(2)
    if (isFifth)
      await quipu.client.placeOrder({
        body: { symbol: 'AAPL', qty: 1, side: 'buy', type: 'market', time_in_force: 'day' },
      })
  })
  await stream.subscribe({ bars: ['AAPL'] })
  const { body } = await replay(world.world, { to: minutesLater(15), step: '1m' })
  assert.deepEqual([body.mode, body.finished, body.steps], ['exact', true, 15])
  assert.ok(body.waits >= 15 && body.client_ms >= 30)
  assert.deepEqual([bars, await orderTimes(world)], [15, expected])
  stream.close()
})

test('our SDK: a step begins when the body of the loop has ended', async () => {
  const world = await newWorld({ start: OPEN })
  const quipu = createQuipu({ url: broker.url, keyId: world.keyId, secretKey: world.secretKey })
  const stream = quipu.streams.marketData('sip')
  const times: string[] = []
  const loop = (async () => {
    for await (const message of stream) {
      if (message.T !== 'b') continue
      await sleep(2)
      times.push((await quipu.client.getClock()).timestamp)
    }
  })()
  await stream.subscribe({ bars: ['AAPL'] })
  // Without a step, only events wait.
  const { body } = await replay(world.world, { to: minutesLater(4) })
  assert.deepEqual([body.mode, body.steps, times.length], ['exact', 1, 4])
  assert.deepEqual(
    times.map((time) => Date.parse(time)),
    [1, 2, 3, 4].map((minute) => Date.parse(minutesLater(minute))),
  )
  stream.close()
  await loop
})

test('the official SDK: a step begins when the client has answered pings and sends no request', async () => {
  const world = await newWorld({ start: OPEN })
  const alpaca = new Alpaca({
    keyId: world.keyId,
    secret: world.secretKey,
    rateLimit: false,
    fetchApi: (url, init) => fetch(String(url).replace(/^https:\/\/[^/]+/, broker.url), init),
  })
  const stream = alpaca.marketData.stockStream({ url: `${broker.url.replace(/^http/, 'ws')}/v2/sip` })
  let bars = 0
  stream.onBar(() => {
    bars += 1
    const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', timeInForce: 'day' } as const
    if (bars % 5 === 0) void alpaca.trading.orders.postOrder({ postOrderRequest: order })
  })
  const subscribed = new Promise((resolve) => stream.once('subscription', resolve))
  stream.onConnect(() => stream.subscribeForBars(['AAPL']))
  stream.connect()
  await subscribed
  const { body } = await replay(world.world, { to: minutesLater(15), step: '1m', rounds: 8, think: '5ms' })
  stream.disconnect()
  assert.deepEqual([body.mode, body.finished, bars], ['best_effort', true, 15])
  assert.deepEqual(await orderTimes(world), expected)
})

test('steps of whole days end at the close, and a date includes its day', async () => {
  const world = await newWorld({ start: OPEN })
  const { body } = await replay(world.world, { to: '2026-01-07', step: '1d' })
  // The closes of three days, and the rest of the last day.
  assert.deepEqual([body.steps, body.now], [4, '2026-01-08T05:00:00Z'])
})

test('a freeze ends a replay, and so does its time limit', async () => {
  const world = await newWorld({ start: OPEN })
  const long = { to: '2026-12-31', step: '1m', think: '1ms' }
  const running = replay(world.world, long)
  await sleep(30)
  await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/clock/freeze`, {})
  const { body } = await running
  assert.deepEqual([body.finished, body.mode], [false, 'best_effort'])
  const limited = (await replay(world.world, { ...long, within: '30ms' })).body
  assert.equal(limited.finished, false)
  assert.ok(limited.elapsed_ms >= 29 && limited.from === body.now)
})

test('a replay whose time ends while it waits for clients at its end is not finished', async () => {
  const { world } = await newWorld({ start: OPEN })
  const there = { to: OPEN, think: '900ms' }
  assert.equal((await replay(world, { ...there, within: '30ms' })).body.finished, false)
  assert.equal((await replay(world, { to: OPEN, think: '1ms' })).body.finished, true)
})

test('a replay is refused with the field that is wrong', async () => {
  const { world } = await newWorld({ start: OPEN })
  assertRefused(await replay(world, { step: '1m' }), 422, 40010001, /to/)
  assertRefused(await replay(world, { to: OPEN, step: '0s' }), 422, 40010001, /step/)
  assertRefused(await replay(world, { to: OPEN, rounds: 0 }), 422, 40010001, /rounds/)
  assert.equal((await replay(world, { to: '2025-01-01' })).status, 422)
  assert.equal((await replay('main', { to: '2040-01-01' })).status, 409)
  assert.equal((await replay('nowhere', { to: '2040-01-01' })).status, 404)
})
