import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as reference from '@msgpack/msgpack'
import { type Instant, parseInstant } from '@quipu/core'
import fc from 'fast-check'
import { anyText } from '../../../core/src/testing/any-text.ts'
import {
  type Decoded,
  decodeMessagePack,
  Extension,
  encodeMessagePack,
  NotMessagePack,
  Timestamp,
} from './msgpack.ts'

const at = (text: string): Instant => {
  const instant = parseInstant(text)
  assert.ok(instant.ok)
  return instant.value
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const encodings: readonly (readonly [value: unknown, bytes: string])[] = [
  [0, '00'],
  [127, '7f'],
  [128, 'cc80'],
  [256, 'cd0100'],
  [402, 'cd0192'],
  [65_536, 'ce00010000'],
  [4_294_967_296, 'cf0000000100000000'],
  [-1, 'ff'],
  [-32, 'e0'],
  [-33, 'd0df'],
  [-129, 'd1ff7f'],
  [-32_769, 'd2ffff7fff'],
  [-2_147_483_649, 'd3ffffffff7fffffff'],
  [9_007_199_254_740_991, 'cf001fffffffffffff'],
  [1.5, 'cb3ff8000000000000'],
  [3.0, '03'],
  ['é', 'a2c3a9'],
  [null, 'c0'],
  [true, 'c3'],
  [[1, 'a'], '9201a161'],
  [{ T: 'b', S: 'A', left: undefined }, '82a154a162a153a141'],
  [new Uint8Array([1, 2]), 'c4020102'],
  [new Timestamp(at('2021-02-22T19:15:00Z')), 'd6ff603402b4'],
  [new Timestamp(at('2021-02-22T19:15:00.000000001Z')), 'd7ff00000004603402b4'],
  [new Timestamp(at('1969-12-31T23:59:59.5Z')), 'c70cff1dcd6500ffffffffffffffff'],
]

for (const [value, bytes] of encodings)
  test(`${value instanceof Timestamp ? value.toJSON() : String(value)} is encoded as ${bytes}`, () => {
    assert.equal(hex(encodeMessagePack(value)), bytes)
  })

const malformed: readonly (readonly [what: string, bytes: string])[] = [
  ['an empty message', ''],
  ['the unused byte', 'c1'],
  ['a text longer than the message', 'a5616263'],
  ['an array that claims four billion items', 'ddffffffff'],
  ['a map that claims four billion entries', 'dfffffffff'],
  ['bytes after the value', '0000'],
  ['text that is not UTF-8', 'a1ff'],
  ['an array as a key', '819001'],
  ['a timestamp of five bytes', 'c705ff0000000000'],
  ['a timestamp with two seconds of nanoseconds', 'd7fffffffffc00000000'],
  ['forty nested arrays', `${'91'.repeat(40)}00`],
]

for (const [what, bytes] of malformed)
  test(`${what} is refused`, () => {
    assert.throws(() => decodeMessagePack(Buffer.from(bytes, 'hex')), NotMessagePack)
  })

test('a key named __proto__ is an ordinary key', () => {
  const read = decodeMessagePack(reference.encode({ ['__proto__']: 1 })) as Record<string, unknown>
  assert.deepEqual(Object.keys(read), ['__proto__'])
})

test('an unknown extension is kept unchanged', () => {
  const read = decodeMessagePack(Buffer.from('d605deadbeef', 'hex'))
  assert.deepEqual(read, new Extension(5, new Uint8Array([0xde, 0xad, 0xbe, 0xef])))
})

const value = fc.letrec<{ any: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.integer({ min: -70_000, max: 70_000 }),
    fc.double({ noNaN: true }),
    anyText({ maxLength: 300 }),
    fc.uint8Array({ maxLength: 300 }),
  ),
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('any'), { maxLength: 18 }),
    fc.dictionary(
      anyText().filter((key) => key !== '__proto__'),
      tie('any'),
      { maxKeys: 18 },
    ),
  ),
})).any

/** The comparable form of a value: plain maps, bytes as hex, and one zero. */
function comparable(input: unknown): unknown {
  if (input instanceof Uint8Array) return { bytes: hex(input) }
  if (Array.isArray(input)) return input.map(comparable)
  if (typeof input === 'object' && input !== null)
    return Object.fromEntries(Object.entries(input).map(([key, item]) => [key, comparable(item)]))
  return Object.is(input, -0) ? 0 : input
}

test('decoding reverses encoding', () => {
  fc.assert(
    fc.property(value, (input) => {
      assert.deepEqual(comparable(decodeMessagePack(encodeMessagePack(input))), comparable(input))
    }),
  )
})

test('every instant is preserved to the nanosecond', () => {
  const instants = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n })
  fc.assert(
    fc.property(instants, (nanos) => {
      const bytes = encodeMessagePack(new Timestamp(nanos as Instant))
      assert.equal((decodeMessagePack(bytes) as Timestamp).at, nanos)
      const extension = reference.decodeTimestampToTimeSpec(bytes.subarray(bytes[0] === 0xc7 ? 3 : 2))
      assert.equal(BigInt(extension.sec) * 1_000_000_000n + BigInt(extension.nsec), nanos)
    }),
  )
})

test('integers beyond 2^53 are preserved', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), (input) => {
      assert.equal(BigInt(decodeMessagePack(reference.encode(input, { useBigInt64: true })) as bigint), input)
    }),
  )
})

test('random bytes are decoded or refused with NotMessagePack', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      let read: Decoded | undefined
      try {
        read = decodeMessagePack(bytes)
      } catch (error) {
        assert.ok(error instanceof NotMessagePack)
        return
      }
      assert.notEqual(read, undefined)
    }),
    { numRuns: 2_000 },
  )
})
