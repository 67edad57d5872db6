import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, AuthError, collect, createPkce, createQuipu, RateLimitError } from '@quipu/sdk'
import { call, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'

async function inWorld(settings: Readonly<Record<string, unknown>> = {}) {
  const world = await newWorld(broker, settings)
  const { url, keyId, secretKey } = world
  return { world, quipu: createQuipu({ url, keyId, secretKey }) }
}

const instant = (at: string | number): string => new Date(at).toISOString()
const exits = { takeProfit: { limitPrice: 900 }, stopLoss: { stopPrice: 1 } } as const

test('every kind of order is placed with its type and class', async () => {
  const { quipu, world } = await inWorld()
  const base = { symbol: 'AAPL', side: 'buy', qty: 1 } as const
  const { orders } = quipu
  const bought = await orders.market({ ...base, qty: 20 })
  await world.advance('1m')
  assert.equal((await orders.wait(bought.id)).status, 'filled')
  const sell = { ...base, side: 'sell' } as const
  const placed = [
    await orders.limit({ ...base, symbol: 'PFE', limitPrice: 1 }),
    await orders.stop({ ...sell, stopPrice: 1 }),
    await orders.stopLimit({ ...sell, stopPrice: 1, limitPrice: 1 }),
    await orders.trailingStop({ ...sell, trailPercent: 50 }),
    await orders.oco({ ...sell, ...exits }),
  ]
  assert.deepEqual(
    placed.map((order) => [order.type, order.orderClass, order.timeInForce]),
    [
      ['limit', '', 'day'],
      ['stop', '', 'day'],
      ['stop_limit', '', 'day'],
      ['trailing_stop', '', 'day'],
      ['limit', 'oco', 'day'],
    ],
  )
  await orders.cancelAll()
  const groups = [
    await orders.bracket({ ...base, symbol: 'MSFT', limitPrice: 10, ...exits }),
    await orders.oto({ ...base, symbol: 'MSFT', takeProfit: exits.takeProfit }),
  ]
  assert.deepEqual(
    groups.map((order) => [order.type, order.orderClass, order.legs?.length]),
    [
      ['limit', 'bracket', 2],
      ['market', 'oto', 1],
    ],
  )
  await orders.cancel(groups[0]!.id)
  assert.equal((await orders.wait(groups[0]!.id)).status, 'canceled')
})

test('account, positions, latest prices, and crypto orders without a time in force', async () => {
  const { url, keyId, secretKey } = broker
  const quipu = createQuipu({ url, keyId, secretKey })
  assert.equal((await quipu.account.get()).status, 'ACTIVE')
  assert.ok((await quipu.latestPrice('AAPL'))! > 0)
  assert.ok((await quipu.latestPrice('BTC/USD'))! > 0)
  const { id } = await quipu.orders.market({ symbol: 'ETH/USD', side: 'buy', notional: 20 })
  await quipu.orders.wait(id)
  assert.ok(Number((await quipu.positions.get('ETHUSD')).qty) > 0)
})

test('bars and candles of several pages are read in one loop', async () => {
  const { quipu } = await inWorld()
  const query = {
    symbols: ['AAPL', 'MSFT'],
    timeframe: '1Min',
    start: '2025-06-02',
    end: '2025-06-04',
  } as const
  const all = []
  for await (const bar of quipu.bars({ ...query, pageSize: 150 }))
    all.push(`${bar.symbol} ${instant(bar.timestamp)}`)
  assert.ok(all.length > 600)
  assert.equal(new Set(all).size, all.length)
  assert.deepEqual(all, all.toSorted())
  const candles = await quipu.candles({ ...query, pageSize: 150 })
  assert.deepEqual(
    Object.values(candles).flatMap(({ symbol, time }) => time.map((at) => `${symbol} ${instant(at)}`)),
    all,
  )
  let limited = 0
  for await (const _ of quipu.bars({ ...query, limit: 7 })) limited += 1
  assert.equal(limited, 7)
  await assert.rejects(quipu.bars({ ...query, symbols: ['AAPL', 'BTC/USD'] }).next(), TypeError)
})

test('a Date is its day in New York where the API takes days', async () => {
  const { quipu, world } = await inWorld()
  const { client } = quipu
  // 22:00 in New York on Monday, 5 January 2026.
  const evening = new Date('2026-01-06T03:00:00Z')
  const days = await client.getCalendar({ query: { start: evening, end: evening } })
  assert.deepEqual(
    days.map(({ date }) => date),
    ['2026-01-05'],
  )
  await quipu.orders.market({ symbol: 'AAPL', side: 'buy', qty: 1 })
  await world.advance('1m')
  const fillsOf = (date: Date) =>
    collect(quipu.iterate('listActivities', { query: { activity_types: 'FILL', date } }))
  assert.deepEqual(
    [(await fillsOf(evening)).length, (await fillsOf(new Date('2026-01-06T06:00:00Z'))).length],
    [1, 0],
  )
})

test('a token is used like a key, and an app exchanges a code with PKCE', async () => {
  const { world, quipu } = await inWorld()
  const redirectUri = 'http://127.0.0.1:9/callback'
  const { body: app } = await call(world.partner, 'POST', '/v1/oauth/clients', {
    name: 'Chart',
    description: 'Charts with alerts.',
    url: 'https://chart.example',
    terms_of_use: 'https://chart.example/terms',
    privacy_policy: 'https://chart.example/privacy',
    redirect_uri: [redirectUri],
    scopes: ['trading', 'data'],
  })
  const { verifier, challenge } = await createPkce()
  const request = {
    clientId: app.client_id,
    redirectUri,
    scopes: ['trading'],
    state: 's',
    codeChallenge: challenge,
  }
  const page = new URL(quipu.oauth.authorizeUrl(request))
  assert.deepEqual(
    [page.pathname, page.searchParams.get('code_challenge'), page.searchParams.get('state')],
    ['/oauth/authorize', challenge, 's'],
  )
  const { body: authorized } = await call(world.partner, 'POST', '/v1/oauth/authorize', {
    client_id: app.client_id,
    client_secret: app.client_secret,
    account_id: world.accountId,
    redirect_uri: redirectUri,
    scope: 'trading data',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const tokens = await quipu.oauth.exchangeCode({
    clientId: app.client_id,
    clientSecret: app.client_secret,
    code: authorized.code,
    redirectUri,
    codeVerifier: verifier,
  })
  const withToken = createQuipu({ url: world.url, accessToken: tokens.access_token })
  assert.equal((await withToken.account.get()).id, world.accountId)
  await quipu.oauth.revoke({
    clientId: app.client_id,
    clientSecret: app.client_secret,
    token: tokens.access_token,
  })
  await assert.rejects(withToken.account.get(), AuthError)
})

test('errors carry status, code, message and request id; a rate limit carries the time to wait', async () => {
  const { quipu } = await inWorld()
  await assert.rejects(quipu.orders.get('0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11'), (error: unknown) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.status, error.code], [404, 40410000])
    assert.match(error.message, /order not found/)
    assert.match(error.requestId ?? '', /^[0-9a-f]{32}$/)
    return true
  })
  assert.equal(new RateLimitError({ status: 429, message: '', retryAfterMs: 70 }).retryAfterMs, 70)
  assert.ok(new RateLimitError({ status: 429, message: '' }).retryAfterMs > 0)
})
