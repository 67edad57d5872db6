import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random } from '../random.ts'
import { floors, growthPerHour, laterHalf, median, type Series } from './flat.ts'

const MINUTE_MS = 60_000
const hour = (valueAt: (minute: number) => number): Series =>
  Array.from({ length: 61 }, (_, minute) => ({ at: minute * MINUTE_MS, value: valueAt(minute) }))

for (const [what, series, growth] of [
  ['a level', hour(() => 20), 0],
  ['a warm-up of ten minutes, then a level', hour((minute) => 20 + Math.min(10, minute)), 0],
  ['a saw that always comes back', hour((minute) => 20 + (minute % 5)), 0],
  ['one outlier at the very end', hour((minute) => (minute === 60 ? 500 : 20)), 0],
  ['a slow leak', hour((minute) => 20 + minute / 60), 1],
  ['a leak under a saw', hour((minute) => 20 + minute / 10 + (minute % 5)), 6],
] as const)
  test(`${what} grows by ${growth} an hour in its later half`, () => {
    assert.equal(Math.round(growthPerHour(laterHalf(series)) * 10) / 10, growth)
  })

/** Half minutes, with buffers that are there now and then. */
const halfMinutes = (keptAt: (minute: number) => number): Series => {
  const random = new Random('passing')
  return Array.from({ length: 121 }, (_, index) => ({
    at: (index * MINUTE_MS) / 2,
    value: keptAt(index / 2) + random.pick([0, 0, 1, 2, 7]),
  }))
}

for (const [what, series, growth] of [
  ['what passes', halfMinutes(() => 12), 0],
  ['what is kept under what passes', halfMinutes((minute) => 12 + minute / 10), 6],
] as const)
  test(`by its floors, ${what} grows by about ${growth} an hour`, () => {
    const found = growthPerHour(laterHalf(floors(series)))
    assert(Math.abs(found - growth) < 0.5, String(found))
  })

test('the median is in the middle, whatever the order', () => assert.equal(median([9, 1, 5]), 5))
