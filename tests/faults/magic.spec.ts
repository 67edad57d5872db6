import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Alpaca, ApiError, RateLimitError, ValidationError } from '@alpacahq/alpaca-trade-api'
import { alpacaOptions } from '../../testing/src/kit.ts'
import { waitUntil } from '../support/wait-until.ts'
import { buy, newEmptyWorld, streamsOf } from './fault-world.ts'

const clientOf = async () => {
  const world = await newEmptyWorld()
  return { world, alpaca: new Alpaca({ ...alpacaOptions(world), retry: false }) }
}

const errorOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => assert.fail('the request succeeded'),
    (error: unknown) => error,
  )

test('a client order id fails once in the way it names, then its order can be placed', async () => {
  const { world, alpaca } = await clientOf()
  for (const [id, isPlaced] of [
    ['quipu-fault:request_lost:a', false],
    ['quipu-fault:answer_lost:b', true],
    ['quipu-fault:reset', false],
    ['quipu-fault:reset-applied:d', true],
    ['quipu-fault:truncated:e', true],
    ['quipu-fault:status-429:f', false],
    ['quipu-fault:status-504-applied:g', true],
  ] as const) {
    await errorOf(buy(alpaca, id))
    const [last] = await world.orders()
    assert.equal(last?.client_order_id === id, isPlaced, id)
    const again = await buy(alpaca, id).catch((error: unknown) => error)
    assert.equal(again instanceof ValidationError, isPlaced, id)
  }
  assert.deepEqual(
    (await world.faults()).map(({ consumed }) => consumed),
    [1, 1, 1, 1, 1, 1, 1],
  )
  assert.equal((await world.orders()).length, 7)
})

test('a client order id delays its order, or loses an update of it', async (t) => {
  const { world, alpaca } = await clientOf()
  const startMs = performance.now()
  await buy(alpaca, 'quipu-fault:delay-100:slow')
  assert.ok(performance.now() - startMs >= 99)
  const updates = await updatesOf(t, world, alpaca)
  await buy(alpaca, 'quipu-fault:drop-new:lost')
  await buy(alpaca, 'quipu-fault:duplicate-fill:twice')
  await world.advance('1s')
  assert.deepEqual(await updates(6), [
    'lost pending_new',
    'lost fill',
    'twice pending_new',
    'twice new',
    'twice fill',
    'twice fill',
  ])
})

async function updatesOf(t: TestContext, world: Parameters<typeof streamsOf>[0], alpaca: Alpaca) {
  const stream = alpaca.trading.stream(streamsOf(world).trading)
  t.after(() => stream.disconnect())
  const updates: string[] = []
  stream.onTradeUpdate(({ event, order }) => {
    const name = String(order.client_order_id).split(':').at(-1)
    if (name !== 'slow') updates.push(`${name} ${event}`)
  })
  stream.subscribeTradeUpdates()
  const subscribed = new Promise((resolve) => stream.once('subscription', resolve))
  stream.connect()
  await subscribed
  return async (count: number) => {
    await waitUntil(`${count} updates`, () => updates.length >= count)
    return updates.sort((a, b) => Number(a.startsWith('twice')) - Number(b.startsWith('twice')))
  }
}

test('an id with the prefix that names no fault is refused', async () => {
  const { world, alpaca } = await clientOf()
  for (const id of [
    'quipu-fault:',
    'quipu-fault:explode:x',
    'quipu-fault:status-200:x',
    'quipu-fault:drop-fills:x',
  ]) {
    const error = await errorOf(buy(alpaca, id))
    assert.ok(error instanceof ValidationError)
    assert.equal(error.message, `client_order_id: "${id}" names no fault; quipu-fault: is reserved`)
  }
  assert.deepEqual(await world.faults(), [])
  await buy(alpaca, 'my quipu-fault:reset')
})

test('a symbol fails each time: in orders, in lookups and in market data', async () => {
  const { alpaca } = await clientOf()
  const order = { qty: 1, side: 'buy' } as const
  for (let times = 0; times < 2; times += 1) {
    const limited = await errorOf(alpaca.trading.orders.market({ ...order, symbol: 'FAULT.429' }))
    assert.ok(limited instanceof RateLimitError)
    assert.equal(limited.rateLimit?.remaining, 0)
  }
  const failed = await errorOf(alpaca.marketData.stocks.stockLatestQuoteSingle({ symbol: 'FAULT.503' }))
  assert.ok(failed instanceof ApiError)
  assert.equal(failed.status, 503)
  for (const symbol of ['FAULT.LOST', 'FAULT.RESET'])
    assert.match(
      String((await errorOf(alpaca.trading.orders.market({ ...order, symbol }))) as Error),
      /fetch|Fetch/,
    )
  const unknown = await errorOf(alpaca.trading.orders.market({ ...order, symbol: 'FAULT.200' }))
  assert.ok(unknown instanceof ValidationError)
  assert.match(unknown.message, /asset "FAULT\.200" not found/)
})

test('a subscription to FAULT.CLOSE closes the stream', async (t) => {
  const { world, alpaca } = await clientOf()
  const stream = alpaca.marketData.stockStream({ ...streamsOf(world).stocks, reconnect: false })
  t.after(() => stream.disconnect())
  stream.subscribeForQuotes(['FAULT.CLOSE'])
  const closed = new Promise<void>((resolve) => stream.onDisconnect(() => resolve()))
  stream.connect()
  await closed
})
