import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { newWorld, startBroker } from '../support/broker.ts'
import { StreamClient } from '../support/stream-client.ts'

/**
 * The same world sends the same bytes on every machine and every version of Node. These hashes were recorded with
 * Node 24 and are the same with Node 26. After an intended change of the market or of a record, record new hashes and
 * note the change in the changelog.
 */
const recorded = {
  pages: 'a11c0f3351bb57aab0381144f59e14ed779db6c66c0515620fa3bf3025e488a8',
  frames: 'e58f04ea7d664a6b6d0b3b17a1c9a61e560d900c87a2cf488021f37ca0705d2a',
}

const broker = await startBroker()
after(() => broker.stop())
const settings = {
  seed: 'golden',
  start: '2026-03-06T20:30:00Z',
  market_events: [
    { kind: 'late', share: '0.05' },
    { kind: 'mistakes', share: '0.01' },
  ],
}

const range = 'start=2026-03-02&end=2026-03-06'
const cryptoRange = 'start=2026-03-02T05:00:00Z&end=2026-03-07T04:59:59Z'
const paths = [
  `/v2/stocks/bars?symbols=AAPL,MSFT,SPY,BRK.B,F&timeframe=1Min&${range}&limit=10000`,
  `/v2/stocks/bars?symbols=AAPL,NVDA,KO&timeframe=1Day&start=1990-01-01&limit=10000&sort=desc`,
  '/v2/stocks/bars?symbols=QQQ,IWM&timeframe=1Month&start=1971-01-01&limit=10000',
  `/v2/stocks/candles?symbols=TSLA,XOM&timeframe=7Min&${range}&limit=10000`,
  '/v2/stocks/trades?symbols=AAPL,PFE&start=2026-03-06T20:00:00Z&limit=10000',
  '/v2/stocks/quotes?symbols=AAPL,PFE&start=2026-03-06T20:00:00Z&limit=10000&sort=desc',
  `/v2/stocks/auctions?symbols=AAPL,GE&${range}`,
  '/v2/stocks/snapshots?symbols=AAPL,AMD,DIS',
  `/v1beta3/crypto/us/bars?symbols=BTC/USD,DOGE/USD&timeframe=1Min&${cryptoRange}&limit=10000`,
  '/v1beta3/crypto/us/trades?symbols=ETH/USD,SOL/USD&start=2026-03-06T20:00:00Z&limit=10000',
  '/v1beta3/crypto/us/latest/orderbooks?symbols=BTC/USD,LTC/USD',
]

test('pages of market data', async () => {
  const world = await newWorld(broker, settings)
  const headers = { 'APCA-API-KEY-ID': world.keyId, 'APCA-API-SECRET-KEY': world.secretKey }
  const digest = createHash('sha256')
  for (const path of paths) {
    const response = await fetch(broker.url + path, { headers })
    const text = await response.text()
    assert.equal(response.status, 200, text)
    digest.update(text)
  }
  assert.equal(digest.digest('hex'), recorded.pages)
})

test('frames of the streams', async () => {
  const world = await newWorld(broker, settings)
  const digest = createHash('sha256')
  const clients: StreamClient[] = []
  for (const [path, type] of [
    ['/v2/sip', 'application/json'],
    ['/v2/iex', 'application/msgpack'],
    ['/v1beta3/crypto/us', 'application/json'],
  ] as const) {
    const client = await StreamClient.open(broker.url + path, { 'Content-Type': type })
    await client.next()
    await client.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
    const symbols = path.includes('crypto') ? ['BTC/USD', 'ETH/USD'] : ['AAPL', 'MSFT']
    const channels = path.includes('crypto')
      ? ['trades', 'quotes', 'bars', 'orderbooks']
      : ['trades', 'quotes', 'bars', 'updatedBars', 'dailyBars']
    await client.request({
      action: 'subscribe',
      ...Object.fromEntries(channels.map((name) => [name, symbols])),
    })
    clients.push(client)
  }
  await world.advance('5m')
  for (const client of clients) {
    for (const message of await client.rest()) digest.update(JSON.stringify(message))
    await client.close()
  }
  assert.equal(digest.digest('hex'), recorded.frames)
})
