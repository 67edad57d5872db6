import assert from 'node:assert/strict'
import { test } from 'node:test'
import { syntheticMarket } from '@quipu/broker/market/synthetic/synthetic.ts'
import { DAY, type Instant, type Ticker } from '@quipu/core'
import { OPEN_MONDAY } from '../testing/server.ts'
import { LOOK_BACK, PortfolioMarks } from './portfolio-marks.ts'

const now = (OPEN_MONDAY + 4n * DAY) as Instant
const from = OPEN_MONDAY
const market = syntheticMarket({ seed: 'marks', hours: 'nyse' })

for (const [symbol, frame] of [
  ['AAPL', 1],
  ['BTC/USD', 'day'],
] as const)
  test(`${symbol}: prices read in several pieces equal the prices read at once`, async () => {
    const query = [market, symbol as Ticker, frame, { from, now }] as const
    const [atOnce, pieces] = [new PortfolioMarks(), new PortfolioMarks(7)]
    const marks = await atOnce.of(...query)
    assert.ok(marks.from.length > 50)
    assert.deepEqual(await pieces.of(...query), marks)
    assert.deepEqual(await pieces.of(...query), marks, 'from the cache')
  })

test('an earlier instant has no price of later bars, although the cache has them', async () => {
  const query = (at: Instant) => [market, 'AAPL' as Ticker, 1, { from, now: at }] as const
  const before = (now - 2n * 60n * 60_000_000_000n - 20_000_000_000n) as Instant
  const marks = new PortfolioMarks()
  const expected = await marks.of(...query(before))
  await marks.of(...query(now))
  assert.deepEqual(await marks.of(...query(before)), expected)
})

for (const hours of [0n, 15n, 62n])
  test(`marks since ${hours} hours after an open give the price that all bars of five days give`, async () => {
    const first = (OPEN_MONDAY + hours * 60n * 60_000_000_000n + 60_000_000_000n) as Instant
    const all = await new PortfolioMarks().of(market, 'AAPL' as Ticker, 1, {
      from: (first - LOOK_BACK) as Instant,
      now,
    })
    const marks = await new PortfolioMarks().since(market, 'AAPL' as Ticker, 1, { first, now })
    const row = all.from.findLastIndex((start) => start < first)
    const near = marks.from.findLastIndex((start) => start < first)
    assert.ok(row >= 0 && near >= 0)
    assert.deepEqual(marks.from.slice(near), all.from.slice(row))
    assert.deepEqual(marks.prices.slice(near), all.prices.slice(row))
  })
