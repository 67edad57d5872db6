import assert from 'node:assert/strict'
import test from 'node:test'
import { bridgeOf } from './bridge.ts'
import { exponential } from './factors/exponential.ts'
import { draft } from './node.ts'
import { mix } from './random.ts'
import { arcVariance, decay, highest, minusLog, turnOf } from './walk.ts'

const DRAWS = 20_000

for (const x of [0, 0.1, 1, 2, 4])
  test(`decay(${x}) matches the exponential function`, () =>
    assert.ok(Math.abs(decay(x) / exponential(-x) - 1) < 0.02))

for (const x of [0.001, 0.1, 0.5, 1, 3, 20])
  test(`minusLog inverts the exponential function at ${x}`, () =>
    assert.ok(Math.abs(minusLog(exponential(-x)) - x) < 0.0002))

// Mean and spread of the high of 20,000 walks of 1024 steps and deviation 1 that start at 0, for a close and a deviation
// of the average from the middle of the ends.
for (const [close, off, mean, spread] of [
  [0, -0.6, 0.184, 0.112],
  [0, -0.3, 0.314, 0.137],
  [0, 0, 0.585, 0.143],
  [0, 0.3, 0.942, 0.152],
  [1, -0.3, 1.147, 0.12],
  [1, 0, 1.264, 0.162],
  [1, 0.3, 1.535, 0.173],
  [1, 0.6, 1.896, 0.174],
  [2, 0, 2.175, 0.135],
  [2, 0.6, 2.572, 0.195],
] as const)
  test(`a walk from 0 to ${close}, its average ${off} off, has its high at ${mean} ± ${spread}`, () => {
    const turn = turnOf(0, close, off)
    const draw = (index: number): number =>
      highest(0, turn, close, arcVariance(1), Number.POSITIVE_INFINITY, mix(7, index), 0)
    const found = Array.from({ length: DRAWS }, (_, index) => draw(index))
    const middle = found.reduce((sum, value) => sum + value, 0) / DRAWS
    const square = found.reduce((sum, value) => sum + (value - middle) * (value - middle), 0) / DRAWS
    assert.ok(Math.abs(middle - mean) < 0.08, `${middle}`)
    assert.ok(Math.abs(Math.sqrt(square) - spread) < 0.05, `${Math.sqrt(square)}`)
  })

test('a walk limited by a level stays below it', () => {
  for (let index = 0; index < DRAWS; index++) assert.ok(highest(0, 3, 1, 25, 3.5, mix(8, index), 0) <= 3.5)
})

test('the expected middle of a walk deviates 1.5 times as far as its average', () => {
  const node = draft(0, 2, 1, 2)
  Object.assign(node, { trades: 100, volume: 1000, open: 0, close: 80, deviation: 40, turnover: 50_000 })
  const left = Object.assign(draft(0, 1, 3, 4), { trades: 50, volume: 500 })
  const { chord, sum, slope, middleSpread, part, spread } = bridgeOf(node, left)
  assert.deepEqual([chord, sum, part], [40, 10, 0.5])
  assert.ok(Math.abs(slope - 1.5) < 1e-12)
  assert.ok(Math.abs(middleSpread - 10) < 1e-12)
  assert.ok(Math.abs(spread - 40 / Math.sqrt(192)) < 1e-12)
})
