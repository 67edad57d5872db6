import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  ApiError,
  type Bar,
  collect,
  createQuipu,
  NotFoundError,
  RateLimitError,
  withResponse,
} from '@quipu/sdk'
import { newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'

/**
 * What the programs in the README of the official TypeScript SDK 4 do, written with our SDK. Each test has the name of
 * the section. A program that cannot be written here shows what is missing.
 */

async function account() {
  const world = await newWorld(broker, { seed: 'readme' })
  const { url, keyId, secretKey } = world
  return { ...world, quipu: createQuipu({ url, keyId, secretKey }) }
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('Quick start: account, positions, a market order, live bars', async (t: TestContext) => {
  const { quipu, advance } = await account()
  const { accountNumber } = await quipu.account.get()
  const positions = await quipu.positions.list()
  const order = await quipu.orders.market({
    symbol: 'AAPL',
    qty: 1,
    side: 'buy',
    clientOrderId: `quickstart-${crypto.randomUUID()}`,
  })
  assert.deepEqual([typeof accountNumber, positions, order.symbol], ['string', [], 'AAPL'])
  const stream = quipu.streams.marketData('iex')
  t.after(() => stream.close())
  const closes: string[] = []
  stream.onBar((bar) => closes.push(`${bar.symbol} ${bar.close > 0}`))
  await stream.subscribe({ bars: ['AAPL', 'MSFT'] })
  await advance('3m')
  await until(() => closes.includes('AAPL true') && closes.includes('MSFT true'))
})

test('Resilience: timeout, retries with observers, a budget of requests', async () => {
  const { url, keyId, secretKey } = await account()
  const lines: string[] = []
  let calls = 0
  const quipu = createQuipu({
    url,
    keyId,
    secretKey,
    timeoutMs: 10_000,
    retries: 2,
    retryDelayMs: 1,
    onRetry: ({ attempt, delayMs, error }) =>
      lines.push(`retry ${attempt} ${delayMs >= 0} ${(error as ApiError).status}`),
    onGiveUp: ({ attempt }) => lines.push(`gave up after ${attempt}`),
    rateLimit: { requests: 200, perMs: 60_000 },
    fetch: async (to, init) => (++calls % 3 === 0 ? fetch(to, init) : new Response('', { status: 503 })),
  })
  assert.equal((await quipu.account.get()).status, 'ACTIVE')
  assert.deepEqual(lines, ['retry 1 true 503', 'retry 2 true 503'])
})

test('Order-submission safety: an own id, by which the order is found', async () => {
  const { quipu } = await account()
  const clientOrderId = `mean-reversion-${crypto.randomUUID()}`
  const order = await quipu.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy', clientOrderId })
  assert.equal((await quipu.orders.byClientOrderId(clientOrderId)).id, order.id)
})

test('Typed errors: a class for each status, with code, message and request id', async () => {
  const { quipu } = await account()
  const lines: string[] = []
  try {
    await quipu.orders.get('0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11')
  } catch (error) {
    if (error instanceof RateLimitError) lines.push(`rate limited; retry in ${error.retryAfterMs} ms`)
    else if (error instanceof NotFoundError) lines.push('no such order')
    if (error instanceof ApiError) lines.push(`${error.status} ${error.code} ${typeof error.requestId}`)
  }
  assert.deepEqual(lines, ['no such order', '404 40410000 string'])
})

test('Response headers: status, headers and rate limit of a successful call', async () => {
  const { quipu } = await account()
  const { data, status, headers, rateLimit } = await withResponse((options) => quipu.account.get(options))
  assert.deepEqual([data.status, status, typeof headers.get('X-Request-ID')], ['ACTIVE', 200, 'string'])
  assert.equal(typeof rateLimit?.remaining, 'number')
})

test('Placing orders: one method for each kind', async () => {
  const { quipu, advance } = await account()
  const { orders } = quipu
  const [buy, sell] = [
    { symbol: 'AAPL', qty: 1, side: 'buy' },
    { symbol: 'AAPL', qty: 1, side: 'sell' },
  ] as const
  const price = (await quipu.latestPrice('AAPL'))!
  const at = (factor: number): string => (price * factor).toFixed(2)
  await orders.market({ ...buy, qty: 10 })
  await advance('1m')
  const placed = [
    await orders.limit({ ...sell, limitPrice: at(1.2) }),
    await orders.stop({ ...sell, stopPrice: at(0.9) }),
    await orders.stopLimit({ ...sell, stopPrice: at(0.9), limitPrice: at(0.89) }),
    await orders.trailingStop({ ...sell, trailPercent: 5 }),
    await orders.bracket({
      symbol: 'MSFT',
      qty: 10,
      side: 'buy',
      limitPrice: 10,
      takeProfit: { limitPrice: 9000 },
      stopLoss: { stopPrice: 5, limitPrice: 4.5 },
    }),
  ]
  assert.deepEqual(
    placed.map(({ type, orderClass, timeInForce }) => `${type} ${orderClass} ${timeInForce}`),
    ['limit  day', 'stop  day', 'stop_limit  day', 'trailing_stop  day', 'limit bracket day'],
  )
})

test('Workflow helpers: connection check, latest price, closing all positions, submit and wait', async () => {
  const { url, keyId, secretKey, url: at } = broker
  const quipu = createQuipu({ url, keyId, secretKey })
  const check = await quipu.validateConnection()
  if (!check.ok)
    throw new Error(`connection to ${at} failed (${check.status ?? 'network'}): ${check.message}`)
  assert.equal(typeof (await quipu.latestPrice('AAPL')), 'number')
  const filled = await quipu.orders.submitAndWait(
    {
      type: 'market',
      symbol: 'BTC/USD',
      notional: 20,
      side: 'buy',
      clientOrderId: `workflow-${crypto.randomUUID()}`,
    },
    { timeoutMs: 30_000 },
  )
  assert.deepEqual([filled.status, Number(filled.filledAvgPrice) > 0], ['filled', true])
  const world = await account()
  await world.quipu.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy' })
  await world.advance('1m')
  const closed = await world.quipu.positions.closeAll({ cancelOrders: true })
  assert.deepEqual(
    closed.map(({ symbol }) => symbol),
    ['AAPL'],
  )
})

test('Pagination: a loop over all pages, or everything by symbol', async () => {
  const { quipu } = await account()
  const query = { symbols: ['AAPL', 'MSFT'], timeframe: '1Day', start: new Date('2025-01-01') } as const
  const end = '2025-03-01'
  let count = 0
  for await (const { symbol, close } of quipu.bars({ ...query, end, pageSize: 10 }))
    if (symbol && close) count += 1
  const bars = Object.groupBy(await collect(quipu.bars({ ...query, end })), ({ symbol }) => symbol)
  assert.equal(count, bars['AAPL']!.length + bars['MSFT']!.length)
  assert.deepEqual(await collect(quipu.iterate('news', { query: { symbols: 'AAPL' } })), [])
  for await (const activity of quipu.iterate('listActivities', { query: { activity_types: ['FILL'] } }))
    assert.fail(`an activity ${activity.id} without an order`)
})

test('Normalized shapes: history, then live bars of the same shape', async (t: TestContext) => {
  const { quipu, advance } = await account()
  const history: Bar[] = await collect(
    quipu.bars({ symbols: 'AAPL', timeframe: '1Day', start: '2025-12-01', end: '2026-01-01' }),
  )
  const stream = quipu.streams.marketData('iex')
  t.after(() => stream.close())
  const before = history.length
  stream.onBar((bar) => history.push(bar))
  await stream.subscribe({ bars: ['AAPL'] })
  await advance('2m')
  await until(() => history.length > before)
  assert.deepEqual(Object.keys(history.at(-1)!), Object.keys(history[0]!))
  const { AAPL } = await quipu.candles({
    symbols: 'AAPL',
    timeframe: '1Day',
    start: '2025-12-01',
    end: '2026-01-01',
  })
  assert.deepEqual(
    AAPL?.close,
    history.slice(0, before).map(({ close }) => close),
  )
})

test('Real-time streaming: bars, order updates, errors as text, state changes', async (t: TestContext) => {
  const { quipu, advance } = await account()
  const [prices, updates] = [quipu.streams.marketData('iex'), quipu.streams.tradeUpdates()]
  t.after(() => [prices, updates].map((stream) => stream.close()))
  const lines: string[] = []
  prices.onBar(({ symbol }) => lines.push(symbol))
  prices.onError((message) => lines.push(`stream error: ${message}`))
  updates.onMessage(({ event, order }) => lines.push(`${event} ${order.symbol} ${order.clientOrderId}`))
  updates.onState((state) => lines.push(state))
  const result = await updates.authenticate()
  if (!result.authenticated) assert.fail(`${result.status} ${result.code ?? ''} ${result.message}`)
  await Promise.all([updates.subscribe(), prices.subscribe({ bars: ['AAPL', 'MSFT'] })])
  await quipu.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy', clientOrderId: 'mine' })
  await advance('2m')
  await until(() => lines.includes('fill AAPL mine') && lines.includes('MSFT'))
  assert.deepEqual(lines.slice(0, 2), ['connecting', 'open'])
})

test('Testing your integration: a program without a network', async () => {
  const quipu = createQuipu({
    url: 'http://broker.test',
    accessToken: 'token',
    fetch: async (to) =>
      new URL(String(to)).pathname === '/v2/account'
        ? Response.json({ account_number: 'PA42', status: 'ACTIVE' })
        : Response.json({ symbol: 'AAPL', trade: { p: 99.5 } }),
  })
  assert.equal((await quipu.account.get()).accountNumber, 'PA42')
  assert.equal(await quipu.latestPrice('AAPL'), 99.5)
})
