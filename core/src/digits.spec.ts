import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { digitsOf } from './orders/encode.ts'

const cases: readonly (readonly [string, fc.Arbitrary<bigint>])[] = [
  ['any number', fc.bigInt()],
  ['whole cents', fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }).map((cents) => cents * 10_000_000n)],
  ['whole units', fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }).map((units) => units * 1_000_000_000n)],
  [
    'numbers next to a whole unit',
    fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 8n }), fc.bigInt({ min: -2n, max: 2n }))
      .map(([n, by]) => n * 1_000_000_000n + by),
  ],
  ['numbers next to the largest exact double', fc.bigInt({ min: 2n ** 53n - 99n, max: 2n ** 53n + 99n })],
]

for (const [name, numbers] of cases)
  test(`digitsOf matches String for ${name}`, () => {
    fc.assert(
      fc.property(numbers, (number) => assert.equal(digitsOf(number), String(number))),
      { numRuns: 2000 },
    )
  })
