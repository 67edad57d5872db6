import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newWorld } from '../support/broker.ts'
import { type Alpaca3, OfficialSdk3 } from './official-sdk-3.ts'

const sdk = new OfficialSdk3()
let world: Awaited<ReturnType<typeof newWorld>>
let alpaca: Alpaca3

before(async () => {
  const broker = await OfficialSdk3.commonBroker()
  world = await newWorld(broker)
  alpaca = sdk.client(world)
})
after(() => sdk.close())

const symbols = ['AAPL', 'MSFT']
const pairs = ['BTC/USD', 'ETH/USD']
const days = { start: '2025-12-01', end: '2025-12-12', timeframe: '1Day' }
const seconds = { start: '2025-12-01T15:00:00Z', end: '2025-12-01T15:00:03Z' }

async function collect(items: AsyncIterable<Alpaca3>): Promise<Alpaca3[]> {
  const collected: Alpaca3[] = []
  for await (const item of items) collected.push(item)
  return collected
}

test('daily bars: one symbol page by page, and several at once', async () => {
  const bars = await collect(alpaca.getBarsV2('AAPL', { ...days }))
  assert.equal(bars.length, 10)
  const { OpenPrice, HighPrice, LowPrice, ClosePrice, VWAP, Volume, TradeCount } = bars[0]
  for (const price of [OpenPrice, ClosePrice, VWAP]) assert(LowPrice <= price && price <= HighPrice)
  assert(Number.isInteger(Volume) && Number.isInteger(TradeCount))
  assert.deepEqual(await collect(alpaca.getBarsV2('AAPL', { ...days, limit: 10, pageLimit: 3 })), bars)
  const several: Map<string, Alpaca3[]> = await alpaca.getMultiBarsV2(symbols, { ...days, pageLimit: 4 })
  assert.deepEqual([...several.keys()], symbols)
  assert.deepEqual(
    several.get('AAPL')!.map((bar) => bar.ClosePrice),
    bars.map((bar) => bar.ClosePrice),
  )
})

const ticks = [
  ['trades', 'getTradesV2', 'getMultiTradesV2', 'Price'],
  ['quotes', 'getQuotesV2', 'getMultiQuotesV2', 'BidPrice'],
] as const
for (const [name, single, multi, price] of ticks)
  test(`${name}: one symbol and several, with small pages`, async () => {
    const one = await collect(alpaca[single]('AAPL', { ...seconds }))
    const several: Map<string, Alpaca3[]> = await alpaca[multi](symbols, { ...seconds, pageLimit: 5 })
    const prices = (items: readonly Alpaca3[]) => items.map((item) => item[price])
    assert(one.length > 5 && prices(one).every((value) => value > 0))
    assert.deepEqual(prices(several.get('AAPL')!), prices(one))
  })

test('the latest data of one symbol is the same in a request for several', async () => {
  for (const [kind, price] of [
    ['Trade', 'Price'],
    ['Quote', 'BidPrice'],
    ['Bar', 'ClosePrice'],
  ] as const) {
    const one = await alpaca[`getLatest${kind}`]('AAPL')
    const several: Map<string, Alpaca3> = await alpaca[`getLatest${kind}s`](symbols)
    assert(one[price] > 0)
    assert.equal(several.get('AAPL')[price], one[price])
  }
  await assert.rejects(alpaca.getLatestTrade('NOTHING'), /code: 404/)
})

test('snapshots have the latest trade and the daily bars', async () => {
  const one = await alpaca.getSnapshot('AAPL')
  const several = await alpaca.getSnapshots(symbols)
  assert.deepEqual(several.map(({ symbol }: Alpaca3) => symbol).sort(), symbols)
  assert.equal(several[0].LatestTrade.Price, one.LatestTrade.Price)
  assert(one.DailyBar.Timestamp > one.PrevDailyBar.Timestamp)
})

test('crypto: bars, trades, quotes, latest data, order books and snapshots', async () => {
  const window = { start: '2025-11-30T03:00:00Z', end: '2025-11-30T03:04:59Z' }
  const bars: Map<string, Alpaca3[]> = await alpaca.getCryptoBars(pairs, { ...window, timeframe: '1Min' })
  assert.equal(bars.get('BTC/USD')?.length, 5)
  for (const call of ['getCryptoTrades', 'getCryptoQuotes'])
    assert((await alpaca[call](pairs, { ...window, limit: 5 })).size > 0, call)
  for (const call of [
    'getLatestCryptoTrades',
    'getLatestCryptoQuotes',
    'getLatestCryptoBars',
    'getCryptoOrderbooks',
    'getCryptoSnapshots',
  ]) {
    const latest: Map<string, Alpaca3> = await alpaca[call](pairs)
    assert.deepEqual([...latest.keys()].sort(), pairs, call)
  }
})

/** Connects and waits until the server has confirmed all subscriptions. */
function connect(stream: Alpaca3, subscribe: () => void, isComplete: (lists: Alpaca3) => boolean) {
  return new Promise<void>((resolve, reject) => {
    stream.onError((text: string) => reject(new Error(`stream error: ${text}`)))
    stream.onConnect(subscribe)
    const update = stream.updateSubscriptions.bind(stream)
    stream.updateSubscriptions = (ack: Alpaca3) => {
      update(ack)
      if (isComplete(stream.getSubscriptions())) resolve()
    }
    stream.connect()
  })
}

const first = (listen: (resolve: (message: Alpaca3) => void) => void): Promise<Alpaca3> => new Promise(listen)

for (const feed of ['iex', 'sip'])
  test(`live stock data on ${feed}: bars, daily bars, trades and quotes`, async (t) => {
    const stream = sdk.client(world, feed).data_stream_v2
    t.after(() => stream.disconnect())
    const received = {
      bars: first((resolve) => stream.onStockBar(resolve)),
      dailyBars: first((resolve) => stream.onStockDailyBar(resolve)),
      trades: first((resolve) => stream.onStockTrade(resolve)),
      quotes: first((resolve) => stream.onStockQuote(resolve)),
    }
    await connect(
      stream,
      () => {
        stream.subscribeForBars(symbols)
        stream.subscribeForDailyBars(symbols)
        stream.subscribeForTrades(['AAPL'])
        stream.subscribeForQuotes(['AAPL'])
      },
      ({ bars, quotes }) => bars.length === 2 && quotes.length === 1,
    )
    await world.advance('2m')
    for (const [channel, message] of Object.entries(received)) {
      assert.equal((await message).Symbol, 'AAPL')
      sdk.coverage.received(`/v2/${feed}`, channel)
    }
    assert((await received.bars).Timestamp instanceof Date)
  })

test('live crypto data: bars, trades, quotes and order books', async (t) => {
  const stream = alpaca.crypto_stream_v1beta3
  t.after(() => stream.disconnect())
  const received = {
    bars: first((resolve) => stream.onCryptoBar(resolve)),
    trades: first((resolve) => stream.onCryptoTrade(resolve)),
    quotes: first((resolve) => stream.onCryptoQuote(resolve)),
    orderbooks: first((resolve) => stream.onCryptoOrderbook(resolve)),
  }
  await connect(
    stream,
    () => {
      stream.subscribeForBars(pairs)
      stream.subscribeForTrades(pairs)
      stream.subscribeForQuotes(pairs)
      stream.subscribeForOrderbooks(pairs)
    },
    ({ orderbooks }) => orderbooks.length === 2,
  )
  await world.advance('2m')
  for (const [channel, message] of Object.entries(received)) {
    // The SDK does not rename the fields of order books.
    const { Symbol: symbol, S } = await message
    assert(pairs.includes(symbol ?? S), channel)
    sdk.coverage.received('/v1beta3/crypto/{loc}', channel)
  }
})

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))
