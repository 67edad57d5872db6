import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Alpaca, streaming } from '@alpacahq/alpaca-trade-api'
import { newFolder, newWorld, startBroker } from '../broker.ts'
import { layCable } from './cable.ts'
import { OfficialSdk } from './official-sdk.ts'

const sdk = new OfficialSdk()
const pairs = ['BTC/USD', 'ETH/USD']
/** As the SDK comes back by itself, only sooner. */
const soon = { initialReconnectMs: 50, maxReconnectMs: 200, maxReconnectAttempts: -1 }

type Stream = streaming.StockDataStream | streaming.CryptoDataStream
type Event = Parameters<Stream['once']>[0]

const next = <Value = unknown>(stream: Stream, event: Event): Promise<Value> =>
  new Promise((resolve) => stream.once(event, resolve))

/** Connects, and waits until the server has taken all that was subscribed before. */
async function opened<Which extends Stream>(t: TestContext, stream: Which): Promise<Which> {
  t.after(() => stream.disconnect())
  const subscribed = next(stream, 'subscription')
  stream.connect()
  await subscribed
  return stream
}

async function staged(t: TestContext) {
  const broker = await startBroker()
  t.after(() => broker.stop())
  const world = await newWorld(broker)
  return { broker, world, alpaca: sdk.client(world) }
}

const socketUrl = (port: number | string, path: string): string => `ws://127.0.0.1:${port}${path}`

test('crypto comes live: bars, days, trades, quotes, and books whole first', async (t) => {
  const { broker, world, alpaca } = await staged(t)
  const path = '/v1beta3/crypto/us'
  const stream = alpaca.marketData.cryptoStream({ url: socketUrl(new URL(broker.url).port, path) })
  stream.subscribeForBars(pairs)
  stream.subscribeForDailyBars(pairs)
  stream.subscribeForTrades(pairs)
  stream.subscribeForQuotes(pairs)
  stream.subscribeForOrderbooks(pairs)
  const books: { readonly symbol: string; readonly reset?: boolean }[] = []
  const heard = {
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
  await opened(t, stream)
  await world.advance('2m')
  for (const [channel, first] of Object.entries(heard)) {
    await first
    sdk.witness.heard('/v1beta3/crypto/{loc}', channel)
  }
  assert.deepEqual(
    books
      .slice(0, 2)
      .map(({ symbol }) => symbol)
      .sort(),
    pairs,
  )
})

/** A stream of bars that has just had one of each symbol. */
async function barsFlow(t: TestContext, alpaca: Alpaca, port: number): Promise<Stream> {
  const stream = alpaca.marketData.stockStream({ url: socketUrl(port, '/v2/iex'), ...soon })
  stream.subscribeForBars(['AAPL', 'MSFT'])
  stream.subscribeForTrades(['AAPL'])
  return opened(t, stream)
}

test('after a broken cable the stream comes back with what was subscribed, also what was added since', async (t) => {
  const { broker, world, alpaca } = await staged(t)
  const cable = await layCable(broker.url)
  t.after(() => cable.close())
  const stream = await barsFlow(t, alpaca, cable.port)
  const added = next(stream, 'subscription')
  stream.subscribeForBars(['TSLA'])
  await added
  for (const minute of [1, 2]) {
    const reconnected = next(stream, 'reconnected')
    const subscribed = next(stream, 'subscription')
    cable.cut()
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
  sdk.witness.heard('/v2/iex', 'bars')
  sdk.witness.heard('/v2/iex', 'trades')
})

for (const end of ['stop', 'kill'] as const)
  test(`after a ${end} and a new start of the broker the stream goes on by itself`, async (t) => {
    const folder = newFolder()
    const before = await startBroker(['--data', folder])
    const cable = await layCable(before.url)
    t.after(() => cable.close())
    const alpaca = sdk.client(before)
    const url = socketUrl(cable.port, '/v2/test')
    const stream = alpaca.marketData.stockStream({ url, ...soon })
    stream.subscribeForQuotes(['FAKEPACA'])
    await opened(t, stream)
    const reconnected = next(stream, 'reconnected')
    const subscribed = next(stream, 'subscription')
    await before[end]()
    const after = await startBroker(['--data', folder])
    t.after(() => after.stop())
    cable.lead(after.url)
    await Promise.all([reconnected, subscribed])
    const quote = await next<streaming.StreamQuote>(stream, 'quote')
    assert.equal(quote.symbol, 'FAKEPACA')
    sdk.witness.heard('/v2/test', 'quotes')
  })

test('the compatibility page says what was seen here', () => sdk.witness.confirms(import.meta.filename))
