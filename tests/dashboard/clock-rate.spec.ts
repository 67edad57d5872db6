import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClockSample, rateOf } from '../../web/src/live/clock-rate.ts'

const sample = (world: string, nowMs: number, atMs: number): ClockSample => ({
  world,
  isVirtual: world !== 'main',
  speed: 1,
  nowMs,
  atMs,
})

/** A message that arrived in time, then two that had waited together. */
const rates = (world: string): readonly number[] =>
  [sample(world, 0, 0), sample(world, 50, 1500), sample(world, 60, 1501)].map(rateOf)

test('a wall clock goes on at its speed after two late messages', () => {
  assert.deepEqual(rates('main'), [1, 1, 1])
})

test('a virtual clock has the speed that was measured, because the server may be slower than requested', () => {
  const [first, ...later] = rates('lab')
  assert.equal(first, 1)
  for (const rate of later) assert.ok(rate > 0 && rate < 0.05, `${rate}`)
})
