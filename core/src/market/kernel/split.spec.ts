import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { joinSpans, type Span } from '../history/span.ts'
import { draft, HALF_MIN, type Node, turnoverMax, turnoverMin, WRITE_OUT_MAX } from './node.ts'
import { foldPrints, writeFreely, writeOut } from './prints.ts'
import { split } from './split.ts'

const LENGTH = 60_000_000
const BLEND = { keys: [5], parts: [0.6], own: 0.8 }

/** Any valid node, with a turnover anywhere between its bounds (inclusive). */
const stretch = (least: number, most: number): fc.Arbitrary<Node> =>
  fc
    .record({
      key: fc.integer(),
      own: fc.integer(),
      trades: fc.integer({ min: least, max: most }),
      more: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 1_000_000 })),
      low: fc.integer({ min: 1, max: 100_000 }),
      range: fc.oneof(fc.constant(0), fc.constant(1), fc.integer({ min: 0, max: 2000 })),
      open: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
      close: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
      within: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
      deviation: fc.double({ min: 0.01, max: 500, noNaN: true }),
    })
    .map((fields) => {
      const node = draft(0, LENGTH, fields.key, fields.own)
      const at = (part: number): number => fields.low + Math.round(fields.range * part)
      Object.assign(node, {
        open: at(fields.open),
        high: fields.low + fields.range,
        low: fields.low,
        close: at(fields.close),
        trades: fields.trades,
        volume: fields.trades + fields.more,
        deviation: fields.deviation,
      })
      const [min, max] = [turnoverMin(node), turnoverMax(node)]
      node.turnover = min + Math.round((max - min) * fields.within)
      return node
    })

const shape = ({ open, high, low, close, volume, trades, turnover }: Span): readonly number[] => [
  open,
  high,
  low,
  close,
  volume,
  trades,
  turnover,
]

function isPossible(node: Node): boolean {
  return (
    node.trades >= HALF_MIN &&
    node.volume >= node.trades &&
    node.low <= Math.min(node.open, node.close) &&
    node.high >= Math.max(node.open, node.close) &&
    turnoverMin(node) <= node.turnover &&
    node.turnover <= turnoverMax(node)
  )
}

/** Splits a node until all trades are written out, and checks that each level folds into the one above. */
function check(node: Node): void {
  assert.ok(isPossible(node), JSON.stringify(node))
  if (node.trades <= WRITE_OUT_MAX) return checkPrints(node)
  const middle = node.start + Math.floor((node.end - node.start) / 2)
  const [left, right] = split(node, { middle, share: 0.5, spread: 0.35 }, BLEND)
  assert.deepEqual(shape(joinSpans(left, right)!), shape(node))
  if (left) assert.deepEqual([left.start, left.end], [node.start, middle])
  if (right) assert.deepEqual([right.start, right.end], [middle, node.end])
  if (left) check(left)
  if (right) check(right)
}

function checkPrints(node: Node): void {
  const prints = writeOut(node)
  assert.deepEqual(shape(foldPrints(prints, 0, node.trades)!), shape(node))
  assert.ok(prints.size.every((size) => size >= 1 && Number.isInteger(size)))
  assert.ok(
    prints.at.every((at, index) => at >= node.start && at < node.end && at > (prints.at[index - 1] ?? -1)),
  )
}

test('the written-out trades of a small node fold back into it, for any turnover', () =>
  fc.assert(fc.property(stretch(HALF_MIN, WRITE_OUT_MAX), checkPrints), { numRuns: 3000 }))

test('halves fold back into their node, down to the trades, for any turnover', () =>
  fc.assert(fc.property(stretch(WRITE_OUT_MAX + 1, 600), check), { numRuns: 1500 }))

test('a half has no trades or at least the minimum, for any share', () =>
  fc.assert(
    fc.property(stretch(WRITE_OUT_MAX + 1, 60), fc.double({ min: 0, max: 1, noNaN: true }), (node, share) => {
      const halves = split(node, { middle: LENGTH / 2, share, spread: 0.35 }, { keys: [], parts: [], own: 1 })
      assert.ok(halves.every((half) => half === undefined || isPossible(half)))
      assert.deepEqual(shape(joinSpans(halves[0], halves[1])!), shape(node))
    }),
    { numRuns: 2000 },
  ))

test('one trade is its own open, high, low and close', () => {
  const node = draft(0, LENGTH, 1, 2)
  Object.assign(node, { open: 100, high: 120, low: 90, close: 110, trades: 1, volume: 7, deviation: 9 })
  assert.deepEqual(shape(foldPrints(writeFreely(node), 0, 1)!), [110, 110, 110, 110, 7, 1, 770])
})
