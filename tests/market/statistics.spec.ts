import assert from 'node:assert/strict'
import test from 'node:test'
import { nightStatistics, sundayOf } from './nights.ts'
import { measure } from './statistics.ts'

// Prices follow from the seed, so nothing here can fail by chance. `npm run market-report` measures more of them.

/** `npm run test:long` measures three markets. */
const SEEDS = process.env['MARKETS'] === 'all' ? ['main', 'a', 'b'] : ['main']

for (const seed of SEEDS) {
  const scope = { seed, days: 2520, everyCompany: 5, sessions: 4 }
  for (const { name, value, least, most } of [...measure(scope), ...nightStatistics(scope)])
    test(`seed ${seed}: ${name} is from ${least} to ${most}`, () =>
      assert.ok(value >= least && value <= most, `${value}`))
}

for (const seed of SEEDS)
  for (const [symbol, trades] of [
    ['SPY', 2000],
    ['AAPL', 1500],
    ['KO', 500],
  ] as const)
    test(`seed ${seed}: on a Sunday ${symbol} trades in every minute, more than ${trades} times in any ten`, () => {
      const { minutes, fewest, quotesPerTrade } = sundayOf(seed, symbol)
      assert.equal(minutes, 1440)
      assert.ok(fewest > trades, `${fewest}`)
      assert.ok(quotesPerTrade > 3, `${quotesPerTrade}`)
    })
