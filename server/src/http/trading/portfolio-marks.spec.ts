import assert from 'node:assert/strict'
import { test } from 'node:test'
import { syntheticMarket } from '@quipu/broker/market/synthetic/synthetic.ts'
import { DAY, type Instant, type Ticker } from '@quipu/core'
import { OPEN_MONDAY } from '../testing/server.ts'
import { PortfolioMarks } from './portfolio-marks.ts'

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
