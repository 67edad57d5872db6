import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statisticsOf } from './statistics.ts'

const days = (...equities: readonly number[]) =>
  equities.map((equity, index) => ({ at: `2026-01-${String(index + 1).padStart(2, '0')}T21:00:00Z`, equity }))

test('the largest drawdown is the largest fall from an earlier peak', () => {
  assert.equal(statisticsOf(days(100, 120, 90, 130, 117)).maxDrawdown, 0.25)
  assert.equal(statisticsOf(days(100, 110, 120)).maxDrawdown, 0)
})

test('the Sharpe ratio uses the last equity of each day, and needs twenty returns that differ', () => {
  // 21 returns of 10, -10, 10, … percent. The ratio is from Python: 252 ** 0.5 * mean / stdev.
  const curve = days(...alternating(22))
  assert.equal(statisticsOf(curve).sharpe?.toFixed(4), '0.7385')
  const withinDay = curve.flatMap((point) => [{ at: point.at.replace('21:', '15:'), equity: 1 }, point])
  assert.equal(statisticsOf(withinDay).sharpe, statisticsOf(curve).sharpe)
  assert.notEqual(statisticsOf(days(...alternating(21))).sharpe, undefined)
  assert.equal(statisticsOf(days(...alternating(20))).sharpe, undefined)
  assert.equal(statisticsOf(days(...new Array<number>(22).fill(1))).sharpe, undefined)
})

/** Equities that rise and fall by ten percent in turn. */
function alternating(count: number): readonly number[] {
  const equities = [100]
  for (let day = 1; day < count; day += 1) equities.push(equities[day - 1]! * (day % 2 === 1 ? 1.1 : 0.9))
  return equities
}
