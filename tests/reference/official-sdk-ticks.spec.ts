import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { type Alpaca, TimeFrame } from '@alpacahq/alpaca-trade-api'
import { newWorld } from '../broker.ts'
import { broker } from '../shared-broker.ts'
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

test('trades of several symbols are the same in one page, in many, and one by one', async () => {
  const request = { symbols, ...second }
  const whole = await alpaca.marketData.getStockTrades(request)
  assert.deepEqual(await alpaca.marketData.getStockTrades({ ...request, limit: 7 }), whole)
  const one = await alpaca.marketData.getStockTradesFor('AAPL', second)
  assert.deepEqual(one, whole['AAPL'])
  assert(one.length > 7 && one.every(({ price, size }) => price > 0 && Number.isInteger(size)))
  const prices: number[] = []
  for await (const { symbol, value } of alpaca.marketData.iterateStockTrades({ ...request, limit: 5 }))
    if (symbol === 'AAPL') prices.push(value.p)
  assert.deepEqual(
    prices,
    one.map(({ price }) => price),
  )
})

test('quotes are the same in one page and in many, and have a bid below their ask', async () => {
  const whole = await alpaca.marketData.getStockQuotes({ symbols, ...second })
  assert.deepEqual(await alpaca.marketData.getStockQuotes({ symbols, ...second, limit: 3 }), whole)
  for (const symbol of symbols) {
    const quotes = whole[symbol]!
    assert(quotes.length > 0 && quotes.every(({ bidPrice, askPrice }) => bidPrice < askPrice))
    assert(isRising(quotes.map(({ timestamp }) => timestamp.toISOString())))
  }
  assert.deepEqual(await alpaca.marketData.getStockQuotesFor('MSFT', second), whole['MSFT'])
})

test('what is collected with small pages is what one page has, and no more than asked for', async () => {
  const request = { symbols, timeframe: TimeFrame.Minute, ...hour }
  const whole = await alpaca.marketData.collectStockBarsBySymbol(request)
  assert.deepEqual(await alpaca.marketData.collectStockBarsBySymbol({ ...request, limit: 11 }), whole)
  assert.deepEqual(
    symbols.map((symbol) => whole[symbol]?.length),
    [60, 60],
  )
  const some = { maxPerSymbol: 5, concurrency: 2 }
  const few = await alpaca.marketData.collectStockBarsBySymbol({ ...request, limit: 2 }, some)
  for (const symbol of symbols) assert.deepEqual(few[symbol], whole[symbol]!.slice(0, 5))
})

test('a snapshot has the latest of everything, of one symbol and of several', async () => {
  const of = await alpaca.marketData.stocks.stockSnapshots({ symbols: symbols.join(',') })
  assert.deepEqual(Object.keys(of).sort(), symbols)
  const { latestTrade, latestQuote, minuteBar, dailyBar, prevDailyBar } = of['AAPL']!
  assert(latestTrade!.p > 0 && latestQuote!.bp < latestQuote!.ap && minuteBar!.v > 0)
  assert(dailyBar!.t > prevDailyBar!.t)
  const one = await alpaca.marketData.stocks.stockSnapshotSingle({ symbol: 'AAPL' })
  assert.equal(one.latestTrade?.p, latestTrade!.p)
})

const pairs = ['BTC/USD', 'ETH/USD']
const loc = 'us'

test('bars and candles of crypto go around the clock', async () => {
  const sunday = { start: new Date('2025-11-30T03:00:00Z'), end: new Date('2025-11-30T05:59:59Z') }
  const request = { loc, symbols: pairs, timeframe: TimeFrame.Hour, ...sunday } as const
  const whole = await alpaca.marketData.getCryptoBars(request)
  assert.deepEqual(await alpaca.marketData.getCryptoBars({ ...request, limit: 2 }), whole)
  const candles = await alpaca.marketData.getCryptoCandles(request)
  for (const pair of pairs) {
    assert.equal(whole[pair]?.length, 3)
    assert.deepEqual(
      candles[pair]?.close,
      whole[pair]!.map(({ close }) => close),
    )
  }
})

test('trades and quotes of crypto are there', async () => {
  const minute = { start: new Date('2025-11-30T03:00:00Z'), end: new Date('2025-11-30T03:00:59Z') }
  const trades = await alpaca.marketData.getCryptoTradesFor('BTC/USD', { loc, ...minute })
  assert(trades.length > 0 && trades.every(({ price, takerSide }) => price > 0 && takerSide !== undefined))
  const quotes = await alpaca.marketData.getCryptoQuotesFor('BTC/USD', { loc, ...minute })
  assert(quotes.length > 0 && quotes.every(({ bidPrice, askPrice }) => bidPrice < askPrice))
})

/** The SDK sends no key with these calls, so the answers are those of `main`, whose prices change at any moment. */
async function latestOfCrypto() {
  const asked = { loc, symbols: pairs.join(',') } as const
  const { crypto } = alpaca.marketData
  const { bars } = await crypto.cryptoLatestBars(asked)
  const { trades } = await crypto.cryptoLatestTrades(asked)
  const { quotes } = await crypto.cryptoLatestQuotes(asked)
  const { orderbooks } = await crypto.cryptoLatestOrderbooks(asked)
  const { snapshots } = await crypto.cryptoSnapshots(asked)
  const after = {
    bars: (await crypto.cryptoLatestBars(asked)).bars,
    trades: (await crypto.cryptoLatestTrades(asked)).trades,
    quotes: (await crypto.cryptoLatestQuotes(asked)).quotes,
  }
  const isUnchanged = isDeepStrictEqual({ bars, trades, quotes }, after)
  return { bars, trades, quotes, orderbooks, snapshots, isUnchanged }
}

test('the latest of crypto, its books and its snapshots agree with one another', async () => {
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

test('the compatibility page says what was seen here', () => sdk.witness.confirms(import.meta.filename))
