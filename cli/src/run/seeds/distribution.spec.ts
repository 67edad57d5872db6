import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunSummary } from '../report/measure.ts'
import { seedRunOf, silentRun, summarize } from './distribution.ts'

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
