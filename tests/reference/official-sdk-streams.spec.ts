import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Alpaca, streaming } from '@alpacahq/alpaca-trade-api'
import { openProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import { callAsOperator, newFolder, newWorld, startBroker } from '../support/broker.ts'
import { broker as shared } from '../support/shared-broker.ts'
import { OfficialSdk } from './official-sdk.ts'

const sdk = new OfficialSdk()
const pairs = ['BTC/USD', 'ETH/USD']
/** Shorter reconnect delays than the defaults of the SDK. */
const fastReconnect = { initialReconnectMs: 50, maxReconnectMs: 200, maxReconnectAttempts: -1 }

type Stream = streaming.StockDataStream | streaming.CryptoDataStream
type Event = Parameters<Stream['once']>[0]

const next = <Value = unknown>(stream: Stream, event: Event): Promise<Value> =>
  new Promise((resolve) => stream.once(event, resolve))

/** Connects and waits until the server has confirmed the subscriptions. */
async function connect<Which extends Stream>(t: TestContext, stream: Which): Promise<Which> {
  t.after(() => stream.disconnect())
  const subscribed = next(stream, 'subscription')
  stream.connect()
  await subscribed
  return stream
}

const socketUrl = (url: string, path: string): string => url.replace('http', 'ws') + path

test('live crypto data: bars, daily bars, trades, quotes, and order books, complete books first', async (t) => {
  const world = await newWorld(shared)
  const alpaca = sdk.client(world)
  const path = '/v1beta3/crypto/us'
  const stream = alpaca.marketData.cryptoStream({ url: socketUrl(shared.url, path) })
  stream.subscribeForBars(pairs)
  stream.subscribeForDailyBars(pairs)
  stream.subscribeForTrades(pairs)
  stream.subscribeForQuotes(pairs)
  stream.subscribeForOrderbooks(pairs)
  const books: { readonly symbol: string; readonly reset?: boolean }[] = []
  const received = {
    bars: next(stream, 'bar'),
    dailyBars: next(stream, 'daily_bar'),
    trades: next(stream, 'trade'),
    quotes: next(stream, 'quote'),
    orderbooks: new Promise<void>((resolve) =>
      stream.onOrderbook((book) => {
        books.push(book)
        if (books.length > pairs.length) resolve()
      }),
    ),
  }
  await connect(t, stream)
  await world.advance('2m')
  for (const [channel, first] of Object.entries(received)) {
    await first
    sdk.coverage.received('/v1beta3/crypto/{loc}', channel)
  }
  assert.deepEqual(
    books
      .slice(0, 2)
      .map(({ symbol }) => symbol)
      .sort(),
    pairs,
  )
})

/** Opens a stream of bars and trades. */
async function openBarStream(t: TestContext, alpaca: Alpaca, url: string): Promise<Stream> {
  const stream = alpaca.marketData.stockStream({ url: socketUrl(url, '/v2/iex'), ...fastReconnect })
  stream.subscribeForBars(['AAPL', 'MSFT'])
  stream.subscribeForTrades(['AAPL'])
  return connect(t, stream)
}

test('after a lost connection the stream reconnects with all subscriptions, also later ones', async (t) => {
  const world = await newWorld(shared)
  const alpaca = sdk.client(world)
  const proxy = await openProxy(shared.url)
  t.after(() => proxy.close())
  const stream = await openBarStream(t, alpaca, proxy.url)
  const added = next(stream, 'subscription')
  stream.subscribeForBars(['TSLA'])
  await added
  for (const minute of [1, 2]) {
    const reconnected = next(stream, 'reconnected')
    const subscribed = next(stream, 'subscription')
    proxy.cut()
    proxy.open()
    await Promise.all([reconnected, subscribed])
    const bars: string[] = []
    const last = new Promise<void>((resolve) =>
      stream.onBar(({ symbol }) => bars.push(symbol) === 3 && resolve()),
    )
    const trade = next(stream, 'trade')
    await world.advance('1m')
    await Promise.all([last, trade])
    assert.deepEqual(bars.slice(0, 3), ['AAPL', 'MSFT', 'TSLA'], `after cut ${minute}`)
  }
  sdk.coverage.received('/v2/iex', 'bars')
  sdk.coverage.received('/v2/iex', 'trades')
})

for (const end of ['stop', 'kill'] as const)
  test(`after a ${end} and a new start of the broker the stream reconnects`, async (t) => {
    const folder = newFolder()
    const before = await startBroker(['--data', folder])
    const proxy = await openProxy(before.url)
    t.after(() => proxy.close())
    const alpaca = sdk.client(before)
    const url = socketUrl(proxy.url, '/v2/test')
    const stream = alpaca.marketData.stockStream({ url, ...fastReconnect })
    stream.subscribeForQuotes(['FAKEPACA'])
    await connect(t, stream)
    const reconnected = next(stream, 'reconnected')
    const subscribed = next(stream, 'subscription')
    await before[end]()
    const after = await startBroker(['--data', folder])
    t.after(() => after.stop())
    proxy.forwardTo(after.url)
    await Promise.all([reconnected, subscribed])
    const quote = await next<streaming.StreamQuote>(stream, 'quote')
    assert.equal(quote.symbol, 'FAKEPACA')
    sdk.coverage.received('/v2/test', 'quotes')
  })

test('after a reset of its world, which closes with 1012, the stream reconnects', async (t) => {
  const world = await newWorld(shared)
  const url = socketUrl(shared.url, '/v2/test')
  const stream = sdk.client(world).marketData.stockStream({ url, ...fastReconnect })
  stream.subscribeForQuotes(['FAKEPACA'])
  await connect(t, stream)
  const [reconnected, subscribed] = [next(stream, 'reconnected'), next(stream, 'subscription')]
  assert.equal((await callAsOperator(shared, 'POST', `/sim/v1/worlds/${world.world}/reset`)).status, 200)
  await Promise.all([reconnected, subscribed])
})

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))
