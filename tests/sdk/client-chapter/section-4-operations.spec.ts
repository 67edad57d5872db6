import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collect, createQuipu } from '@quipu/sdk'
import { assertRefused, client, mintRequest, participant, REFUSED_WALLET } from './stage.ts'

/** Section 4 of the specification: what each operation takes and returns, seen by a program with the SDK. */

test('4.1 authorizeOAuthToken issues a code, getOAuthClient shows the app, issueOAuthToken issues a token', async () => {
  const { partnerClient, app, accountId } = await client()
  const body = { ...app, account_id: accountId, scope: 'trading' }
  const { client_id } = app
  const { code } = await partnerClient.authorizeOAuthToken({ body })
  assert.ok(code.length > 0)
  const shown = await partnerClient.getOAuthClient({
    params: { client_id },
    query: { response_type: 'code', redirect_uri: app.redirect_uri, scope: 'trading' },
  })
  assert.deepEqual([shown.client_id, shown.name], [client_id, 'Demo app'])
  const { access_token: token } = await partnerClient.issueOAuthToken({ body })
  assert.ok(token.length > 0)
})

test('4.2 a request is read by its id, and by its label the newest one', async () => {
  const { quipu } = await participant()
  const { tokenization } = quipu
  const labelled = { ...mintRequest, client_request_id: 'label' }
  const first = await tokenization.mint(labelled)
  const second = await tokenization.mint(labelled)
  assert.equal((await tokenization.get(first.tokenization_request_id)).client_request_id, 'label')
  const newest = await tokenization.byClientRequestId('label')
  assert.equal(newest.tokenization_request_id, second.tokenization_request_id)
})

test('4.2 the list has all filters; after and before are exclusive and accept a date', async () => {
  const { quipu, advance } = await participant()
  const { tokenization } = quipu
  const first = await tokenization.mint(mintRequest)
  await advance('1h')
  const second = await tokenization.mint({ ...mintRequest, qty: '1', network: 'base' })
  const ids = async (query: Parameters<typeof tokenization.list>[0]) =>
    (await tokenization.list(query)).map((one) => one.tokenization_request_id)
  const [a, b] = [first.tokenization_request_id, second.tokenization_request_id]
  assert.deepEqual(
    (await ids({ type: 'mint', underlying_symbol: 'AAPL', issuer: 'xstocks' })).sort(),
    [a, b].sort(),
  )
  assert.deepEqual(await ids({ type: 'redeem' }), [])
  assert.deepEqual(await ids({ network: 'base' }), [b])
  assert.deepEqual(await ids({ status: 'rejected' }), [])
  const { created_at: at } = await tokenization.get(a)
  assert.deepEqual(await ids({ after: at }), [b])
  assert.deepEqual(await ids({ before: at }), [])
  assert.deepEqual(await ids({ after: new Date(Date.parse(at) + 1) }), [b])
})

test('4.2 a key with the same body makes one request, and the later call returns it', async () => {
  const { quipu } = await participant()
  const idempotencyKey = 'once'
  const first = await quipu.tokenization.mint(mintRequest, { idempotencyKey })
  const body = { ...mintRequest, client_request_id: idempotencyKey }
  const headers = { 'idempotency-key': idempotencyKey }
  const again = await quipu.client.postTokenizationMint({ body, headers })
  assert.equal(again.tokenization_request_id, first.tokenization_request_id)
  assert.equal((await quipu.tokenization.list()).length, 1)
  await assertRefused(quipu.tokenization.mint({ ...mintRequest, qty: '2' }, { idempotencyKey }), 422)
  await assertRefused(quipu.tokenization.mint(mintRequest, { idempotencyKey: 'two words' }), 400)
})

test('4.2 a replay of a rejected request is refused', async () => {
  const { quipu } = await participant()
  const rejected = { ...mintRequest, wallet_address: REFUSED_WALLET }
  const options = { idempotencyKey: 'rejected' }
  await assertRefused(quipu.tokenization.mint(rejected, options), 400, /Invalid Wallet/)
  await assertRefused(quipu.tokenization.mint(rejected, options), 400, /was rejected; use a new key/)
})

test('4.2 every mint has a key of its own, so that a repetition makes no duplicate', async () => {
  const { quipu } = await participant()
  const keys = [await quipu.tokenization.mint(mintRequest), await quipu.tokenization.mint(mintRequest)]
  assert.equal(new Set(keys.map(({ report }) => report.key)).size, 2)
})

test('4.3 the account has accountNumber, status, buyingPower and equity; money is text', async () => {
  const { quipu } = await client()
  const { accountNumber, status, buyingPower, equity } = await quipu.account.get()
  assert.deepEqual(
    [typeof accountNumber, status, typeof buyingPower, typeof equity],
    ['string', 'ACTIVE', 'string', 'string'],
  )
})

test('4.3 the latest price is a number, or absent', async () => {
  const { quipu } = await client()
  assert.equal(typeof (await quipu.latestPrice('AAPL')), 'number')
  assert.equal(typeof (await quipu.latestPrice('BTC/USD')), 'number')
  assert.equal(await quipu.latestPrice('NOSUCH'), undefined)
})

test('4.3 market and limit orders, with a quantity as number or text and an own id', async () => {
  const { quipu, advance } = await client()
  const { orders } = quipu
  const market = await orders.place({
    type: 'market',
    symbol: 'AAPL',
    qty: 1,
    side: 'buy',
    clientOrderId: 'm',
  })
  const limit = await orders.place({
    type: 'limit',
    symbol: 'AAPL',
    qty: '2',
    side: 'buy',
    limitPrice: '10',
    clientOrderId: 'l',
  })
  assert.deepEqual(
    [limit.symbol, limit.side, limit.limitPrice, limit.clientOrderId, limit.filledAvgPrice],
    ['AAPL', 'buy', '10', 'l', undefined],
  )
  await advance('1m')
  const filled = await orders.byClientOrderId('m')
  assert.deepEqual([filled.id, filled.status], [market.id, 'filled'])
  assert.ok(Number(filled.filledAvgPrice) > 0)
  assert.equal((await orders.cancel(limit.id)).outcome, 'confirmed')
  assert.equal((await orders.get(limit.id)).status, 'canceled')
})

test('4.3 an order whose response is lost is found by its id before any new placement', async () => {
  const { url, keyId, secretKey, quipu: direct } = await client()
  const sent: string[] = []
  const lossy: typeof fetch = async (to, init) => {
    const { pathname } = new URL(String(to))
    sent.push(`${init?.method} ${pathname}`)
    const response = await fetch(to, init)
    if (init?.method === 'POST') throw new TypeError('the connection broke')
    return response
  }
  const quipu = createQuipu({ url, keyId, secretKey, fetch: lossy, retryDelayMs: 1 })
  const { report } = await quipu.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy' })
  assert.equal(report.outcome, 'found')
  assert.deepEqual(sent, ['POST /v2/orders', 'GET /v2/orders:by_client_order_id'])
  assert.equal((await direct.orders.list({ status: 'all' })).length, 1)
})

const days = {
  symbols: ['AAPL', 'MSFT'],
  timeframe: '1Day',
  start: new Date('2025-01-02'),
  end: '2025-03-01',
} as const

test('4.3 bars of several symbols are read over all pages', async () => {
  const { quipu } = await client()
  const bars = await collect(quipu.bars({ ...days, pageSize: 7 }))
  assert.ok(bars.length > 70)
  assert.deepEqual([...new Set(bars.map(({ symbol }) => symbol))], ['AAPL', 'MSFT'])
  for (const { open, high, low, close, volume } of bars) {
    assert.ok(low <= Math.min(open, close) && high >= Math.max(open, close))
    assert.equal(typeof volume, 'number')
  }
})

test('4.3 candles are one columnar record for each symbol, with the same bars', async () => {
  const { quipu } = await client()
  const candles = await quipu.candles({ ...days, pageSize: 7 })
  assert.deepEqual(Object.keys(candles), ['AAPL', 'MSFT'])
  const bars = await collect(quipu.bars({ ...days, symbols: 'AAPL' }))
  const { symbol, ...columns } = candles['AAPL']!
  assert.equal(symbol, 'AAPL')
  assert.deepEqual(columns, {
    time: bars.map(({ timestamp }) => Date.parse(timestamp)),
    open: bars.map(({ open }) => open),
    high: bars.map(({ high }) => high),
    low: bars.map(({ low }) => low),
    close: bars.map(({ close }) => close),
    volume: bars.map(({ volume }) => volume),
  })
  const none = await quipu.candles({ ...days, start: '2025-01-04', end: '2025-01-05' })
  assert.deepEqual([none['AAPL']?.time, none['MSFT']?.close], [[], []])
})
