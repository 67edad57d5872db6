import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statisticsOf } from './statistics.ts'

const days = (...equities: readonly number[]) =>
  equities.map((equity, index) => ({ at: `2026-01-${String(index + 1).padStart(2, '0')}T21:00:00Z`, equity }))

test('the largest drawdown is the largest fall from an earlier peak', () => {
  assert.equal(statisticsOf(days(100, 120, 90, 130, 117)).maxDrawdown, 0.25)
  assert.equal(statisticsOf(days(100, 110, 120)).maxDrawdown, 0)
})

test('the Sharpe ratio uses the last equity of each day, and needs five returns that differ', () => {
  // Returns of 10, -10, 10, -10 and 10 percent: mean 0.02, sample deviation 0.109545.
  const curve = days(100, 110, 99, 108.9, 98.01, 107.811)
  assert.equal(
    statisticsOf(curve).sharpe?.toFixed(4),
    (Math.sqrt(252) * (0.02 / Math.sqrt(0.012))).toFixed(4),
  )
  const withinDay = curve.flatMap((point) => [{ at: point.at.replace('21:', '15:'), equity: 1 }, point])
  assert.equal(statisticsOf(withinDay).sharpe, statisticsOf(curve).sharpe)
  assert.equal(statisticsOf(curve.slice(1)).sharpe, undefined)
  assert.equal(statisticsOf(days(1, 1, 1, 1, 1, 1)).sharpe, undefined)
})
