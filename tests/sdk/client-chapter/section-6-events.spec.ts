import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Bar, createQuipu, type TradeUpdate } from '@quipu/sdk'
import { openProxy } from '../../../broker/src/postgres/testing/tcp-proxy.ts'
import { client } from './stage.ts'

/** Section 6 of the specification: the trade-update stream and the market-data stream. */

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** The program of the specification: connect, authenticate, stop if refused, subscribe, place an order. */
async function program(
  t: TestContext,
  { url, keyId, secretKey }: Record<'url' | 'keyId' | 'secretKey', string>,
) {
  const quipu = createQuipu({ url, keyId, secretKey })
  const updates = quipu.streams.tradeUpdates({ reconnectMs: 5, heartbeatMs: 50, timeoutMs: 1000 })
  t.after(() => updates.close())
  const received: TradeUpdate[] = []
  updates.onMessage((update) => received.push(update))
  const result = await updates.authenticate()
  if (result.authenticated) await updates.subscribe()
  return { quipu, updates, received, result }
}

test('Trade updates 1: the authentication result comes before orders, and has authenticated, status and message', async (t) => {
  const { result } = await program(t, await client())
  assert.deepEqual(result, { authenticated: true, status: 'authenticated', message: 'authenticated' })
})

test('Trade updates 1: a program whose credential is refused learns why, and stops', async (t) => {
  const { url, keyId } = await client()
  const quipu = createQuipu({ url, keyId, secretKey: 'wrong' })
  const updates = quipu.streams.tradeUpdates()
  const prices = quipu.streams.marketData('iex')
  t.after(() => [updates, prices].map((stream) => stream.close()))
  const [trades, market] = await Promise.all([updates.authenticate(), prices.authenticate()])
  assert.deepEqual([trades.authenticated, trades.status], [false, 'refused'])
  assert.match(trades.message, /verification failed/)
  assert.deepEqual(market, { authenticated: false, status: 'refused', message: 'auth failed', code: 402 })
})

test('Trade updates 2: each update has an event and an order with symbol and status', async (t) => {
  const world = await client()
  const { quipu, received } = await program(t, world)
  const { id } = await quipu.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy' })
  await world.advance('1m')
  await until(() => received.some(({ event }) => event === 'fill'))
  for (const { order } of received) assert.deepEqual([order.id, order.symbol], [id, 'AAPL'])
  assert.deepEqual(
    received.map(({ event, order }) => [event, order.status]),
    [
      ['pending_new', 'pending_new'],
      ['new', 'new'],
      ['fill', 'filled'],
    ],
  )
})

test('Trade updates 3: errors arrive as text', async (t) => {
  const { url, keyId } = await client()
  const updates = createQuipu({ url, keyId, secretKey: 'wrong' }).streams.tradeUpdates()
  t.after(() => updates.close())
  const texts: string[] = []
  updates.onError((text) => texts.push(text))
  await updates.authenticate()
  assert.deepEqual(texts, ['access key verification failed'])
})

test('Trade updates 4: after a lost connection the program is subscribed again and misses nothing', async (t) => {
  const world = await client()
  const proxy = await openProxy(world.url)
  t.after(proxy.close)
  const { updates, received } = await program(t, { ...world, url: proxy.url })
  const states: string[] = []
  updates.onState((state) => states.push(state))
  proxy.cut()
  await until(() => states.includes('waiting'))
  const { id } = await world.quipu.orders.limit({ symbol: 'AAPL', qty: 1, side: 'buy', limitPrice: 10 })
  proxy.open()
  await until(() => received.some(({ event, order }) => event === 'new' && order.id === id))
  await world.quipu.orders.cancel(id)
  await until(() => received.some(({ event }) => event === 'canceled'))
  assert.ok(states.includes('open'))
})

test('Market data 1 and 2: bars of a list of symbols, in the shape of historical bars', async (t) => {
  const { quipu, advance } = await client()
  const prices = quipu.streams.marketData('iex')
  t.after(() => prices.close())
  const bars: Bar[] = []
  prices.onBar((bar) => bars.push(bar))
  assert.deepEqual(await prices.subscribe({ bars: ['AAPL', 'MSFT'] }), { bars: ['AAPL', 'MSFT'] })
  await advance('3m')
  await until(() => bars.length >= 4)
  const { symbol, timestamp } = bars.find((bar) => bar.symbol === 'MSFT')!
  const query = { symbols: symbol, timeframe: '1Min', feed: 'iex', start: timestamp, end: timestamp } as const
  const { value: historical } = await quipu.bars(query).next()
  assert.deepEqual(
    bars.find((bar) => bar.symbol === 'MSFT'),
    historical,
  )
})

test('Market data 2: a loop over bars subscribes by itself', async (t) => {
  const { quipu, advance } = await client()
  const prices = quipu.streams.marketData('sip')
  t.after(() => prices.close())
  const loop = prices.bars(['AAPL'])
  const first = loop.next()
  await prices.ready()
  while (prices.state !== 'open') await new Promise((resolve) => setTimeout(resolve, 5))
  const repeat = setInterval(() => void advance('1m'), 50)
  t.after(() => clearInterval(repeat))
  const { value } = await first
  assert.equal(value?.symbol, 'AAPL')
})
