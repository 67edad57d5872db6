import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random } from '../support/random.ts'
import { groupMinimums, growthPerHour, laterHalf, median, type Series } from './verdict.ts'

const MINUTE_MS = 60_000
const hour = (valueAt: (minute: number) => number): Series =>
  Array.from({ length: 61 }, (_, minute) => ({ at: minute * MINUTE_MS, value: valueAt(minute) }))

for (const [name, series, growth] of [
  ['a constant', hour(() => 20), 0],
  ['a warm-up of ten minutes, then a constant', hour((minute) => 20 + Math.min(10, minute)), 0],
  ['a sawtooth', hour((minute) => 20 + (minute % 5)), 0],
  ['one outlier at the very end', hour((minute) => (minute === 60 ? 500 : 20)), 0],
  ['a slow leak', hour((minute) => 20 + minute / 60), 1],
  ['a leak under a sawtooth', hour((minute) => 20 + minute / 10 + (minute % 5)), 6],
] as const)
  test(`${name} grows by ${growth} an hour in its later half`, () => {
    assert.equal(Math.round(growthPerHour(laterHalf(series)) * 10) / 10, growth)
  })

/** A sample every half minute, with buffers that exist only at some samples. */
const halfMinutes = (baseAt: (minute: number) => number): Series => {
  const random = new Random('passing')
  return Array.from({ length: 121 }, (_, index) => ({
    at: (index * MINUTE_MS) / 2,
    value: baseAt(index / 2) + random.pick([0, 0, 1, 2, 7]),
  }))
}

for (const [name, series, growth] of [
  ['a constant with temporary buffers', halfMinutes(() => 12), 0],
  ['a leak with temporary buffers', halfMinutes((minute) => 12 + minute / 10), 6],
] as const)
  test(`by its minimums, ${name} grows by about ${growth} an hour`, () => {
    const found = growthPerHour(laterHalf(groupMinimums(series)))
    assert(Math.abs(found - growth) < 0.5, String(found))
  })

test('the median does not depend on the order', () => assert.equal(median([9, 1, 5]), 5))
