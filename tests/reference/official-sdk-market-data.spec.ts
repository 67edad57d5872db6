import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Alpaca, NotFoundError, TimeFrame, TimeFrameUnit, timeFrame } from '@alpacahq/alpaca-trade-api'
import { newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { OfficialSdk } from './official-sdk.ts'

const sdk = new OfficialSdk()
let world: Awaited<ReturnType<typeof newWorld>>
let alpaca: Alpaca

before(async () => {
  world = await newWorld(broker)
  alpaca = sdk.client(world)
})

const december = { start: new Date('2025-12-01T00:00:00Z'), end: new Date('2025-12-12T23:59:59Z') }

test('the latest price of one symbol and of several is a number', async () => {
  const price = await alpaca.marketData.getLatestPrice('AAPL')
  assert(price !== undefined && price > 0)
  const { trades } = await alpaca.marketData.stocks.stockLatestTrades({ symbols: 'AAPL,MSFT' })
  assert.deepEqual(Object.keys(trades).sort(), ['AAPL', 'MSFT'])
  assert.equal(trades['AAPL']?.p, price)
  await assert.rejects(alpaca.marketData.getLatestPrice('NOTHING'), NotFoundError)
})

test('the latest quote has a bid below its ask', async () => {
  const { quote } = await alpaca.marketData.stocks.stockLatestQuoteSingle({ symbol: 'AAPL' })
  assert(quote.bp > 0 && quote.bp < quote.ap)
  const { quotes } = await alpaca.marketData.stocks.stockLatestQuotes({ symbols: 'AAPL' })
  assert.equal(quotes['AAPL']?.ap, quote.ap)
})

test('the latest bar of one symbol is the same in a request for several', async () => {
  const { bar } = await alpaca.marketData.stocks.stockLatestBarSingle({ symbol: 'AAPL' })
  const { bars } = await alpaca.marketData.stocks.stockLatestBars({ symbols: 'AAPL' })
  assert.equal(bars['AAPL']?.c, bar.c)
})

test('daily bars of several symbols are the same in one page and in several', async () => {
  const request = { symbols: ['AAPL', 'MSFT'], timeframe: TimeFrame.Day, ...december }
  const whole = await alpaca.marketData.getStockBars(request)
  const paged = await alpaca.marketData.getStockBars({ ...request, limit: 3 })
  assert.deepEqual(paged, whole)
  for (const symbol of request.symbols) {
    const days = whole[symbol]!.map(({ timestamp }) => timestamp.toISOString().slice(8, 13))
    assert.deepEqual(
      days,
      ['01', '02', '03', '04', '05', '08', '09', '10', '11', '12'].map((day) => `${day}T05`),
    )
  }
})

test('a bar has all fields', async () => {
  const [bar] = await alpaca.marketData.getStockBarsFor('AAPL', { timeframe: TimeFrame.Day, ...december })
  const { low, high, open, close, vwap, volume, tradeCount } = bar!
  for (const price of [open, close, vwap!]) assert(low <= price && price <= high)
  assert(Number.isInteger(volume) && Number.isInteger(tradeCount))
})

test('iterateStockBars returns all pages', async () => {
  const symbols: string[] = []
  const request = { symbols: ['MSFT', 'AAPL'], timeframe: TimeFrame.Day, ...december, limit: 4 }
  for await (const { symbol } of alpaca.marketData.iterateStockBars(request)) symbols.push(symbol)
  assert.deepEqual(symbols, [...Array(10).fill('AAPL'), ...Array(10).fill('MSFT')])
})

const aggregations = [
  [
    'minutes',
    TimeFrame.Minute,
    'five minutes',
    timeFrame(5, TimeFrameUnit.Minute),
    '2026-01-05T14:50:00Z',
    5,
  ],
  ['days', TimeFrame.Day, 'a week', TimeFrame.Week, '2025-12-01T05:00:00Z', 7 * 24 * 60],
] as const
for (const [parts, small, whole, large, from, minutes] of aggregations)
  test(`${parts} aggregate to ${whole}`, async () => {
    const start = new Date(from)
    const window = { start, end: new Date(start.getTime() + minutes * 60_000 - 1) }
    const bars = await alpaca.marketData.getStockBarsFor('AAPL', { timeframe: small, ...window })
    const aggregated = await alpaca.marketData.getStockBarsFor('AAPL', { timeframe: large, ...window })
    assert.deepEqual([bars.length, aggregated.length], [5, 1])
    const [{ timestamp, open, high, low, close, volume }] = aggregated as [(typeof aggregated)[0]]
    assert.deepEqual(
      { timestamp, open, high, low, close, volume },
      {
        timestamp: start,
        open: bars[0]!.open,
        high: Math.max(...bars.map((bar) => bar.high)),
        low: Math.min(...bars.map((bar) => bar.low)),
        close: bars[4]!.close,
        volume: bars.reduce((sum, bar) => sum + bar.volume, 0),
      },
    )
  })

test('the path for the bars of one symbol', async () => {
  const request = { symbol: 'AAPL', timeframe: '1Day', start: december.start, end: december.end }
  const { bars, symbol } = await alpaca.marketData.stocks.stockBarSingle(request)
  assert.deepEqual([symbol, bars.length], ['AAPL', 10])
})

test('candles are the bars as columns', async () => {
  const request = { symbols: ['AAPL', 'MSFT'], timeframe: TimeFrame.Day, ...december }
  const bars = await alpaca.marketData.getStockBars(request)
  const candles = await alpaca.marketData.getStockCandles(request)
  const seconds = await alpaca.marketData.getStockCandles(request, { time: 'seconds' })
  assert.deepEqual(Object.keys(candles), ['AAPL', 'MSFT'])
  for (const [symbol, { time, open, high, low, close, volume }] of Object.entries(candles)) {
    const expected = bars[symbol]!
    assert.deepEqual(
      time,
      expected.map(({ timestamp }) => timestamp.getTime()),
    )
    assert.deepEqual(
      seconds[symbol]!.time,
      time.map((ms) => ms / 1000),
    )
    const columns = { open, high, low, close, volume }
    for (const name of ['open', 'high', 'low', 'close', 'volume'] as const)
      assert.deepEqual(
        columns[name],
        expected.map((bar) => bar[name]),
      )
  }
})

test('an unknown symbol has no bars, and no candles', async () => {
  const request = { symbols: ['NOTHING'], timeframe: TimeFrame.Day, ...december }
  assert.deepEqual(await alpaca.marketData.getStockBars(request), {})
  assert.deepEqual(await alpaca.marketData.getStockCandles(request), {})
})

for (const feed of ['/v2/iex', '/v2/sip', '/v2/delayed_sip'])
  test(`${feed} sends live bars, trades and quotes when the clock advances`, async (t) => {
    const received = await sdk.stockStream(alpaca, broker.url, feed, ['AAPL', 'MSFT'])
    t.after(() => received.stream.disconnect())
    await world.advance('2m')
    for (const symbol of ['AAPL', 'MSFT']) {
      const bar = await received.bars.first((one) => one.symbol === symbol)
      const [past] = await alpaca.marketData.getStockBarsFor(symbol, {
        timeframe: TimeFrame.Minute,
        start: bar.timestamp,
        end: bar.timestamp,
      })
      // A binary timestamp has no text, so the SDK formats it.
      assert.deepEqual({ ...bar, timestampRaw: past!.timestampRaw }, past)
      const day = await received.dailyBars.first((one) => one.symbol === symbol)
      assert.deepEqual(day.timestamp, new Date('2026-01-05T05:00:00Z'))
      const trade = await received.trades.first((one) => one.symbol === symbol)
      assert(trade.price > 0 && trade.size > 0)
      const quote = await received.quotes.first((one) => one.symbol === symbol)
      assert(quote.bidPrice < quote.askPrice)
    }
  })

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))
