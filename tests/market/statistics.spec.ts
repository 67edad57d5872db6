import assert from 'node:assert/strict'
import test from 'node:test'
import { measure, sundayOf } from './statistics.ts'

// Prices follow from the seed, so nothing here can fail by chance. `npm run market-report` measures more of them.

for (const seed of ['main', 'a', 'b'])
  for (const { name, value, least, most } of measure({ seed, days: 2520, everyCompany: 5, sessions: 4 }))
    test(`seed ${seed}: ${name} is from ${least} to ${most}`, () =>
      assert.ok(value >= least && value <= most, `${value}`))

for (const [symbol, trades] of [
  ['SPY', 2000],
  ['AAPL', 2000],
  ['KO', 500],
] as const)
  test(`on a Sunday ${symbol} has more than ${trades} trades in ten minutes, and trades in every minute`, () => {
    const found = sundayOf('main', symbol)
    assert.ok(found.trades > trades && found.quotes > 3 * found.trades, JSON.stringify(found))
    assert.equal(found.minutes, 1440)
  })
