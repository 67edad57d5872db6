import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distributionOf, histogramOf, type SeedResult, seedStatistics, zeroSentence } from './seeds.ts'

test('the median is between the two middle values, and other percentiles between their neighbours', () => {
  assert.equal(distributionOf([4213, -787, 4450, 0]).median, 2106.5)
  assert.equal(distributionOf([3, 1, 2]).median, 2)
  const values = Array.from({ length: 101 }, (_, index) => 100 - index)
  assert.deepEqual(distributionOf(values), {
    min: 0,
    p5: 5,
    p25: 25,
    median: 50,
    p75: 75,
    p95: 95,
    max: 100,
    mean: 50,
  })
  // 5 % of the way between four values is 0.15 of the first step; 95 % is 0.85 of the last.
  const { p5, p25, p75, p95 } = distributionOf([0, 100, 200, 400])
  assert.deepEqual(
    [p5, p25, p75, p95].map((value) => Number(value.toFixed(6))),
    [15, 75, 250, 370],
  )
  assert.deepEqual(Object.values(distributionOf([7])), new Array<number>(8).fill(7))
})

const of = (profits: readonly number[]): readonly SeedResult[] =>
  profits.map((profit_loss, index) => ({
    seed: String(index + 1),
    exit_code: 0,
    profit_loss,
    max_drawdown: 0.1,
  }))

test('a mean whose interval has zero is not different from zero, and a few seeds do not say', () => {
  const up = seedStatistics(of([3, 4, 5, 4, 6, 2, 5, 4, 3, 4]))
  assert.equal(up.isDifferentFromZero, true)
  assert.match(zeroSentence(up), /^The result is different from zero: .* does not contain zero\.$/)
  const { low, high } = up.meanBetween
  assert.ok(low > 3 && low < 4 && high > 4 && high < 5)
  const none = seedStatistics(of([30, -40, 5, -4, 60, -20, 5, 4, -30, 4]))
  assert.equal(none.isDifferentFromZero, false)
  assert.match(zeroSentence(none), /^The result is not different from zero: .* contains zero\.$/)
  const few = seedStatistics(of([3, 4, 5]))
  assert.equal(few.isDifferentFromZero, false)
  assert.match(
    zeroSentence(few),
    /^The result is not shown to be different from zero: that needs at least 10 seeds\.$/,
  )
})

test('the order of the runs changes no figure', () => {
  const runs = of([0.1, -7, 0.3, 12.7, -7, 0.2, 99, -0.4, 3, 5, 8]).map((run, index) => ({
    ...run,
    exit_code: index % 4 === 0 ? 1 : 0,
  }))
  const expected = seedStatistics(runs)
  assert.deepEqual([expected.worst.seed, expected.failed], ['2', ['1', '5', '9']])
  assert.deepEqual(seedStatistics(runs.toReversed()), expected)
})

test('a histogram counts each value once, and equal values are one range', () => {
  const { low, high, counts } = histogramOf([-5, 0, 0.2, 15])
  assert.deepEqual([low, high, counts.length], [-5, 15, 20])
  assert.deepEqual([counts[0], counts[5], counts[19]], [1, 2, 1])
  assert.deepEqual(histogramOf([2, 2]), { low: 2, high: 2, counts: [2] })
})
