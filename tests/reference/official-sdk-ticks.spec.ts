import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { type Alpaca, TimeFrame } from '@alpacahq/alpaca-trade-api'
import { newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { OfficialSdk } from './official-sdk.ts'

const sdk = new OfficialSdk()
let alpaca: Alpaca

before(async () => {
  alpaca = sdk.client(await newWorld(broker))
})

const symbols = ['AAPL', 'MSFT']
const second = { start: new Date('2025-12-01T15:00:00Z'), end: new Date('2025-12-01T15:00:03Z') }
const hour = { start: new Date('2025-12-01T15:00:00Z'), end: new Date('2025-12-01T15:59:59Z') }

const isRising = (times: readonly string[]): boolean =>
  times.every((time, index) => index === 0 || times[index - 1]! <= time)

test('trades of several symbols are the same in one page, in several, and iterated', async () => {
  const request = { symbols, ...second }
  const complete = await alpaca.marketData.getStockTrades(request)
  assert.deepEqual(await alpaca.marketData.getStockTrades({ ...request, limit: 7 }), complete)
  const one = await alpaca.marketData.getStockTradesFor('AAPL', second)
  assert.deepEqual(one, complete['AAPL'])
  assert(one.length > 7 && one.every(({ price, size }) => price > 0 && Number.isInteger(size)))
  const prices: number[] = []
  for await (const { symbol, value } of alpaca.marketData.iterateStockTrades({ ...request, limit: 5 }))
    if (symbol === 'AAPL') prices.push(value.p)
  assert.deepEqual(
    prices,
    one.map(({ price }) => price),
  )
})

test('quotes are the same in one page and in several, and have a bid below the ask', async () => {
  const complete = await alpaca.marketData.getStockQuotes({ symbols, ...second })
  assert.deepEqual(await alpaca.marketData.getStockQuotes({ symbols, ...second, limit: 3 }), complete)
  for (const symbol of symbols) {
    const quotes = complete[symbol]!
    assert(quotes.length > 0 && quotes.every(({ bidPrice, askPrice }) => bidPrice < askPrice))
    assert(isRising(quotes.map(({ timestamp }) => timestamp.toISOString())))
  }
  assert.deepEqual(await alpaca.marketData.getStockQuotesFor('MSFT', second), complete['MSFT'])
})

test('collected small pages equal one page, up to the requested maximum', async () => {
  const request = { symbols, timeframe: TimeFrame.Minute, ...hour }
  const complete = await alpaca.marketData.collectStockBarsBySymbol(request)
  assert.deepEqual(await alpaca.marketData.collectStockBarsBySymbol({ ...request, limit: 11 }), complete)
  assert.deepEqual(
    symbols.map((symbol) => complete[symbol]?.length),
    [60, 60],
  )
  const some = { maxPerSymbol: 5, concurrency: 2 }
  const few = await alpaca.marketData.collectStockBarsBySymbol({ ...request, limit: 2 }, some)
  for (const symbol of symbols) assert.deepEqual(few[symbol], complete[symbol]!.slice(0, 5))
})

test('a snapshot of one symbol and of several has the latest trade, quote and bars', async () => {
  const snapshots = await alpaca.marketData.stocks.stockSnapshots({ symbols: symbols.join(',') })
  assert.deepEqual(Object.keys(snapshots).sort(), symbols)
  const { latestTrade, latestQuote, minuteBar, dailyBar, prevDailyBar } = snapshots['AAPL']!
  assert(latestTrade!.p > 0 && latestQuote!.bp < latestQuote!.ap && minuteBar!.v > 0)
  assert(dailyBar!.t > prevDailyBar!.t)
  const one = await alpaca.marketData.stocks.stockSnapshotSingle({ symbol: 'AAPL' })
  assert.equal(one.latestTrade?.p, latestTrade!.p)
})

const pairs = ['BTC/USD', 'ETH/USD']
const loc = 'us'

test('crypto bars and candles cover all hours', async () => {
  const sunday = { start: new Date('2025-11-30T03:00:00Z'), end: new Date('2025-11-30T05:59:59Z') }
  const request = { loc, symbols: pairs, timeframe: TimeFrame.Hour, ...sunday } as const
  const complete = await alpaca.marketData.getCryptoBars(request)
  assert.deepEqual(await alpaca.marketData.getCryptoBars({ ...request, limit: 2 }), complete)
  const candles = await alpaca.marketData.getCryptoCandles(request)
  for (const pair of pairs) {
    assert.equal(complete[pair]?.length, 3)
    assert.deepEqual(
      candles[pair]?.close,
      complete[pair]!.map(({ close }) => close),
    )
  }
})

test('crypto trades and quotes are available', async () => {
  const minute = { start: new Date('2025-11-30T03:00:00Z'), end: new Date('2025-11-30T03:00:59Z') }
  const trades = await alpaca.marketData.getCryptoTradesFor('BTC/USD', { loc, ...minute })
  assert(trades.length > 0 && trades.every(({ price, takerSide }) => price > 0 && takerSide !== undefined))
  const quotes = await alpaca.marketData.getCryptoQuotesFor('BTC/USD', { loc, ...minute })
  assert(quotes.length > 0 && quotes.every(({ bidPrice, askPrice }) => bidPrice < askPrice))
})

/** The SDK sends no key with these calls, so the responses are those of `main`, which has changing prices. */
async function latestOfCrypto() {
  const query = { loc, symbols: pairs.join(',') } as const
  const { crypto } = alpaca.marketData
  const { bars } = await crypto.cryptoLatestBars(query)
  const { trades } = await crypto.cryptoLatestTrades(query)
  const { quotes } = await crypto.cryptoLatestQuotes(query)
  const { orderbooks } = await crypto.cryptoLatestOrderbooks(query)
  const { snapshots } = await crypto.cryptoSnapshots(query)
  const after = {
    bars: (await crypto.cryptoLatestBars(query)).bars,
    trades: (await crypto.cryptoLatestTrades(query)).trades,
    quotes: (await crypto.cryptoLatestQuotes(query)).quotes,
  }
  const isUnchanged = isDeepStrictEqual({ bars, trades, quotes }, after)
  return { bars, trades, quotes, orderbooks, snapshots, isUnchanged }
}

test('the latest crypto data, order books and snapshots are consistent', async () => {
  let latest = await latestOfCrypto()
  for (let tries = 1; !latest.isUnchanged && tries < 100; tries++) latest = await latestOfCrypto()
  const { bars, trades, quotes, orderbooks, snapshots, isUnchanged } = latest
  assert(isUnchanged, 'prices did not change during one of 100 tries')
  for (const pair of pairs) {
    const { b, a } = orderbooks[pair]!
    assert.deepEqual([b[0]!.p, a[0]!.p], [quotes[pair]!.bp, quotes[pair]!.ap])
    assert.equal(snapshots[pair]!.latestTrade!.p, trades[pair]!.p)
    assert.equal(snapshots[pair]!.minuteBar!.c, bars[pair]!.c)
  }
})

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))
