import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimal, isAtLeastOne, isPositive, plainDecimal } from './decimal.ts'
import type { Problem } from './shape.ts'

const rows: readonly [value: unknown, then: string | undefined][] = [
  ['1', '1'],
  ['1.0', '1'],
  [1.0, '1'],
  [3, '3'],
  [187.5, '187.5'],
  ['0.50', '0.5'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['007', '7'],
  ['+2', '2'],
  ['-2.50', '-2.5'],
  ['-0', '0'],
  ['-0.0', '0'],
  ['0', '0'],
  ['000', '0'],
  [1e-7, '0.0000001'],
  ['1e-7', '0.0000001'],
  ['1.5E3', '1500'],
  ['12.345e1', '123.45'],
  ['1e2', '100'],
  ['0.1e-1', '0.01'],
  [1e21, undefined],
  ['1e14', '100000000000000'],
  ['1e15', undefined],
  ['999999999999999', '999999999999999'],
  ['1000000000000000', undefined],
  ['999999999999999.999999999', '999999999999999.999999999'],
  ['0000000000000000000001', '1'],
  ['1e999', undefined],
  ['12,5', undefined],
  ['', undefined],
  ['.', undefined],
  ['-', undefined],
  ['1 ', undefined],
  ['0x10', undefined],
  ['1_000', undefined],
  ['NaN', undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [true, undefined],
  [null, undefined],
  [['1'], undefined],
  ['1'.repeat(65), undefined],
]

for (const [value, then] of rows) {
  test(`${JSON.stringify(value)} is the decimal ${then}`, () => assert.equal(plainDecimal(value), then))
}

test('a decimal that is cut rounds toward zero', () => {
  const problems: Problem[] = []
  const cut = decimal({ decimals: 2, excess: 'cut' })
  for (const [value, kept] of [
    ['1.239', '1.23'],
    ['1.2', '1.2'],
    ['1.101', '1.1'],
    ['1.009', '1'],
    ['0.009', '0'],
    ['-0.009', '0'],
    ['-1.999', '-1.99'],
  ])
    assert.equal(cut.parse(value, 'qty', problems), kept)
  assert.deepEqual(problems, [])
})

test('a decimal with too many decimals is refused, trailing zeros are not counted', () => {
  const problems: Problem[] = []
  assert.equal(decimal({ decimals: 2 }).parse('1.2300', 'qty', problems), '1.23')
  assert.equal(problems.length, 0)
  decimal({ decimals: 2 }).parse('1.234', 'qty', problems)
  assert.equal(problems[0]?.message, 'qty: expected at most 2 decimals, received "1.234"')
})

test('positive and at least one', () => {
  assert.deepEqual(['0', '-1', '0.1', '2'].map(isPositive), [false, false, true, true])
  assert.deepEqual(['0', '-1', '0.99', '1', '10.5'].map(isAtLeastOne), [false, false, false, true, true])
})

test('plain text stays unchanged, and any double keeps its value', () => {
  fc.assert(
    fc.property(fc.double({ min: -9e14, max: 9e14, noNaN: true }), (number) => {
      const plain = plainDecimal(number)
      assert.ok(plain !== undefined || Math.abs(number) < 1e-40)
      if (plain === undefined) return
      assert.match(plain, /^-?\d+(\.\d+)?$/)
      assert.equal(Number(plain), number === 0 ? 0 : number)
      if (plain.length <= 64) assert.equal(plainDecimal(plain), plain)
    }),
  )
})
