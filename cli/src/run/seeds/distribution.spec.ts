import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunSummary } from '../report/measure.ts'
import { distributionOf, seedRunOf, silentRun, summarize } from './distribution.ts'

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
  assert.deepEqual(
    Object.values(distributionOf([7])),
    Array.from({ length: 8 }, () => 7),
  )
})

const summary = (profit: number, more: Partial<RunSummary> = {}): RunSummary =>
  ({
    exit_code: 0,
    profit_loss: profit,
    max_drawdown: 0.1,
    orders: {},
    fills: [],
    refusals: [],
    ...more,
  }) as unknown as RunSummary

test('the worst seed, failures and violations of all runs', () => {
  const refusal = {
    cause: 'insufficientBuyingPower',
    method: 'POST',
    path: '/v2/orders',
    status: 403,
    message: 'insufficient buying power',
  }
  const missing = {
    cause: '404',
    method: 'GET',
    path: '/v2/positions/F',
    status: 404,
    message: 'not found',
    count: 9,
  }
  const runs = [
    seedRunOf('1', summary(5)),
    seedRunOf('2', summary(-3, { refusals: [{ ...refusal, count: 2 }], orders: { rejected: 1, filled: 4 } })),
    seedRunOf('3', summary(-1, { refusals: [{ ...refusal, count: 1 }, missing], exit_code: 1 })),
    silentRun('4', 70),
  ]
  const all = summarize(runs, (seed) => `again ${seed}`)
  assert.deepEqual(all.worst, { seed: '2', profit_loss: -3, command: 'again 2' })
  assert.deepEqual([all.failed, all.profitable], [['3', '4'], 1])
  assert.deepEqual(all.violations, { 'order rejected': 1, '403 insufficient buying power': 3 })
  assert.equal(runs[1]!.orders, 5)
})

test('a mean whose interval has zero is not different from zero, and a few seeds do not say', () => {
  const of = (profits: readonly number[]) =>
    summarize(
      profits.map((profit, index) => seedRunOf(String(index), summary(profit))),
      () => '',
    )
  const up = of([3, 4, 5, 4, 6, 2, 5, 4, 3, 4])
  assert.equal(up.is_different_from_zero, true)
  assert.ok(up.mean_between.low > 3 && up.mean_between.low < 4 && up.mean_between.high < 5)
  assert.equal(of([30, -40, 5, -4, 60, -20, 5, 4, -30, 4]).is_different_from_zero, false)
  assert.equal(of([3, 4, 5]).is_different_from_zero, false)
})
