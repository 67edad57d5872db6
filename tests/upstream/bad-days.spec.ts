import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { openProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import { call, newFolder, newWorld, startBroker } from '../support/broker.ts'
import { casesOf, hasAllCases } from '../support/cases.ts'
import { broker as providerBroker } from '../support/shared-broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { get, listen, upstreamOf } from './stage.ts'

const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
const bars = '/v2/stocks/bars?symbols=AAPL&timeframe=1Day&start=2026-01-02&end=2026-01-09'
const crypto = { trades: ['BTC/USD', 'ETH/USD'], quotes: ['BTC/USD', 'ETH/USD'] }

test('after a kill and restart of upstream the broker subscribes again and has data and prices', async () => {
  const folder = newFolder()
  const first = await startBroker(['--data', folder])
  const proxy = await openProxy(first.url)
  const broker = await startBroker(['--data', 'memory'], upstreamOf(proxy.url, first))
  const stream = await listen(broker, '/v1beta3/crypto/us', crypto)
  await waitUntil('data is forwarded', async () => (await stream.gather()).length > 0)
  await first.kill()
  await waitUntil('the loss is logged', () => broker.log().includes('upstream stream lost'))
  assert.equal((await call(broker, 'GET', '/v2/account')).status, 200)
  const again = await startBroker(['--data', folder])
  proxy.forwardTo(again.url)
  const before = (await stream.gather()).length
  await waitUntil('data is forwarded again', async () => (await stream.gather()).length > before + 5)
  const trades = (await stream.gather()).filter(({ T }) => T === 't').map(({ S, i }) => `${S} ${i}`)
  assert.equal(new Set(trades).size, trades.length, 'no trade is sent twice')
  const placed = await call(broker, 'POST', '/v2/orders', order)
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  await waitUntil('the order is filled', async () => {
    return (await get(broker, `/v2/orders/${placed.body.id}`)).status === 'filled'
  })
  await stream.client.close()
  assert.equal(await broker.stop(), 0)
  assert.equal(await again.stop(), 0)
  proxy.close()
})

// Other specs restart a broker with open orders, and fill orders at prices of upstream.
test('an open order still fills after a restart', { skip: !hasAllCases }, async () => {
  const start = new Date(Date.now() - 86_400_000).toISOString()
  const provider = await newWorld(providerBroker, { seed: 'upstream', start, hours: 'always' })
  const folder = newFolder()
  const settings = upstreamOf(providerBroker.url, provider)
  const broker = await startBroker(['--data', folder], settings)
  const { quote } = await get(provider, '/v2/stocks/TSLA/quotes/latest')
  // One fills when the price falls, the other when it rises: at some times of day it rises for hours.
  const cents = Math.round(quote.ap * 100)
  const common = { ...order, symbol: 'TSLA', time_in_force: 'gtc' }
  const orders = [
    { ...common, type: 'limit', limit_price: (cents - 1) / 100 },
    { ...common, type: 'stop', stop_price: (cents + 10) / 100 },
  ]
  const placed = await Promise.all(orders.map((body) => call(broker, 'POST', '/v2/orders', body)))
  for (const { status, body } of placed) assert.equal(status, 200, JSON.stringify(body))
  assert.equal(await broker.stop(), 0)
  const again = await startBroker(['--data', folder], settings)
  const keys = { ...again, keyId: broker.keyId, secretKey: broker.secretKey }
  const [first] = await waitUntil('an order is filled', async () => {
    await provider.advance('5m')
    const found = await Promise.all(placed.map(({ body }) => get(keys, `/v2/orders/${body.id}`)))
    const filled = found.filter(({ status }) => status === 'filled')
    return filled.length > 0 && filled
  })
  if (first.type === 'limit') assert.ok(Number(first.filled_avg_price) <= Number(first.limit_price))
  else assert.ok(Number(first.filled_avg_price) >= Number(first.stop_price))
  assert.equal(await again.stop(), 0)
})

test('a wrong key: a log line names the problem, and the broker keeps running', async () => {
  const wrong = { keyId: providerBroker.keyId, secretKey: 'not-the-secret-of-this-key' }
  const broker = await startBroker(['--data', 'memory'], upstreamOf(providerBroker.url, wrong))
  const placed = await call(broker, 'POST', '/v2/orders', order)
  assert.deepEqual([placed.status, placed.body.message], [403, 'no price is known for "AAPL"'])
  const refused = await call(broker, 'GET', bars)
  assert.deepEqual([refused.status, refused.body.code], [503, 50310006])
  assert.match(refused.body.message, /provider answered 401/)
  await waitUntil('the refusal is logged', () => broker.log().includes('upstream rejected the key'))
  assert.ok(!broker.log().includes(wrong.secretKey))
  assert.equal((await call(broker, 'GET', '/v2/account')).status, 200)
  assert.equal(await broker.stop(), 0)
})

test('upstream accepts connections without a response: the broker starts, and requests time out', async () => {
  const proxy = await openProxy(providerBroker.url)
  proxy.goSilent()
  const settings = { ...upstreamOf(proxy.url, providerBroker), QUIPU_UPSTREAM_TIMEOUT_MS: '500' }
  const broker = await startBroker(['--data', 'memory'], settings)
  const refused = await call(broker, 'GET', bars)
  assert.deepEqual(
    [refused.status, refused.body.message],
    [503, 'the market data provider did not answer in time'],
  )
  assert.equal((await call(broker, 'POST', '/v2/orders', order)).body.message, 'no price is known for "AAPL"')
  proxy.open()
  await waitUntil('bars arrive', async () => (await call(broker, 'GET', bars)).status === 200)
  const placed = await waitUntil('the order is accepted', async () => {
    const { status, body } = await call(broker, 'POST', '/v2/orders', order)
    return status === 200 && body
  })
  await waitUntil('the order is filled', async () => {
    return (await get(broker, `/v2/orders/${placed.id}`)).status === 'filled'
  })
  assert.equal(await broker.stop(), 0)
  proxy.close()
})

const limits = [
  ['60', 503, 1],
  ['1', 200, 2],
] as const

for (const [retryAfter, status, requests] of casesOf(limits))
  test(`upstream is rate-limited for ${retryAfter} s: ${status} after ${requests} requests`, async () => {
    const provider = await startBusyProvider(retryAfter)
    const keys = { keyId: 'PK1', secretKey: 'shh-shh-shh' }
    const broker = await startBroker(['--data', 'memory'], upstreamOf(provider.url, keys))
    const answered = await call(broker, 'GET', bars)
    assert.equal(answered.status, status, JSON.stringify(answered.body))
    assert.equal(provider.requests(), requests)
    if (status === 503) assert.equal(answered.headers.get('retry-after'), retryAfter)
    else assert.equal(answered.body.bars.AAPL[0].vw, 1.5)
    assert.equal(await broker.stop(), 0)
    provider.close()
  })

/** A provider that refuses the first request for bars with 429. */
async function startBusyProvider(retryAfter: string) {
  let requests = 0
  const server = createServer(({ url = '' }, response) => {
    if (url.includes('/bars')) requests += 1
    const isFirst = requests === 1
    response.writeHead(isFirst ? 429 : 200, { 'Content-Type': 'application/json', 'Retry-After': retryAfter })
    const bar = { t: '2026-01-05T05:00:00Z', o: 1, h: 2, l: 1, c: 2, v: 3, n: 1, vw: 1.5 }
    response.end(JSON.stringify(isFirst ? {} : { bars: { AAPL: [bar] }, next_page_token: null }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { readonly port: number }
  return { url: `http://127.0.0.1:${port}`, requests: () => requests, close: () => void server.close() }
}
