import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '../support/broker.ts'
import { assertRefused, get, newWorld } from './stage.ts'

const world = await newWorld()
const stocks = (path: string, query: string) => get(world, `/v2/stocks/${path}?${query}`)

/** Bars as columns. */
const columnsOf = (bars: readonly Body[]) => ({
  time: bars.map(({ t }) => Date.parse(t)),
  open: bars.map(({ o }) => o),
  high: bars.map(({ h }) => h),
  low: bars.map(({ l }) => l),
  close: bars.map(({ c }) => c),
  volume: bars.map(({ v }) => v),
})

for (const [title, query] of [
  ['days of a symbol', 'symbols=AAPL&timeframe=1Day&start=2025-12-01'],
  ['days of several symbols', 'symbols=AAPL,MSFT,SPY&timeframe=1Day&start=2025-12-01'],
  ['days, newest first', 'symbols=AAPL&timeframe=1Day&start=2025-12-01&sort=desc'],
  ['minutes', 'symbols=AAPL,KO&timeframe=1Min&start=2026-01-02T15:00:00Z&end=2026-01-02T15:59:00Z'],
  ['the first of several pages', 'symbols=AAPL,KO&timeframe=1Day&start=2025-12-01&limit=30'],
  ['an unknown symbol', 'symbols=ZZZZ&timeframe=1Day&start=2025-12-01'],
] as const)
  test(`candles: ${title}, the values of the bars as columns`, async () => {
    const [{ body: candles }, { body: bars }] = [await stocks('candles', query), await stocks('bars', query)]
    const expected = Object.entries<Body[]>(bars.bars).map(([symbol, list]) => [symbol, columnsOf(list)])
    assert.deepEqual(candles.candles, Object.fromEntries(expected))
    assert.equal(candles.next_page_token, bars.next_page_token)
  })

test('pages of candles continue without a gap', async () => {
  const query = 'symbols=AAPL&timeframe=1Day&start=2025-12-01&limit=5'
  const first = (await stocks('candles', query)).body
  const second = (await stocks('candles', `${query}&page_token=${first.next_page_token}`)).body
  const complete = (await stocks('candles', query.replace('limit=5', 'limit=10'))).body
  for (const column of ['time', 'open', 'high', 'low', 'close', 'volume'])
    assert.deepEqual(
      [...first.candles.AAPL[column], ...second.candles.AAPL[column]],
      complete.candles.AAPL[column],
    )
})

for (const [title, query] of [
  ['no symbols', 'timeframe=1Day'],
  ['no timeframe', 'symbols=AAPL'],
  ['an end before the start', 'symbols=AAPL&timeframe=1Day&start=2025-12-31&end=2025-12-30'],
] as const)
  test(`candles with ${title}: 400, as for bars`, async () => {
    const { body: bars } = await stocks('bars', query)
    assertRefused(await stocks('candles', query), 400, 40010001, bars.message)
  })
