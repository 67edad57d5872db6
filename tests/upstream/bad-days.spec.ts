import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { call, newFolder, newWorld, startBroker } from '../broker.ts'
import { broker as far } from '../shared-broker.ts'
import { roadTo } from './road.ts'
import { get, listen, until, upstreamOf } from './stage.ts'

const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
const bars = '/v2/stocks/bars?symbols=AAPL&timeframe=1Day&start=2026-01-02&end=2026-01-09'
const crypto = { trades: ['BTC/USD', 'ETH/USD'], quotes: ['BTC/USD', 'ETH/USD'] }

test('upstream is killed and comes back: subscribed again, told again, prices again', async () => {
  const folder = newFolder()
  const first = await startBroker(['--data', folder])
  const road = await roadTo(first.url)
  const broker = await startBroker(['--data', 'memory'], upstreamOf(road.url, first))
  const heard = await listen(broker, '/v1beta3/crypto/us', crypto)
  await until(async () => (await heard.gather()).length > 0)
  await first.kill()
  await until(async () => broker.log().includes('upstream stream lost'))
  assert.equal((await call(broker, 'GET', '/v2/account')).status, 200)
  const again = await startBroker(['--data', folder])
  road.lead(again.url)
  const before = (await heard.gather()).length
  await until(async () => (await heard.gather()).length > before + 5)
  const trades = (await heard.gather()).filter(({ T }) => T === 't').map(({ S, i }) => `${S} ${i}`)
  assert.equal(new Set(trades).size, trades.length, 'no trade is told twice')
  const placed = await call(broker, 'POST', '/v2/orders', order)
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  await until(async () => (await get(broker, `/v2/orders/${placed.body.id}`)).status === 'filled')
  await heard.client.close()
  assert.equal(await broker.stop(), 0)
  assert.equal(await again.stop(), 0)
  road.close()
})

test('an order that waits is still watched for after a restart', async () => {
  const start = new Date(Date.now() - 86_400_000).toISOString()
  const provider = await newWorld(far, { seed: 'upstream', start, hours: 'always' })
  const folder = newFolder()
  const settings = upstreamOf(far.url, provider)
  const broker = await startBroker(['--data', folder], settings)
  const { quote } = await get(provider, '/v2/stocks/TSLA/quotes/latest')
  const limit_price = Math.floor(quote.ap * 99.98) / 100
  const body = { ...order, symbol: 'TSLA', type: 'limit', time_in_force: 'gtc', limit_price }
  const placed = await call(broker, 'POST', '/v2/orders', body)
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  assert.equal(await broker.stop(), 0)
  const again = await startBroker(['--data', folder], settings)
  const keys = { ...again, keyId: broker.keyId, secretKey: broker.secretKey }
  const filled = await until(async () => {
    await provider.advance('5m')
    const found = await get(keys, `/v2/orders/${placed.body.id}`)
    return found.status === 'filled' && found
  })
  assert.ok(Number(filled.filled_avg_price) <= limit_price)
  assert.equal(await again.stop(), 0)
})

test('a wrong key: a clear line in the log, and the broker stays up', async () => {
  const wrong = { keyId: far.keyId, secretKey: 'not-the-secret-of-this-key' }
  const broker = await startBroker(['--data', 'memory'], upstreamOf(far.url, wrong))
  const placed = await call(broker, 'POST', '/v2/orders', order)
  assert.deepEqual([placed.status, placed.body.message], [403, 'no price is known for "AAPL"'])
  const refused = await call(broker, 'GET', bars)
  assert.deepEqual([refused.status, refused.body.code], [503, 50310006])
  assert.match(refused.body.message, /provider answered 401/)
  await until(async () => broker.log().includes('upstream rejected the key'))
  assert.ok(!broker.log().includes(wrong.secretKey))
  assert.equal((await call(broker, 'GET', '/v2/account')).status, 200)
  assert.equal(await broker.stop(), 0)
})

test('upstream takes connections and answers nothing: the broker starts, and refuses in time', async () => {
  const road = await roadTo(far.url)
  road.block()
  const settings = { ...upstreamOf(road.url, far), QUIPU_UPSTREAM_TIMEOUT_MS: '500' }
  const broker = await startBroker(['--data', 'memory'], settings)
  const refused = await call(broker, 'GET', bars)
  assert.deepEqual(
    [refused.status, refused.body.message],
    [503, 'the market data provider did not answer in time'],
  )
  assert.equal((await call(broker, 'POST', '/v2/orders', order)).body.message, 'no price is known for "AAPL"')
  road.open()
  assert.equal((await call(broker, 'GET', bars)).status, 200)
  const placed = await until(async () => {
    const { status, body } = await call(broker, 'POST', '/v2/orders', order)
    return status === 200 && body
  })
  await until(async () => (await get(broker, `/v2/orders/${placed.id}`)).status === 'filled')
  assert.equal(await broker.stop(), 0)
  road.close()
})

for (const [after, status, asked] of [
  ['1', 200, 2],
  ['60', 503, 1],
] as const)
  test(`upstream has enough of us for ${after} s: ${status} after ${asked} questions`, async () => {
    const far = await startBusy(after)
    const keys = { keyId: 'PK1', secretKey: 'shh-shh-shh' }
    const broker = await startBroker(['--data', 'memory'], upstreamOf(far.url, keys))
    const answered = await call(broker, 'GET', bars)
    assert.equal(answered.status, status, JSON.stringify(answered.body))
    assert.equal(far.asked(), asked)
    if (status === 503) assert.equal(answered.headers.get('retry-after'), after)
    else assert.equal(answered.body.bars.AAPL[0].vw, 1.5)
    assert.equal(await broker.stop(), 0)
    far.close()
  })

/** A provider that has too much to do at the first question for bars. */
async function startBusy(retryAfter: string) {
  let asked = 0
  const server = createServer(({ url = '' }, response) => {
    if (url.includes('/bars')) asked += 1
    const isFirst = asked === 1
    response.writeHead(isFirst ? 429 : 200, { 'Content-Type': 'application/json', 'Retry-After': retryAfter })
    const bar = { t: '2026-01-05T05:00:00Z', o: 1, h: 2, l: 1, c: 2, v: 3, n: 1, vw: 1.5 }
    response.end(JSON.stringify(isFirst ? {} : { bars: { AAPL: [bar] }, next_page_token: null }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { readonly port: number }
  return { url: `http://127.0.0.1:${port}`, asked: () => asked, close: () => void server.close() }
}
