import assert from 'node:assert/strict'
import test from 'node:test'
import {
  amount,
  boolean,
  date,
  hex,
  id,
  instant,
  integer,
  list,
  map,
  nullable,
  number,
  oneOf,
  oneOfOr,
  optional,
  pattern,
  record,
  type Schema,
  text,
  tuple,
  union,
} from '@quipu/core'
import fc from 'fast-check'
import { anyText } from '../../../core/src/testing/any-text.ts'
import { EntryParts } from '../journal/group.ts'
import { codecOf } from './codec.ts'
import { BinaryReader, UnreadableRecord } from './reader.ts'
import { BinaryWriter } from './writer.ts'

const reader = new BinaryReader()

function bytesOf<Value>(schema: Schema<Value>, value: Value): Buffer {
  const writer = new BinaryWriter()
  writer.part((part) => codecOf(schema).write(part, value))
  return new EntryParts(Buffer.from(writer.bytes.subarray(0, writer.end))).next()
}

const readFrom = <Value>(schema: Schema<Value>, bytes: Buffer): Value => reader.record(codecOf(schema), bytes)

const hexOf = <Value>(schema: Schema<Value>, value: Value): string => bytesOf(schema, value).toString('hex')

const bigint = fc.oneof(
  fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n }),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
  fc.integer().map((units) => BigInt(units) * 1_000_000_000n),
  fc.integer().map((cents) => BigInt(cents) * 10_000_000n),
  fc.integer({ min: -300, max: 300 }).map(BigInt),
  ...[8n, 16n, 24n, 32n, 40n, 48n, 53n, 56n, 63n, 64n, 127n, 128n].map((bits) =>
    fc.constantFrom(2n ** bits, 2n ** bits - 1n, -(2n ** bits), -(2n ** bits) - 1n, 2n ** (bits - 1n)),
  ),
)
const anyString = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '\ud800', '\udc00', 'é') }),
  anyText(),
  fc.string({ minLength: 60, maxLength: 200 }),
)
const anyDate = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10))

const cases: readonly (readonly [name: string, schema: Schema, values: fc.Arbitrary<unknown>])[] = [
  ['text', text(), anyString],
  [
    'id',
    id(),
    fc.oneof(
      fc.uuid(),
      anyString,
      fc.uuid().map((uuid) => uuid.toUpperCase()),
    ),
  ],
  ['hex', hex(), fc.oneof(fc.string({ unit: fc.constantFrom(...'0123456789abcdef') }), anyString)],
  ['amount', amount(), bigint],
  ['instant', instant(), bigint],
  ['date', date(), anyDate],
  ['integer', integer(), fc.maxSafeInteger()],
  ['number', number(), fc.double()],
  ['boolean', boolean(), fc.boolean()],
  [
    'pattern',
    pattern('street', 'custody:*', 'customer:*:settled'),
    fc.constantFrom('street', 'custody:x', 'customer:1:settled'),
  ],
  ['one of', oneOf('a', 2, true), fc.constantFrom('a', 2, true)],
  [
    'one of or',
    oneOfOr(['a'], record({ b: amount() })),
    fc.oneof(fc.constant('a'), fc.record({ b: bigint })),
  ],
  ['nullable', nullable(text()), fc.option(anyString)],
  ['list', list(instant()), fc.array(bigint)],
  ['list of small instants', list(instant()), fc.array(fc.integer({ min: -3, max: 6 }).map(BigInt))],
  ['tuple', tuple(text(), amount()), fc.tuple(anyString, bigint)],
  ['map', map(id(), amount()), fc.array(fc.tuple(anyString, bigint)).map((entries) => new Map(entries))],
  [
    'union',
    union('kind', { split: { rate: amount() }, none: {}, other: { text: optional(text()) } }),
    fc.oneof(
      fc.record({ kind: fc.constant('split'), rate: bigint }),
      fc.constant({ kind: 'none' }),
      fc.record({ kind: fc.constant('other'), text: anyString }, { requiredKeys: ['kind'] }),
    ),
  ],
  [
    'record',
    record({
      at: instant(),
      who: id(),
      other: optional(id()),
      nested: optional(record({ who: id(), days: list(date()), at: optional(instant()) })),
      ids: list(id()),
    }),
    fc.record(
      {
        at: bigint,
        who: fc.uuid(),
        other: anyString,
        nested: fc.record(
          { who: fc.constantFrom('a', 'b'), days: fc.array(anyDate), at: bigint },
          { requiredKeys: ['who', 'days'] },
        ),
        ids: fc.array(fc.constantFrom('a', 'b', 'c', '0f0e0d0c-0b0a-0908-0706-050403020100')),
      },
      { requiredKeys: ['at', 'who', 'ids'] },
    ),
  ],
]

for (const [name, schema, values] of cases)
  test(`${name}: reading returns the written value`, () => {
    fc.assert(
      fc.property(values, (value) => {
        const plain = structuredClone(value)
        assert.deepEqual(readFrom(schema, bytesOf(schema, plain)), plain)
      }),
      { numRuns: 500 },
    )
  })

test('records in one buffer are read one by one', () => {
  const codec = codecOf(record({ who: id(), at: instant() }))
  const values = ['AAPL', 'AAPL', 'x'.repeat(300)].map((who, index) => ({ who, at: BigInt(1 + index) }))
  const bytes = new BinaryWriter().records(codec, values)
  assert.deepEqual(reader.records(codec, bytes), values)
  assert.deepEqual(reader.records(codec, bytes.subarray(0, 0)), [])
  assert.throws(() => reader.records(codec, bytes.subarray(0, -1)), UnreadableRecord)
})

test('the same value has the same bytes, as documented', () => {
  assert.equal(hexOf(text(), 'Ño'), '06c3916f')
  assert.equal(hexOf(text(), '\ud800'), '0500d8')
  assert.equal(hexOf(id(), '0f0e0d0c-0b0a-0908-0706-050403020100'), '000f0e0d0c0b0a09080706050403020100')
  assert.equal(hexOf(id(), 'AAPL'), '01084141504c')
  assert.equal(hexOf(list(id()), ['AAPL', 'USD', 'USD', 'AAPL']), '0401084141504c010655534403' + '02')
  assert.equal(hexOf(hex(), '00ff'), '0400ff')
  assert.equal(hexOf(hex(), 'ab'.repeat(63)), `7e${'ab'.repeat(63)}`)
  assert.equal(hexOf(hex(), 'ab'.repeat(64)), `8001${'ab'.repeat(64)}`)
  assert.equal(readFrom(hex(), bytesOf(hex(), 'ab'.repeat(64))), 'ab'.repeat(64))
  assert.equal(hexOf(hex(), '00FF'), '010830304646')
  assert.equal(hexOf(amount(), 0n), '00')
  assert.equal(hexOf(amount(), 1n), '0101')
  assert.equal(hexOf(amount(), -1n), '01ff')
  assert.equal(hexOf(amount(), 128n), '028000')
  assert.equal(hexOf(amount(), 150_250_000_000n), '42b13a')
  assert.equal(hexOf(amount(), 100_000_000_000n), '8164')
  assert.equal(hexOf(amount(), 2n ** 64n), '09000000000000000001')
  assert.equal(hexOf(list(instant()), [1000n, 1000n, 1001n, 0n]), '0402e80300010102' + '18fc')
  assert.equal(hexOf(date(), '2026-11-02'), 'e2aa3f')
  assert.equal(hexOf(integer(), 300), '022c01')
  assert.equal(hexOf(number(), 1.5), '000000000000f83f')
  assert.equal(hexOf(oneOf('a', 'b'), 'b'), '01')
  assert.equal(
    hexOf(record({ a: optional(boolean()), b: boolean(), c: optional(boolean()) }), { b: true, c: false }),
    '020100',
  )
  assert.equal(hexOf(nullable(boolean()), null), '00')
  assert.equal(hexOf(nullable(boolean()), true), '0101')
})

test('a field that is added at the end does not change how earlier records are read', () => {
  const before = record({ a: text(), b: optional(text()) })
  const after = record({ a: text(), b: optional(text()), c: optional(text()) })
  for (const value of [{ a: 'x' }, { a: 'x', b: 'y' }])
    assert.deepEqual(readFrom(after, bytesOf(before, value)), value)
})

test('a record may have many optional fields', () => {
  const names = Array.from({ length: 52 }, (_, index) => `field${index}`)
  const schema = record(Object.fromEntries(names.map((name) => [name, optional(integer())]))) as Schema
  for (const name of names) assert.deepEqual(readFrom(schema, bytesOf(schema, { [name]: 7 })), { [name]: 7 })
  const all = Object.fromEntries(names.map((name, index) => [name, index]))
  assert.deepEqual(readFrom(schema, bytesOf(schema, all)), all)
})

test('bytes of another record are refused, not misread', () => {
  const schema = record({ name: text(), ids: list(id()), side: oneOf('buy', 'sell') })
  const bytes = bytesOf(schema, { name: 'x', ids: ['a', 'b'], side: 'sell' })
  for (let end = 0; end < bytes.length; end++)
    assert.throws(() => readFrom(schema, bytes.subarray(0, end)), UnreadableRecord)
  assert.throws(() => readFrom(schema, Buffer.concat([bytes, Buffer.from([0])])), UnreadableRecord)
  assert.throws(() => readFrom(oneOf('buy', 'sell'), Buffer.from([2])), /unknown value 2/)
  assert.throws(() => readFrom(list(id()), Buffer.from([1, 9])), /repeats one that is not there/)
  assert.throws(() => readFrom(list(boolean()), Buffer.from([255, 255, 3])), /does not fit/)
})

test('a value that cannot be stored exactly is refused', () => {
  assert.throws(() => bytesOf(oneOf('buy', 'sell') as Schema, 'hold'), /bug: hold is not one of buy, sell/)
  assert.throws(() => bytesOf(pattern('street'), 'avenue'), /bug: avenue has none/)
  assert.throws(() => bytesOf(integer(), 1.5), /bug: 1.5 cannot/)
  assert.throws(() => bytesOf(amount(), 2n ** 600n), /bug: an amount of/)
})
