import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '../broker.ts'
import { assertRefused, get, world } from './stage.ts'

const own = await world()
const at = (path: string, query: string) => get(own, `/v2/stocks/${path}?${query}`)

/** Bars turned on their side. */
const columnsOf = (bars: readonly Body[]) => ({
  time: bars.map(({ t }) => Date.parse(t)),
  open: bars.map(({ o }) => o),
  high: bars.map(({ h }) => h),
  low: bars.map(({ l }) => l),
  close: bars.map(({ c }) => c),
  volume: bars.map(({ v }) => v),
})

for (const [given, query] of [
  ['days of a symbol', 'symbols=AAPL&timeframe=1Day&start=2025-12-01'],
  ['days of several symbols', 'symbols=AAPL,MSFT,SPY&timeframe=1Day&start=2025-12-01'],
  ['days, newest first', 'symbols=AAPL&timeframe=1Day&start=2025-12-01&sort=desc'],
  ['minutes', 'symbols=AAPL,KO&timeframe=1Min&start=2026-01-02T15:00:00Z&end=2026-01-02T15:59:00Z'],
  ['one page of more', 'symbols=AAPL,KO&timeframe=1Day&start=2025-12-01&limit=30'],
  ['nothing', 'symbols=ZZZZ&timeframe=1Day&start=2025-12-01'],
] as const)
  test(`candles: ${given}, the numbers of the bars in parallel columns`, async () => {
    const [{ body: candles }, { body: bars }] = [await at('candles', query), await at('bars', query)]
    const expected = Object.entries<Body[]>(bars.bars).map(([symbol, list]) => [symbol, columnsOf(list)])
    assert.deepEqual(candles.candles, Object.fromEntries(expected))
    assert.equal(candles.next_page_token, bars.next_page_token)
  })

test('pages of candles go on where pages of bars do', async () => {
  const query = 'symbols=AAPL&timeframe=1Day&start=2025-12-01&limit=5'
  const first = (await at('candles', query)).body
  const second = (await at('candles', `${query}&page_token=${first.next_page_token}`)).body
  const whole = (await at('candles', query.replace('limit=5', 'limit=10'))).body
  for (const column of ['time', 'open', 'high', 'low', 'close', 'volume'])
    assert.deepEqual(
      [...first.candles.AAPL[column], ...second.candles.AAPL[column]],
      whole.candles.AAPL[column],
    )
})

for (const [given, query] of [
  ['no symbols', 'timeframe=1Day'],
  ['no timeframe', 'symbols=AAPL'],
  ['an end before the start', 'symbols=AAPL&timeframe=1Day&start=2025-12-31&end=2025-12-30'],
] as const)
  test(`candles with ${given}: 400, as for bars`, async () => {
    const { body: bars } = await at('bars', query)
    assertRefused(await at('candles', query), 400, 40010001, bars.message)
  })
