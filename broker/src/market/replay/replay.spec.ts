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

/** A symbol with few trades, so that months of data are generated quickly. */
const THIN = 'AZO' as Ticker
const FAR = (1n << 61n) as Instant
const at = (date: string, minute: number): Instant => fromNewYork(date as CivilDate, minute)
const synthetic = syntheticMarket({
  seed: 'replay',
  hours: 'always',
  symbols: [THIN],
})

const { store, dispose } = temporaryStore()
const barsOnly = temporaryStore()
const daysOnly = temporaryStore()
after(() => {
  for (const end of [dispose, barsOnly.dispose, daysOnly.dispose]) end()
})

const barsOf = (market: MarketSource, frame: string, from: Instant, to: Instant, now = FAR) =>
  market.history.bars(queryOf(frame, from, to, now))

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
// The tests read quotes of two days only.
const quotes = { ...ticks, from: at('2026-11-12', 0) }
putTrades(store, THIN, await synthetic.history.trades(month))
putQuotes(store, THIN, await synthetic.history.quotes(quotes))
putBars(store, THIN, '1Day', await barsOf(synthetic, '1Day', at('2026-01-01', 0), at('2026-11-14', 0)))
putBars(
  barsOnly.store,
  THIN,
  '1Min',
  await barsOf(synthetic, '1Min', at('2026-09-20', 0), at('2026-11-14', 0)),
)
putBars(
  daysOnly.store,
  THIN,
  '1Day',
  await barsOf(synthetic, '1Day', at('2026-01-01', 0), at('2026-11-14', 0)),
)

const open =
  (source: typeof store, seed = 'replay') =>
  () =>
    replayMarket({ series: source.list(), seed, assetOf: (symbol) => assetOf({ symbol }) })

marketSourceSuite('replay of trades and quotes', {
  symbol: THIN,
  date: '2026-11-13' as CivilDate,
  open: open(store),
})
marketSourceSuite('replay of minutes', {
  symbol: THIN,
  date: '2026-11-13' as CivilDate,
  hasDerivedTrades: true,
  open: open(barsOnly.store),
})

test('stored trades are returned unchanged', async () => {
  const market = open(store)()
  const trades = await market.history.trades(ticks)
  assert.deepEqual(trades, await synthetic.history.trades(ticks))
})

test('trades without ids are numbered within their nanosecond, in both directions', async (t) => {
  const { store: withoutIds, dispose } = temporaryStore()
  t.after(dispose)
  const [trade] = await synthetic.history.trades({ ...ticks, limit: 1 })
  const nanoseconds = [0n, 0n, 0n, 7n, 9n, 9n, 1_000n]
  putTrades(
    withoutIds,
    THIN,
    nanoseconds.map((nanos, index) => ({
      ...trade!,
      at: (trade!.at + nanos) as Instant,
      size: (BigInt(1 + index) * trade!.size) as Quantity,
      id: Number.NaN,
    })),
  )
  const market = open(withoutIds)()
  const ids = (await market.history.trades(ticks)).map(({ id }) => id)
  assert.deepEqual(ids, [0, 1, 2, 0, 0, 1, 0])
  const backwards = await market.history.trades({ ...ticks, sort: 'desc' })
  assert.deepEqual(backwards.map(({ id }) => id).reverse(), ids)
})

/** Compares bars; the average of rounded averages differs in the last decimals. */
function assertAlike(bars: readonly Bar[], expected: readonly Bar[], what: string): void {
  const without = (all: readonly Bar[]) => all.map((bar) => ({ ...bar, vwap: 0 }))
  assert.deepEqual(without(bars), without(expected), what)
  for (const [index, { vwap }] of bars.entries())
    assert.ok(Math.abs(vwap - expected[index]!.vwap) < 1e-4, what)
}

test('stored minutes are returned unchanged, and fold like those of the source', async () => {
  const market = open(barsOnly.store)()
  const [from, to, now] = [at('2026-11-02', 0), at('2026-11-13', 1439), at('2026-11-14', 0)]
  for (const frame of ['1Min', '5Min', '7Min', '1Hour', '4Hour', '1Day', '1Week'])
    assertAlike(
      await barsOf(market, frame, from, to, now),
      await barsOf(synthetic, frame, from, to, now),
      frame,
    )
})

test('bars folded from stored trades equal those of the source', async () => {
  const market = open(store)()
  const to = at('2026-11-13', 1439)
  for (const frame of ['1Min', '15Min', '1Hour', '1Day'])
    assertAlike(
      await barsOf(market, frame, ticks.from, to),
      await barsOf(synthetic, frame, ticks.from, to),
      frame,
    )
})

test('a finer frame than the stored one has no bars', async () => {
  assert.deepEqual(await barsOf(open(daysOnly.store)(), '1Min', at('2026-11-13', 0), at('2026-11-14', 0)), [])
})

test('the derived trades of a minute fold into its bar', async () => {
  const market = open(barsOnly.store)()
  const prices = ({ start, open, high, low, close }: Bar) => [formatInstant(start), open, high, low, close]
  const trades = await market.history.trades({
    ...ticks,
    from: at('2026-11-13', 600),
    to: (at('2026-11-13', 610) - 1n) as Instant,
  })
  const folded = foldTrades(trades, { unit: 'minute', count: 1 }).map(prices)
  const stored = await barsOf(market, '1Min', at('2026-11-13', 600), at('2026-11-13', 609))
  assert.deepEqual(folded, stored.map(prices))
})

test('a day is not visible before its close, and has no trades outside of its session', async () => {
  const market = open(daysOnly.store)()
  const visibleDays = async (minute: number) =>
    (await barsOf(market, '1Day', at('2026-11-12', 0), at('2026-11-13', 0), at('2026-11-13', minute))).length
  assert.deepEqual([await visibleDays(959), await visibleDays(960)], [1, 2])
  const trades = await market.history.trades(ticks)
  assert.ok(trades[0]!.at === at('2026-11-13', 570) && trades.at(-1)!.at < at('2026-11-13', 960))
  const [day] = await barsOf(market, '1Day', at('2026-11-13', 0), at('2026-11-13', 0))
  const prices = trades.map(({ price }) => Number(price) / 1e9)
  assert.deepEqual(
    [prices[0], Math.max(...prices), Math.min(...prices), prices.at(-1)],
    [day!.open, day!.high, day!.low, day!.close],
  )
})

test('the path of a bar depends only on the seed', async () => {
  const minute = { ...ticks, from: at('2026-11-13', 600), to: at('2026-11-13', 605) }
  const path = (seed: string) => open(barsOnly.store, seed)().history.trades(minute)
  assert.deepEqual(await path('a'), await path('a'))
  assert.notDeepEqual(await path('a'), await path('b'))
})

test('only imported symbols exist', () => {
  assert.deepEqual([...open(store)().assets().keys()], [THIN])
})
