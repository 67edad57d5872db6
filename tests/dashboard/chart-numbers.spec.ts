import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChartBar } from '../../web/src/chart/bar.ts'
import { fractionalIndex, instantAt } from '../../web/src/chart/chart-view.ts'
import {
  bollingerBands,
  dayVwap,
  exponentialAverage,
  relativeStrength,
  scaledCloses,
  simpleAverage,
  type Values,
} from '../../web/src/chart/indicators/indicators.ts'
import { firstOf, ranges } from '../../web/src/chart/ranges.ts'

/**
 * The wanted numbers were computed with Python from the definitions: sums of weights that are written out, and
 * `statistics.pstdev`. The closes are those of a well-known example of the relative strength index.
 */
const closes = [
  44.34, 44.09, 44.15, 43.61, 44.33, 44.83, 45.1, 45.42, 45.84, 46.08, 45.89, 46.03, 45.61, 46.28, 46.28, 46,
  46.03, 46.41, 46.22, 45.64,
]

const rounded = (values: Values): Values =>
  values.map((value) => (value === undefined ? undefined : Number(value.toFixed(6))))
const missing = (values: Values): number => values.filter((value) => value === undefined).length

test('a simple average is the mean of the last values', () => {
  const values = rounded(simpleAverage(closes, 5))
  assert.equal(missing(values), 4)
  assert.equal(values[4], 44.104)
  assert.deepEqual(values.slice(-4), [46.04, 46.2, 46.188, 46.06])
  assert.deepEqual(simpleAverage([1, 2], 5), [undefined, undefined])
  assert.deepEqual(simpleAverage([], 5), [])
})

test('an exponential average begins with the mean, and weighs each value 2 / (period + 1)', () => {
  const values = rounded(exponentialAverage(closes, 5))
  assert.equal(missing(values), 4)
  assert.deepEqual(values.slice(4, 6), [44.104, 44.346])
  assert.deepEqual(values.slice(-3), [46.151121, 46.17408, 45.996054])
})

test('Bollinger bands are at standard deviations of the same values', () => {
  const { upper, middle, lower } = bollingerBands(closes, 10, 2)
  assert.deepEqual(rounded(upper).slice(-3), [46.493397, 46.51972, 46.550347])
  assert.deepEqual(rounded(lower).slice(-3), [45.596603, 45.64628, 45.527653])
  assert.deepEqual([missing(upper), missing(middle), missing(lower)], [9, 9, 9])
})

test('the relative strength index is smoothed as Wilder did it', () => {
  const values = rounded(relativeStrength(closes, 14))
  assert.equal(missing(values), 14)
  assert.deepEqual(values.slice(14), [70.464135, 66.249619, 66.480942, 69.346853, 66.294713, 57.915021])
  assert.deepEqual(relativeStrength([1, 1, 1], 2), [undefined, undefined, 50])
  assert.deepEqual(relativeStrength([1, 2, 3], 2), [undefined, undefined, 100])
  assert.deepEqual(relativeStrength([3, 2, 1], 2), [undefined, undefined, 0])
})

const bar = (at: string, close: number, volume = 1, vwap = close): ChartBar => ({
  atMs: Date.parse(at),
  open: close,
  high: close,
  low: close,
  close,
  volume,
  vwap,
})

/** Two bars of a Friday, three of the Monday after it, in New York. */
const bars = [
  bar('2026-01-02T15:50:00-05:00', 100, 10),
  bar('2026-01-02T15:55:00-05:00', 103, 20),
  bar('2026-01-05T09:30:00-05:00', 110, 30),
  bar('2026-01-05T09:35:00-05:00', 114, 10),
  bar('2026-01-05T09:40:00-05:00', 120, 0),
]

test('VWAP begins again each day', () => {
  const { values, ends } = dayVwap(bars)
  // (100 × 10 + 103 × 20) / 30, then (110 × 30 + 114 × 10) / 40.
  assert.deepEqual(values, [100, 102, 110, 111, 111])
  assert.ok(ends.has(1))
  assert.ok(![0, 2, 3, 4].some((index) => ends.has(index)))
})

test('a compared symbol is equal at the left edge, and keeps its last close where it has no bar', () => {
  const others = [bar('2026-01-02T15:50:00-05:00', 50), bar('2026-01-05T09:35:00-05:00', 60)]
  assert.deepEqual(scaledCloses(bars, others, 0), [100, 100, 100, 120, 120])
  assert.deepEqual(rounded(scaledCloses(bars, others, 3)), [95, 95, 95, 114, 114])
  assert.deepEqual(scaledCloses(bars, [], 0), [undefined, undefined, undefined, undefined, undefined])
})

test('the night and the weekend take no width', () => {
  const index = (at: string) => fractionalIndex(bars, Date.parse(at))
  assert.equal(index('2026-01-05T09:30:00-05:00') - index('2026-01-02T15:55:00-05:00'), 1)
  const minutes = 60_000
  const at = (place: number) => new Date(instantAt(bars, place, 5 * minutes)).toISOString()
  assert.equal(at(0), '2026-01-02T20:50:00.000Z')
  // The middle of the last bar of Friday, the first one of Monday, and ten minutes after the newest.
  assert.equal(at(1.5), '2026-01-02T20:57:30.000Z')
  assert.equal(at(2), '2026-01-05T14:30:00.000Z')
  assert.equal(at(6), '2026-01-05T14:50:00.000Z')
  assert.equal(instantAt([], 3, minutes), 0)
})

test('ranges of days are sessions, longer ones days of the calendar', () => {
  const first = (label: string) => firstOf(ranges.find((one) => one.label === label)!, bars)
  assert.deepEqual(['1D', '5D', '1M', 'All'].map(first), [2, 0, 0, 0])
  const years = [bar('2024-06-03T00:00:00-04:00', 1), bar('2025-06-03T00:00:00-04:00', 1), ...bars]
  assert.equal(firstOf(ranges.find((one) => one.label === '1Y')!, years), 1)
  assert.equal(firstOf(ranges.find((one) => one.label === '3M')!, years), 2)
  assert.equal(firstOf(ranges.find((one) => one.label === 'All')!, years), 0)
})
