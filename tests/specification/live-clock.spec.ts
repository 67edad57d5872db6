import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStreams } from '@quipu/sdk'
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
} from './stage.ts'

const streams = createStreams({ url: broker.url, keyId: broker.brokerKey, secretKey: broker.brokerSecret })
const post = (path: string, body?: object) => callAsOperator(broker, 'POST', `/sim/v1/worlds/${path}`, body)
const advance = async (world: string, body: object): Promise<Body> =>
  (await post(`${world}/clock/advance`, body)).body

type Message = { readonly event: string; readonly data: Body }

/** Reads until a message matches. */
async function until(stream: AsyncGenerator<Message>, isMatch: (message: Message) => boolean): Promise<Body> {
  for (;;) {
    const { value, done } = await stream.next()
    if (done) throw new Error('the stream ended')
    if (isMatch(value)) return value.data
  }
}

/** The stream of the clock of a world, after its first message. */
async function followClock(t: { after(run: () => void): void }, world: string) {
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  const call = { params: { world } }
  const stream = streams.getWorldClock(call, { signal: stopping.signal }) as AsyncGenerator<Message>
  return { stream, first: (await stream.next()).value as Message }
}

test('the list of worlds is live: created, forked, reset and deleted worlds, and their clocks', async (t) => {
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  const stream = streams.listWorlds({}, { signal: stopping.signal }) as AsyncGenerator<Message>
  const listed = await until(stream, ({ event }) => event === 'worlds')
  assert.equal(listed[0].world, 'main')
  const { world } = await newWorld()
  const about = (name: string) => (message: Message) => message.event === name && message.data.world === world
  const created = await until(stream, about('world'))
  assert.deepEqual(created, (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}`)).body)
  assert.equal((await until(stream, about('clock'))).frozen, true)
  const fork = (await post(`${world}/fork`, {})).body.world
  const isFork = ({ event, data }: Message) => event === 'world' && data.world === fork
  const { parent, forked_at: forkedAt } = await until(stream, isFork)
  // The creation of accounts takes some nanoseconds.
  assert.deepEqual([parent, forkedAt.slice(0, 19)], [world, created.now.slice(0, 19)])
  const account = { identity: { given_name: 'Grace', family_name: 'Hopper' } }
  await callAsOperator(broker, 'POST', '/v1/accounts', account, { 'x-quipu-world': world })
  const { accounts } = await until(stream, about('world'))
  assert.deepEqual([accounts.length, accounts[1].name], [2, 'Grace Hopper'])
  await post(`${world}/clock/run`, { speed: 60 })
  assert.equal((await until(stream, (message) => about('clock')(message) && !message.data.frozen)).speed, 60)
  const { body: reset } = await post(`${world}/reset`)
  assert.deepEqual(await until(stream, about('world')), reset)
  for (const name of [world, fork]) await callAsOperator(broker, 'DELETE', `/sim/v1/worlds/${name}`)
  assert.deepEqual(await until(stream, about('deleted')), { world })
})

test('the list of worlds has market events and fault rules live', async (t) => {
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  const { world, ...caller } = await newWorld()
  const stream = streams.listWorlds({}, { signal: stopping.signal }) as AsyncGenerator<Message>
  const about = (name: string) => (message: Message) => message.event === name && message.data.world === world
  await until(stream, about('clock'))
  const { body: halt } = await post(`${world}/market-events`, {
    kind: 'halt',
    symbol: 'AAPL',
    from: '2026-01-05T15:10:00Z',
    to: '2026-01-05T15:15:00Z',
  })
  assert.deepEqual((await until(stream, about('world'))).market_events, [halt])
  const { body: rule } = await post(`${world}/faults`, {
    match: { operation: ['getAccount'], times: 2 },
    effect: { kind: 'status', status: 503 },
  })
  assert.deepEqual((await until(stream, about('faults'))).faults, [rule])
  assert.equal((await get(caller, '/v2/account')).status, 503)
  const { faults } = await until(stream, about('faults'))
  assert.deepEqual([faults[0].consumed, faults[0].consumed_at], [1, [rule.created_at]])
  await callAsOperator(broker, 'DELETE', `/sim/v1/worlds/${world}/faults/${rule.id}`)
  assert.deepEqual((await until(stream, about('faults'))).faults, [])
})

test('the clock is live: run, freeze, and the report of an advance', async (t) => {
  const { world, ...caller } = await newWorld({ hours: 'nyse' })
  const { stream, first } = await followClock(t, world)
  const clock = (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}/clock`)).body
  assert.deepEqual(first, { event: 'clock', data: clock })
  await post(`${world}/clock/run`, { speed: 600 })
  const moving = await until(stream, ({ data }) => data.speed === 600 && data.now > clock.now)
  assert.equal(moving.frozen, false)
  await post(`${world}/clock/freeze`)
  const frozen = await until(stream, ({ data }) => data.speed === 0)
  assert.equal(frozen.advance, undefined)
  await placeOrder(caller, restingBuy)
  const report = await advance(world, { until: 'next_close' })
  assert.deepEqual([report.stopped, report.reached, report.orders_ended], [false, true, { expired: 1 }])
  assert.deepEqual(await until(stream, ({ event }) => event === 'advanced'), report)
})

test('a stop ends an advance at its next step, and the clock stream shows its progress', async (t) => {
  const { world, ...caller } = await newWorld()
  const { id } = await placeOrder(caller, { ...restingBuy, time_in_force: 'gtc', limit_price: '0.01' })
  // A subscriber to bars makes every minute a step.
  const bars = await openStream('/v2/iex')
  t.after(() => bars.close())
  await bars.next()
  await bars.request({ action: 'auth', key: caller.keyId, secret: caller.secretKey })
  await bars.request({ action: 'subscribe', bars: ['AAPL'] })
  const { stream, first } = await followClock(t, world)
  const advancing = advance(world, { until: 'order_end', order_id: id })
  const isMoving = ({ data }: Message) => data.advance !== undefined && data.now > data.advance.from
  const progress = await until(stream, isMoving)
  assert.equal(progress.advance.until, 'order_end')
  assert.ok(progress.advance.to > progress.now && progress.now > first.data.now)
  const stopped = await post(`${world}/clock/stop`)
  assert.deepEqual([stopped.status, stopped.body.advance, stopped.body.frozen], [200, undefined, true])
  const report = await advancing
  assert.deepEqual([report.stopped, report.reached], [true, false])
  assert.deepEqual(await until(stream, ({ event }) => event === 'advanced'), report)
  assert.equal((await advance(world, { by: '1s' })).stopped, false, 'a stop does not last')
})

test('an advance to the next bar ends with the minute in the session, and skips closed hours', async () => {
  const { world, ...caller } = await newWorld({ hours: 'nyse', start: '2026-01-05T20:58:30Z' })
  const times = []
  for (let n = 0; n < 4; n++) times.push((await advance(world, { until: 'next_bar' })).now)
  assert.deepEqual(
    times.map((time) => time.slice(0, 19)),
    ['2026-01-05T20:59:00', '2026-01-05T21:00:00', '2026-01-06T14:31:00', '2026-01-06T14:32:00'],
  )
  const { bar } = (await get(caller, '/v2/stocks/AAPL/bars/latest')).body
  assert.equal(bar.t, '2026-01-06T14:31:00Z')
  const always = await newWorld({ start: '2026-01-05T21:30:30Z' })
  assert.equal((await advance(always.world, { until: 'next_bar' })).now, '2026-01-05T21:31:00Z')
})

test('an advance to the next event stops at market events and at events of the journal', async () => {
  const halt = { kind: 'halt', symbol: 'AAPL', from: '2026-01-05T15:10:00Z', to: '2026-01-05T15:15:00Z' }
  const { world, ...caller } = await newWorld({ latency: '20s', market_events: [halt] })
  await placeOrder(caller, marketBuy)
  const step = () => advance(world, { until: 'next_event' })
  const filled = await step()
  assert.deepEqual([filled.reached, filled.events], [true, { orderAcknowledged: 1, orderFilled: 1 }])
  const stops = []
  for (let n = 0; n < 3; n++) stops.push(await step())
  assert.deepEqual(
    stops.map(({ now, events, reached }) => [now, Object.keys(events), reached]),
    [
      [halt.from, [], true],
      [halt.to, [], true],
      ['2026-01-05T21:00:00Z', ['feesBooked', 'dayClosed'], true],
    ],
  )
  const within = await advance(world, { until: 'next_event', within: '1h' })
  assert.deepEqual([within.reached, within.stopped, within.events], [false, false, {}])
})

test('a stop without an advance changes nothing; main and unknown worlds are refused', async () => {
  const { world } = await newWorld()
  const clock = (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}/clock`)).body
  assert.deepEqual((await post(`${world}/clock/stop`)).body, clock)
  assertRefused(await post('main/clock/stop'), 409, 40910000)
  assertRefused(await post('nowhere/clock/stop'), 404, 40410000)
  const bad = await post(`${world}/clock/advance`, { until: 'next_bar', within: '1h' })
  assertRefused(bad, 422, 40010001, /within/)
  assert.deepEqual((await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}/clock`)).body, clock)
})

test('the clock stream of a deleted world ends, and continues over a reset', async (t) => {
  const { world } = await newWorld()
  const { stream, first } = await followClock(t, world)
  await advance(world, { by: '1h' })
  await until(stream, ({ event }) => event === 'advanced')
  await post(`${world}/reset`)
  assert.deepEqual(await until(stream, ({ data }) => data.now === first.data.now), first.data)
  await callAsOperator(broker, 'DELETE', `/sim/v1/worlds/${world}`)
  assert.deepEqual(await until(stream, ({ event }) => event === 'deleted'), { world })
})
