import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  assetOf,
  type Bar,
  type BarQuery,
  type CivilDate,
  foldTrades,
  formatInstant,
  fromNewYork,
  type Instant,
  parseFrame,
  type Quantity,
  type Ticker,
} from '@quipu/core'
import type { MarketSource } from '../market-source.ts'
import { syntheticMarket } from '../synthetic/synthetic.ts'
import { marketSourceSuite } from '../testing/market-source-suite.ts'
import { replayMarket } from './replay.ts'
import { putBars, putQuotes, putTrades, temporaryStore } from './testing/replay.ts'

/** A symbol of few trades: months of it are made in a moment. */
const THIN = 'THIN' as Ticker
const FAR = (1n << 61n) as Instant
const at = (date: string, minute: number): Instant => fromNewYork(date as CivilDate, minute)
const synthetic = syntheticMarket({
  seed: 'replay',
  hours: 'always',
  symbols: [],
  extra: [{ symbol: 'THIN', price: 40 }],
})

const { store, dispose } = temporaryStore()
const barsOnly = temporaryStore()
const daysOnly = temporaryStore()
after(() => {
  for (const end of [dispose, barsOnly.dispose, daysOnly.dispose]) end()
})

const barsOf = (market: MarketSource, frame: string, from: Instant, to: Instant, now = FAR) =>
  market.bars(queryOf(frame, from, to, now))

function queryOf(frame: string, from: Instant, to: Instant, now: Instant): BarQuery {
  const parsed = parseFrame(frame)
  assert.ok(parsed.ok)
  return { symbol: THIN, frame: parsed.value, from, to, now, sort: 'asc', limit: 1_000_000 }
}

const ticks = {
  symbol: THIN,
  from: at('2026-11-13', 0),
  to: at('2026-11-14', 0),
  now: FAR,
  sort: 'asc',
  limit: 1e9,
} as const
const month = { ...ticks, from: at('2026-10-12', 0) }
// A month of quotes takes longer to store than all tests of this file, and no test reads them.
const quotes = { ...ticks, from: at('2026-11-09', 0) }
putTrades(store, 'THIN', await synthetic.trades(month))
putQuotes(store, 'THIN', await synthetic.quotes(quotes))
putBars(store, 'THIN', '1Day', await barsOf(synthetic, '1Day', at('2026-01-01', 0), at('2026-11-14', 0)))
putBars(
  barsOnly.store,
  'THIN',
  '1Min',
  await barsOf(synthetic, '1Min', at('2026-09-20', 0), at('2026-11-14', 0)),
)
putBars(
  daysOnly.store,
  'THIN',
  '1Day',
  await barsOf(synthetic, '1Day', at('2026-01-01', 0), at('2026-11-14', 0)),
)

const open = (own: typeof store) => () =>
  replayMarket({ series: own.list(), seed: 'replay', assetOf: (symbol) => assetOf({ symbol }) })

marketSourceSuite('replay of trades and quotes', {
  symbol: THIN,
  date: '2026-11-13' as CivilDate,
  open: open(store),
})
marketSourceSuite('replay of minutes', {
  symbol: THIN,
  date: '2026-11-13' as CivilDate,
  hasMadeTrades: true,
  open: open(barsOnly.store),
})

test('stored trades and quotes are told as they are', async () => {
  const market = open(store)()
  const own = await market.trades(ticks)
  assert.deepEqual(own, await synthetic.trades(ticks))
})

test('trades without ids are counted within their nanosecond, and read the same backwards', async (t) => {
  const { store: own, dispose } = temporaryStore()
  t.after(dispose)
  const [trade] = await synthetic.trades({ ...ticks, limit: 1 })
  const nanoseconds = [0n, 0n, 0n, 7n, 9n, 9n, 1_000n]
  putTrades(
    own,
    'THIN',
    nanoseconds.map((nanos, place) => ({
      ...trade!,
      at: (trade!.at + nanos) as Instant,
      size: (BigInt(1 + place) * trade!.size) as Quantity,
      id: Number.NaN,
    })),
  )
  const market = open(own)()
  const ids = (await market.trades(ticks)).map(({ id }) => id)
  assert.deepEqual(ids, [0, 1, 2, 0, 0, 1, 0])
  const backwards = await market.trades({ ...ticks, sort: 'desc' })
  assert.deepEqual(backwards.map(({ id }) => id).reverse(), ids)
})

/** The same bars; the average of averages that were rounded is off in the last places. */
function assertAlike(bars: readonly Bar[], expected: readonly Bar[], what: string): void {
  const without = (all: readonly Bar[]) => all.map((bar) => ({ ...bar, vwap: 0 }))
  assert.deepEqual(without(bars), without(expected), what)
  for (const [index, { vwap }] of bars.entries())
    assert.ok(Math.abs(vwap - expected[index]!.vwap) < 1e-4, what)
}

test('stored minutes are told as they are, and fold as the market’s own do', async () => {
  const market = open(barsOnly.store)()
  const [from, to, now] = [at('2026-11-02', 0), at('2026-11-13', 1439), at('2026-11-14', 0)]
  for (const frame of ['1Min', '5Min', '7Min', '1Hour', '4Hour', '1Day', '1Week'])
    assertAlike(
      await barsOf(market, frame, from, to, now),
      await barsOf(synthetic, frame, from, to, now),
      frame,
    )
})

test('bars of stored trades are those of the market', async () => {
  const market = open(store)()
  const to = at('2026-11-13', 1439)
  for (const frame of ['1Min', '15Min', '1Hour', '1Day'])
    assertAlike(
      await barsOf(market, frame, ticks.from, to),
      await barsOf(synthetic, frame, ticks.from, to),
      frame,
    )
})

test('a finer frame than what is stored is not made up', async () => {
  assert.deepEqual(await barsOf(open(daysOnly.store)(), '1Min', at('2026-11-13', 0), at('2026-11-14', 0)), [])
})

test('the prints inside a minute fold into it', async () => {
  const market = open(barsOnly.store)()
  const prices = ({ start, open, high, low, close }: Bar) => [formatInstant(start), open, high, low, close]
  const trades = await market.trades({
    ...ticks,
    from: at('2026-11-13', 600),
    to: (at('2026-11-13', 610) - 1n) as Instant,
  })
  const made = foldTrades(trades, { unit: 'minute', count: 1 }).map(prices)
  const stored = await barsOf(market, '1Min', at('2026-11-13', 600), at('2026-11-13', 609))
  assert.deepEqual(made, stored.map(prices))
})

test('a day is not seen before its close, nor traded outside of its session', async () => {
  const market = open(daysOnly.store)()
  const seen = async (minute: number) =>
    (await barsOf(market, '1Day', at('2026-11-12', 0), at('2026-11-13', 0), at('2026-11-13', minute))).length
  assert.deepEqual([await seen(959), await seen(960)], [1, 2])
  const trades = await market.trades(ticks)
  assert.ok(trades[0]!.at === at('2026-11-13', 570) && trades.at(-1)!.at < at('2026-11-13', 960))
  const [day] = await barsOf(market, '1Day', at('2026-11-13', 0), at('2026-11-13', 0))
  const prices = trades.map(({ price }) => Number(price) / 1e9)
  assert.deepEqual(
    [prices[0], Math.max(...prices), Math.min(...prices), prices.at(-1)],
    [day!.open, day!.high, day!.low, day!.close],
  )
})

test('the path of a bar is the same every time, and another with another seed', async () => {
  const minute = { ...ticks, from: at('2026-11-13', 600), to: at('2026-11-13', 605) }
  const path = (seed: string) =>
    replayMarket({ series: barsOnly.store.list(), seed, assetOf: (symbol) => assetOf({ symbol }) }).trades(
      minute,
    )
  assert.deepEqual(await path('a'), await path('a'))
  assert.notDeepEqual(await path('a'), await path('b'))
})

test('what was not imported is unknown', () => {
  assert.deepEqual([...open(store)().assets().keys()], ['THIN'])
})
