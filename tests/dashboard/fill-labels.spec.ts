import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeLabels } from '../../web/src/chart/fill-labels.ts'

const plot = { width: 300, height: 200 }
const buy = { left: 100, top: 100, isBuy: true, text: '45' }
const sale = { left: 100, top: 30, isBuy: false, text: '25' }

test('the quantity of a fill is behind its arrow', () => {
  const [below, above] = placeLabels([buy, { ...sale, left: 200, top: 100 }], 12, plot, [])
  assert.ok(below!.top > 100 + 12 && below!.left < 100 && below!.left + below!.width > 100)
  assert.ok(above!.top + above!.height < 100 - 12)
})

test('the quantity of a fill near the name of an event is beside its arrow, or before it', () => {
  const name = { left: 30, top: 0, width: 75, height: 20 }
  const [right] = placeLabels([sale], 12, plot, [name])
  assert.ok(right!.left >= 105)
  const [left] = placeLabels([{ ...sale, left: 290 }], 12, plot, [{ ...name, left: 285 }])
  assert.ok(left!.left + left!.width <= 285)
  const [before] = placeLabels([sale], 12, plot, [{ ...name, width: 200 }])
  assert.ok(before!.top > sale.top)
})

test('quantities never cover each other, and the newest fill has its own first', () => {
  const fills = Array.from({ length: 40 }, (_, index) => ({ ...buy, left: 100 + index * 3 }))
  const labels = placeLabels(fills, 6, plot, [])
  const placed = labels.flatMap((one) => one ?? [])
  for (const [at, a] of placed.entries())
    for (const b of placed.slice(at + 1))
      assert.ok(
        a.left + a.width <= b.left ||
          b.left + b.width <= a.left ||
          a.top + a.height <= b.top ||
          b.top + b.height <= a.top,
      )
  assert.ok(labels.at(-1) && placed.length < fills.length)
})
