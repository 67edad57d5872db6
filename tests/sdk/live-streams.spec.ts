import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createQuipu, createStreams, type MarketMessage, StreamError, type TradeUpdate } from '@quipu/sdk'
import { openProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import { call, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'

const resting = { symbol: 'AAPL', qty: 1, side: 'buy', limitPrice: '10' } as const
const fast = { reconnectMs: 5, reconnectMaxMs: 20, timeoutMs: 300, heartbeatMs: 50 }

/** An account in a world with a frozen clock, and the same account through a proxy. */
async function account(t: TestContext) {
  const world = await newWorld(broker, { seed: 'streams' })
  const { keyId, secretKey, url } = world
  const proxy = await openProxy(url)
  t.after(proxy.close)
  const direct = createQuipu({ url, keyId, secretKey })
  const quipu = createQuipu({ url: proxy.url, keyId, secretKey, retryDelayMs: 5 })
  return { world, proxy, direct, quipu }
}

/** Waits until a condition holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('no trade update is lost or repeated when the connection is cut, silent or truncated', async (t) => {
  const { world, proxy, direct, quipu } = await account(t)
  const stream = quipu.streams.tradeUpdates(fast)
  t.after(() => stream.close())
  const received: TradeUpdate[] = []
  const states: string[] = []
  stream.onMessage((update) => received.push(update))
  stream.onState((state) => states.push(state))
  stream.onGap((error) => assert.fail(error))
  await stream.subscribe()
  const faults = [
    () => proxy.cut(),
    () => proxy.goSilent(),
    () => proxy.truncate(3),
    () => proxy.truncate(200),
  ]
  for (const fault of [...faults, ...faults]) {
    const before = await direct.orders.limit(resting)
    await until(() => received.some(({ order }) => order.id === before.id))
    fault()
    const during = await direct.orders.limit(resting)
    await direct.orders.cancel(during.id)
    proxy.open()
    await until(() => received.some(({ event, order }) => event === 'canceled' && order.id === during.id))
  }
  // Connections also break while the stream reads what it missed.
  let turn = 0
  const storm = setInterval(() => {
    proxy.open()
    proxy.truncate((turn * 131) % 900)
    if (++turn === 40) clearInterval(storm)
  }, 12)
  t.after(() => clearInterval(storm))
  for (let n = 0; n < 40; n++) await direct.orders.cancel((await direct.orders.limit(resting)).id)
  const last = await direct.orders.limit(resting)
  await until(() => turn === 40 && received.some(({ order }) => order.id === last.id))
  const { keyId, secretKey, url } = world
  const all: string[] = []
  const query = { since_id: '00000000000000000000000000', until_id: received.at(-1)!.eventId }
  for await (const update of createStreams({ url, keyId, secretKey }).streamTradeEvents({ query }))
    all.push(update.event_id)
  assert.deepEqual(
    received.map((update) => update.eventId),
    all,
  )
  assert.ok(states.filter((state) => state === 'open').length > faults.length, states.join())
})

test('a loop subscribes by itself, keeps what arrives before it, and ends with close', async (t) => {
  const { quipu } = await account(t)
  const stream = quipu.streams.tradeUpdates(fast)
  const loop = stream[Symbol.asyncIterator]()
  await stream.subscribe()
  const { id } = await quipu.orders.limit(resting)
  const { value } = await loop.next()
  assert.equal(value?.order.id, id)
  stream.close()
  assert.equal(stream.state, 'closed')
  let rest = 0
  for await (const _ of { [Symbol.asyncIterator]: () => loop }) rest += 1
  assert.ok(rest < 3)
  await assert.rejects(stream.subscribe(), StreamError)
})

test('a refused credential rejects ready and ends the loop with the error', async (t) => {
  const quipu = createQuipu({ url: broker.url, keyId: broker.keyId, secretKey: 'wrong' })
  // The server delays a refusal by more than the short timeouts of the other tests.
  const trades = quipu.streams.tradeUpdates()
  t.after(() => trades.close())
  const loop = trades[Symbol.asyncIterator]().next()
  await assert.rejects(trades.ready(), /access key verification failed/)
  await assert.rejects(loop, StreamError)
  const prices = quipu.streams.marketData('iex')
  t.after(() => prices.close())
  await assert.rejects(
    prices.subscribe({ bars: ['AAPL'] }),
    (error: unknown) => error instanceof StreamError && error.code === 402,
  )
  const { message, ...refused } = await trades.authenticate()
  assert.match(message, /access key verification failed/)
  assert.deepEqual(refused, { authenticated: false, status: 'refused', code: undefined })
})

test('bars that were missed are read over REST, each once and in order', async (t) => {
  const { world, proxy, quipu } = await account(t)
  const stream = quipu.streams.marketData('sip', fast)
  t.after(() => stream.close())
  const received: MarketMessage[] = []
  stream.onMessage((message) => received.push(message))
  assert.deepEqual(await stream.subscribe({ bars: ['AAPL', 'MSFT'] }), { bars: ['AAPL', 'MSFT'] })
  // The bar of the minute of the subscription counts too.
  const start = (await quipu.client.getClock()).timestamp.replace(
    /T(\d\d:\d\d).*(Z|[+-]\d\d:\d\d)$/,
    'T$1:00$2',
  )
  for (const fault of [undefined, () => proxy.cut(), () => proxy.goSilent(), () => proxy.truncate(9)]) {
    await world.advance('2m')
    fault?.()
    await world.advance('3m')
    if (fault) proxy.open()
    await world.advance('1m')
  }
  const end = (await quipu.client.getClock()).timestamp
  const expected: string[] = []
  for await (const bar of quipu.bars({ symbols: ['AAPL', 'MSFT'], timeframe: '1Min', start, end }))
    if (Date.parse(bar.timestamp) + 60_000 <= Date.parse(end))
      expected.push(`${bar.symbol} ${bar.timestamp} ${bar.close}`)
  assert.ok(expected.length >= 40)
  await until(() => received.length >= expected.length)
  const bars = received.map((bar) => (bar.T === 'b' ? `${bar.S} ${bar.t} ${bar.c}` : bar.T))
  for (const symbol of ['AAPL', 'MSFT'])
    assert.deepEqual(
      bars.filter((bar) => bar.startsWith(symbol)),
      expected.filter((bar) => bar.startsWith(symbol)),
    )
})

test('trades and quotes that were missed are read over REST, each once and in order', async (t) => {
  const { world, proxy, quipu } = await account(t)
  const stream = quipu.streams.marketData('crypto', fast)
  t.after(() => stream.close())
  const received: MarketMessage[] = []
  stream.onMessage((message) => received.push(message))
  const symbols = ['BTC/USD', 'ETH/USD']
  await Promise.all([stream.subscribe({ trades: symbols }), stream.subscribe({ quotes: symbols })])
  const start = (await quipu.client.getClock()).timestamp
  for (const fault of [undefined, () => proxy.cut(), () => proxy.truncate(50)]) {
    await world.advance('20s')
    fault?.()
    await world.advance('20s')
    if (fault) proxy.open()
  }
  await until(() => stream.state === 'open')
  await world.advance('1s')
  const query = { symbols, start, limit: 10_000 }
  const { trades } = await quipu.client.cryptoTrades({ params: { loc: 'us' }, query })
  const { quotes } = await quipu.client.cryptoQuotes({ params: { loc: 'us' }, query })
  for (const [letter, rows] of [
    ['t', trades],
    ['q', quotes],
  ] as const)
    for (const symbol of symbols) {
      const expected = rows[symbol]!.map(({ t }) => t)
      const seen = () => received.filter(({ T, S }) => T === letter && S === symbol)
      assert.ok(expected.length > 5)
      await until(() => seen().length >= expected.length)
      assert.deepEqual(
        seen().map((message) => 't' in message && message.t),
        expected,
      )
    }
})

test('a refused subscription rejects, and the others stay', async (t) => {
  const { quipu } = await account(t)
  const stream = quipu.streams.marketData('iex', fast)
  t.after(() => stream.close())
  await stream.subscribe({ quotes: ['AAPL'], trades: ['AAPL', 'MSFT'] })
  await assert.rejects(
    stream.subscribe({ orderbooks: ['AAPL'] }),
    (error: unknown) => error instanceof StreamError && error.code === 410,
  )
  assert.deepEqual(await stream.unsubscribe({ trades: ['MSFT'] }), { quotes: ['AAPL'], trades: ['AAPL'] })
})

test('a token opens both streams', async (t) => {
  const world = await newWorld(broker)
  const { client_id, client_secret, redirect_uri } = world.created.oauth_client
  const grant = { client_id, client_secret, redirect_uri, scope: 'data trading', account_id: world.accountId }
  const { body } = await call(world.partner, 'POST', '/v1/oauth/token', grant)
  const quipu = createQuipu({ url: world.url, accessToken: body.access_token })
  const trades = quipu.streams.tradeUpdates(fast)
  const prices = quipu.streams.marketData('crypto', fast)
  t.after(() => [trades, prices].map((stream) => stream.close()))
  await trades.subscribe()
  await prices.subscribe({ quotes: ['BTC/USD'] })
  assert.deepEqual([trades.state, prices.state], ['open', 'open'])
})
