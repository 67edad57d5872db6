import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode, encode } from '@quipu/core'
import fc from 'fast-check'
import { columnOf, numbersOf, textOf, valuesOf } from './columns.ts'

const ids = Array.from({ length: 300 }, (_, row) => `id ${row}`)

for (const [what, values, form] of [
  ['one value throughout', [5n, 5n, 5n], 'same'],
  ['few texts', ['buy', 'sell', 'buy'], 'few'],
  ['many texts', ids, 'list'],
  ['bigints', [1n, -2n, 2n ** 63n - 1n, -(2n ** 63n)], 'integers'],
  ['bigints of more than 64 bits', [1n, 2n ** 63n], 'list'],
  ['values of some rows', [undefined, 7n, undefined, 9n], 'rows'],
  ['no values', [undefined, undefined], 'rows'],
  ['flags', [true, false], 'list'],
  ['text that looks encoded', ['~1', '~~', ''], 'few'],
] as const)
  test(`${what}: encoded as ${form} and decoded unchanged`, () => {
    const column = columnOf(values)
    assert.ok(form in column, JSON.stringify(Object.keys(column)))
    assert.deepEqual(valuesOf(decode(encode(column)) as never, values.length), values)
  })

test('a column that equals another refers to it', () => {
  const before = [[1n, 2n], ids]
  assert.deepEqual(columnOf([1n, 2n], before), { as: 0 })
  assert.equal(valuesOf({ as: 1 }, ids.length, before), ids)
})

test('any values are decoded unchanged', () => {
  const value = fc.oneof(fc.bigInt(), fc.string(), fc.boolean(), fc.constant(undefined))
  fc.assert(
    fc.property(fc.array(value), (values) => {
      const text = encode(columnOf(values))
      assert.deepEqual(valuesOf(decode(text) as never, values.length), values)
    }),
  )
})

test('numbers are decoded unchanged', () => {
  const numbers = [0, 1, 4_294_967_295]
  assert.deepEqual([...numbersOf(textOf(numbers))], numbers)
})
