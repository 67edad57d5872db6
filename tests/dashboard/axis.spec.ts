import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axisText, axisValues, stepDecimals } from '../../web/src/parts/scale.ts'

for (const [low, high] of [
  [99_999.2, 100_001.4],
  [99_999.98, 100_000.06],
  [100_000, 120_000],
  [0.00012, 0.00019],
  [-3, 2],
  [1, 3.5],
] as const)
  test(`the lines of an axis from ${low} to ${high} have different labels`, () => {
    const values = axisValues(low, high, 5)
    const labels = values.map((value) => axisText(value, stepDecimals(values)))
    assert.ok(labels.length >= 3, labels.join())
    assert.equal(new Set(labels).size, labels.length, labels.join())
    for (const [row, label] of labels.entries())
      assert.ok(Math.abs(Number(label.replaceAll(',', '').replace('−', '-')) - values[row]!) < 1e-9, label)
  })
