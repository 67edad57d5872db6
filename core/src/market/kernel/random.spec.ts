import assert from 'node:assert/strict'
import test from 'node:test'
import { exponential } from './factors/exponential.ts'
import { keyOf, mix, normal, uniform } from './random.ts'

const DRAWS = 100_000
const draws = (make: (key: number, draw: number) => number): number[] =>
  Array.from({ length: DRAWS }, (_, index) => make(mix(keyOf('dice'), index), index % 7))
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

test('uniform draws fill 0 to 1 evenly', () => {
  const values = draws(uniform)
  assert.ok(values.every((value) => value >= 0 && value < 1))
  for (let tenth = 0; tenth < 10; tenth++) {
    const count = values.filter((value) => Math.floor(value * 10) === tenth).length
    assert.ok(Math.abs(count / DRAWS - 0.1) < 0.005, `${tenth}: ${count}`)
  }
})

test('normal draws have mean 0 and variance 1', () => {
  const values = draws(normal)
  assert.ok(Math.abs(mean(values)) < 0.01)
  assert.ok(Math.abs(mean(values.map((value) => value * value)) - 1) < 0.02)
})

test('draws of neighbouring keys and numbers are uncorrelated', () => {
  const pairs = Array.from({ length: DRAWS }, (_, index) => normal(index, 1) * normal(index + 1, 1))
  const draws = Array.from({ length: DRAWS }, (_, index) => normal(index, 1) * normal(index, 2))
  assert.ok(Math.abs(mean(pairs)) < 0.015)
  assert.ok(Math.abs(mean(draws)) < 0.015)
})

for (const [x, then] of [
  [0, 1],
  [1, Math.E],
  [-1, 0.36787944117144233],
  [0.5, 1.6487212707001282],
  [10, 22026.465794806718],
  [-20, 2.061153622438558e-9],
] as const)
  test(`e to the ${x} is ${then}`, () => assert.ok(Math.abs(exponential(x) / then - 1) < 1e-14))
