import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import {
  type CivilDate,
  fromNewYork,
  type Instant,
  later,
  type MarketEvent,
  newYork,
  SECOND,
  type Ticker,
} from '@quipu/core'
import { marketSourceSuite } from '../testing/market-source-suite.ts'
import { syntheticMarket, unsharedMarket } from './synthetic.ts'

const ticker = (symbol: string): Ticker => symbol as Ticker

for (const [name, symbol, hours, date] of [
  ['synthetic, always', 'KO', 'always', '2026-11-13'],
  ['synthetic, New York hours', 'DIS', 'nyse', '2026-11-13'],
  ['synthetic, a shortened day', 'F', 'always', '2026-11-27'],
  ['synthetic, after the clock changed', 'XOM', 'always', '2026-03-09'],
] as const)
  marketSourceSuite(name, {
    symbol: ticker(symbol),
    date: date as CivilDate,
    open: () => unsharedMarket({ seed: 'suite', hours }),
  })

for (const [symbol, seconds] of [
  ['BTC/USD', 60],
  ['LINK/USD', 900],
] as const)
  marketSourceSuite(`synthetic, ${symbol}`, {
    symbol: ticker(symbol),
    date: '2026-11-14' as CivilDate,
    zone: 'utc',
    seconds,
    open: () => unsharedMarket({ seed: 'suite', hours: 'nyse' }),
  })

for (const custom of [
  { symbol: 'ACME' },
  { symbol: 'PNNY', price: 0.35 },
  { symbol: 'KO', price: 700, on: '2026-05-01' as CivilDate },
])
  marketSourceSuite(`synthetic, ${custom.symbol} as a custom symbol`, {
    symbol: ticker(custom.symbol),
    date: '2026-11-13' as CivilDate,
    seconds: 300,
    open: () => unsharedMarket({ seed: 'suite', hours: 'always', symbols: [], extra: [custom] }),
  })

test('a world may list fewer symbols', () => {
  const { assets, pricesAt } = syntheticMarket({
    seed: 'few',
    hours: 'always',
    symbols: [ticker('KO'), ticker('T')],
  })
  assert.deepEqual([...assets().keys()], ['KO', 'T'])
  assert.equal(pricesAt(fromNewYork('2026-11-13' as CivilDate, 600)).quote(ticker('AAPL')), undefined)
})

test('at midnight of a Sunday hours "always" has a current quote, and hours "nyse" the last quote of Friday', () => {
  const sunday = fromNewYork('2026-11-15' as CivilDate, 0)
  const quoteIn = (hours: 'nyse' | 'always') =>
    syntheticMarket({ seed: 'night', hours }).pricesAt(sunday).quote(ticker('AAPL'))!
  assert.equal(newYork(quoteIn('always').at).date, '2026-11-14')
  const friday = newYork(quoteIn('nyse').at)
  assert.equal(friday.date, '2026-11-13')
  assert.ok(friday.minuteOfDay >= 19 * 60 && friday.minuteOfDay < 20 * 60)
})

test('another seed gives other prices', () => {
  const at = fromNewYork('2026-06-10' as CivilDate, 700)
  const prices = ['a', 'b'].map((seed) => syntheticMarket({ seed, hours: 'nyse' }).pricesAt(at))
  assert.notDeepEqual(prices[0]!.quote(ticker('AAPL')), prices[1]!.quote(ticker('AAPL')))
})

test('a search over years ends, with or without a result', async () => {
  const { pricesAt, schedule } = syntheticMarket({ seed: 'years', hours: 'nyse' })
  const from = fromNewYork('2026-01-02' as CivilDate, 600)
  const to = fromNewYork('2029-01-02' as CivilDate, 600)
  const symbol = ticker('KO')
  assert.equal(await schedule.nextTouch({ symbol, side: 'buy', price: 1_000_000_000n, from, to }), undefined)
  const bid = pricesAt(from).quote(symbol)!.bid
  const touch = await schedule.nextTouch({ symbol, side: 'sell', price: (bid * 103n) / 100n, from, to })
  assert.ok(touch !== undefined && touch > from)
  assert.ok(pricesAt(touch).quote(symbol)!.bid >= (bid * 103n) / 100n)
  assert.ok(pricesAt((touch - 1n) as Instant).quote(symbol)!.bid < (bid * 103n) / 100n)
})

test('queries do not fail in any year', async () => {
  const { pricesAt, history, schedule } = syntheticMarket({ seed: 'edge', hours: 'always' })
  const symbol = ticker('T')
  for (const [year, has] of [
    ['1969', false],
    ['1970', true],
    ['2050', true],
    ['2080', false],
    ['9999', false],
  ] as const) {
    const at = fromNewYork(`${year}-06-10` as CivilDate, 600)
    const to = (at + 3_600_000_000_000n) as Instant
    assert.equal(pricesAt(at).quote(symbol)?.at !== undefined, has || year > '2050', year)
    assert.equal(
      (await history.trades({ symbol, from: at, to, now: to, sort: 'asc', limit: 3 })).length > 0,
      has,
      year,
    )
    assert.equal((await schedule.nextQuote(symbol, at, to)) !== undefined, has, year)
    assert.equal(await schedule.nextTouch({ symbol, side: 'buy', price: 1n, from: at, to }), undefined)
    const frame = { unit: 'hour', count: 1 } as const
    const bars = await history.bars({ symbol, frame, from: at, to, now: to, sort: 'desc', limit: 3 })
    assert.equal(bars.length > 0, has, year)
  }
})

test('a long list of trades has no gaps', async () => {
  const { history } = syntheticMarket({ seed: 'many', hours: 'nyse' })
  const [symbol, from] = [ticker('NVDA'), fromNewYork('2026-11-13' as CivilDate, 570)]
  const to = (from + 1_200_000_000_000n) as Instant
  const trades = await history.trades({ symbol, from, to, now: to, sort: 'asc', limit: 5001 })
  assert.equal(trades.length, 5001)
  assert.deepEqual(
    trades.map((trade) => trade.id),
    trades.map((_, index) => trades[0]!.id + index),
  )
})

test('worlds that share a market have the prices of a market of their own, whatever the others read', async () => {
  const setup = { seed: 'shared', hours: 'nyse' } as const
  const symbols = ['AAPL', 'TQQQ', 'BTC/USD', 'LINK/USD'].map(ticker)
  // More worlds than a board keeps spans of. Some are at the same second, some hours or years apart.
  const starts = [0n, 0n, 5n, 3600n, 86_400n, -31_536_000n, 31_536_000n]
  const start = fromNewYork('2026-11-13' as CivilDate, 600)
  const worlds = starts.map((seconds) => ({
    at: later(start, seconds * SECOND),
    shared: syntheticMarket(setup),
    own: unsharedMarket(setup),
  }))
  for (let round = 0; round < 40; round++)
    for (const [number, { at, shared, own }] of worlds.entries()) {
      // Small steps, some large ones, and some back.
      const now = later(at, BigInt((round * (number + 3) * 7_919) % 90_001) * 13_000_000n)
      const until = later(now, 20n * SECOND)
      for (const symbol of symbols) {
        const [seen, expected] = [shared.pricesAt(now), own.pricesAt(now)] as const
        assert.deepEqual(seen.trade(symbol), expected.trade(symbol))
        assert.deepEqual(seen.quote(symbol), expected.quote(symbol))
        assert.equal(seen.volume?.(symbol), expected.volume?.(symbol))
        assert.deepEqual(
          await shared.schedule.nextQuote(symbol, now, until),
          await own.schedule.nextQuote(symbol, now, until),
        )
      }
    }
})

test('worlds share a market only if every setting of it is equal', () => {
  const at = fromNewYork('2026-11-13' as CivilDate, 600)
  const crash = { kind: 'crash', at: later(at, -600n * SECOND), depth: 0.2, minutes: 5 } as const
  const splitBy = (ratio: number) =>
    new Map([
      [ticker('KO'), { origin: ticker('KO'), changes: [{ day: 20_000, kind: 'split', ratio }] } as const],
    ])
  const setups: readonly Parameters<typeof syntheticMarket>[0][] = [
    { seed: 'one', hours: 'nyse' },
    { seed: 'two', hours: 'nyse' },
    { seed: 'one', hours: 'always' },
    { seed: 'one', hours: 'nyse', extra: [{ symbol: 'KO', price: 7 }] },
    { seed: 'one', hours: 'nyse', extra: [{ symbol: 'KO', price: 8 }] },
    { seed: 'one', hours: 'nyse', symbols: [ticker('T')] },
    { seed: 'one', hours: 'nyse', marketEvents: [crash as MarketEvent] },
    { seed: 'one', hours: 'nyse', marketEvents: [{ ...crash, depth: 0.3 } as MarketEvent] },
    { seed: 'one', hours: 'nyse', issues: splitBy(2) },
    { seed: 'one', hours: 'nyse', issues: splitBy(3) },
  ]
  const pricesIn = (market: ReturnType<typeof syntheticMarket>) => {
    const night = fromNewYork('2026-11-15' as CivilDate, 0)
    return [at, night].map((now) => ['KO', 'T'].map((symbol) => market.pricesAt(now).trade(ticker(symbol))))
  }
  const seen = setups.map((setup) => pricesIn(syntheticMarket(setup)))
  assert.deepEqual(
    seen,
    setups.map((setup) => pricesIn(unsharedMarket(setup))),
  )
  assert.equal(new Set(seen.map((prices) => inspect(prices, { depth: 4 }))).size, setups.length)
})
