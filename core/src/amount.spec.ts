import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import {
  costInCents,
  divide,
  format,
  formatQuotient,
  isWhole,
  type Money,
  type Price,
  parseDecimal,
  type Quantity,
  share,
  UNIT,
  worthOf,
} from './amount.ts'
import { ok } from './result.ts'

for (const [text, then] of [
  ['0', 0n],
  ['1', UNIT],
  ['-1.5', -1_500_000_000n],
  ['+2', 2_000_000_000n],
  ['.5', 500_000_000n],
  ['5.', 5_000_000_000n],
  ['0.000000001', 1n],
  ['1.0000000000000', UNIT],
  ['999999999999999', 999_999_999_999_999n * UNIT],
  ['0.0000000001', 'tooManyDecimals'],
  ['', 'notADecimal'],
  ['.', 'notADecimal'],
  ['-', 'notADecimal'],
  ['1e5', 'notADecimal'],
  ['1,000', 'notADecimal'],
  [' 1', 'notADecimal'],
  ['1 ', 'notADecimal'],
  ['0x10', 'notADecimal'],
  ['NaN', 'notADecimal'],
  ['1000000000000000', 'notADecimal'],
  ['١', 'notADecimal'],
] as const)
  test(`"${text}" is ${then}`, () => {
    const parsed = parseDecimal(text)
    assert.equal(parsed.ok ? parsed.value : parsed.reason, then)
  })

for (const [amount, then] of [
  [0n, '0'],
  [1_500_000_000n, '1.5'],
  [-1n, '-0.000000001'],
  [100n * UNIT, '100'],
] as const)
  test(`${amount} billionths are formatted ${then}`, () => assert.equal(format(amount), then))

/** Amounts that a double represents exactly, larger amounts, and round amounts of both. */
const anyAmount = fc.oneof(
  fc.bigInt({ min: 10n ** 14n, max: 10n ** 15n - 1n }),
  fc.bigInt({ min: -(10n ** 23n), max: 10n ** 23n }),
  fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }),
  fc.bigInt({ min: 2n ** 53n - 10n, max: 2n ** 53n + 10n }),
  fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }).map((cents) => cents * 10_000_000n),
  fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 6n }), fc.integer({ min: 0, max: 14 }))
    .map(([n, zeros]) => n * 10n ** BigInt(zeros)),
)

test('an amount is formatted with its digits, without trailing zeros, and parsed from them', () => {
  fc.assert(
    fc.property(anyAmount, (amount) => {
      const digits = String(amount < 0n ? -amount : amount).padStart(10, '0')
      const places = digits.slice(-9).replace(/0+$/, '')
      const plain = `${amount < 0n ? '-' : ''}${digits.slice(0, -9)}${places === '' ? '' : `.${places}`}`
      assert.equal(format(amount), plain)
      assert.deepEqual(parseDecimal(plain), ok(amount))
    }),
    { numRuns: 2_000 },
  )
})

test('the cash of a fill is price times quantity in whole cents, its worth the exact product, with every rounding', () => {
  const wholeShares = fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }).map((count) => count * UNIT)
  fc.assert(
    fc.property(
      anyAmount,
      fc.oneof(anyAmount, wholeShares),
      fc.constantFrom('up' as const, 'down' as const, 'nearest' as const),
      (price, quantity, rounding) => {
        const cents = divide(price * quantity, UNIT * 10_000_000n, rounding) * 10_000_000n
        assert.equal(costInCents(price as Price, quantity as Quantity, rounding), cents)
        const worth = divide(price * quantity, UNIT, rounding)
        assert.equal(worthOf(price as Price, quantity as Quantity, rounding), worth)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('a formatted amount parses to the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 23n), max: 10n ** 23n }), (amount) => {
      const parsed = parseDecimal(format(amount))
      assert.equal(parsed.ok && parsed.value, amount)
    }),
  )
})

for (const [value, by, rounding, then] of [
  [7n, 2n, 'up', 4n],
  [7n, 2n, 'down', 3n],
  [7n, 2n, 'nearest', 4n],
  [-7n, 2n, 'up', -4n],
  [-7n, 2n, 'down', -3n],
  [-7n, 2n, 'nearest', -4n],
  [7n, -2n, 'down', -3n],
  [-7n, -2n, 'up', 4n],
  [5n, 3n, 'nearest', 2n],
  [4n, 3n, 'nearest', 1n],
  [6n, 3n, 'up', 2n],
  [0n, 3n, 'up', 0n],
] as const)
  test(`${value} / ${by} ${rounding} is ${then}`, () => assert.equal(divide(value, by, rounding), then))

for (const [value, by, then] of [
  ['1000', '3', '333.3333333333333333'],
  ['2000', '3', '666.6666666666666667'],
  ['-1000', '-3', '333.3333333333333333'],
  ['-1', '8', '-0.125'],
  ['1', '1000', '0.001'],
  ['500', '5', '100'],
  ['0', '7', '0'],
  ['-0.000000001', '999999999', '0'],
] as const)
  test(`${value} divided by ${by} is formatted ${then}`, () =>
    assert.equal(formatQuotient(amount(value), amount(by), 16), then))

const price = (text: string): Price => amount(text) as Price
const quantity = (text: string): Quantity => amount(text) as Quantity
function amount(text: string): bigint {
  const parsed = parseDecimal(text)
  assert.ok(parsed.ok)
  return parsed.value
}

for (const [each, count, rounding, cents, exact] of [
  ['10.01', '3', 'up', '30.03', '30.03'],
  ['10.005', '1', 'up', '10.01', '10.005'],
  ['10.005', '1', 'down', '10', '10.005'],
  ['0.0001', '1', 'up', '0.01', '0.0001'],
  ['0.0001', '1', 'down', '0', '0.0001'],
  ['33.33', '0.333333333', 'up', '11.11', '11.109999988'],
] as const)
  test(`${count} at ${each} cost ${cents} rounded ${rounding}`, () => {
    assert.equal(format(costInCents(price(each), quantity(count), rounding)), cents)
    assert.equal(format(worthOf(price(each), quantity(count), 'down')), exact)
  })

test('a share of an amount uses the requested rounding', () => {
  assert.equal(share(10n as Money, 1n, 3n, 'up'), 4n)
  assert.equal(share(10n as Money, 1n, 3n, 'down'), 3n)
})

test('isWhole distinguishes whole and fractional shares', () => {
  assert.equal(isWhole(quantity('3')), true)
  assert.equal(isWhole(quantity('3.000000001')), false)
})
