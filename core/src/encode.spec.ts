import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { decode, encode } from './encode.ts'
import { anyText } from './testing/any-text.ts'

for (const [value, line] of [
  [1n, '"~1"'],
  [-12n, '"~-12"'],
  ['plain', '"plain"'],
  ['~1', '"~~1"'],
  ['~~', '"~~~"'],
  ['a "b"\n\\', '"a \\"b\\"\\n\\\\"'],
  ['é', '"é"'],
  [{ b: 1, a: [true, null, undefined === null] }, '{"b":1,"a":[true,null,false]}'],
  [{ absent: undefined, present: 0 }, '{"present":0}'],
  [{}, '{}'],
  [new Map([['k', 2n]]), '{"~map":["k","~2"]}'],
  [new Map([[['pair'], 1]]), '{"~map":[["pair"],1]}'],
  [new Set(['a', 'b']), '{"~set":["a","b"]}'],
] as const)
  test(`${line} is encoded and decoded`, () => {
    assert.equal(encode(value), line)
    assert.equal(encode(decode(line)), line)
  })

for (const [what, value] of [
  ['undefined', undefined],
  ['a function', () => 1],
  ['not a number', Number.NaN],
  ['infinity', Number.POSITIVE_INFINITY],
  ['undefined in a list', [undefined]],
] as const)
  test(`${what} cannot be encoded`, () => assert.throws(() => encode(value), /bug/))

const leaf = fc.oneof(fc.bigInt(), anyText(), fc.boolean(), fc.constant(null), fc.integer())
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value')),
    fc.dictionary(fc.constantFrom('one', 'two', 'at'), tie('value'), { noNullPrototype: true }),
    fc.array(fc.tuple(fc.string(), tie('value'))).map((pairs) => new Map(pairs)),
    fc.array(fc.string()).map((all) => new Set(all)),
  ),
})).value

test('a value is encoded on one line and decodes to the same value', () => {
  fc.assert(
    fc.property(value, (input) => {
      const line = encode(input)
      assert.ok(!line.includes('\n'))
      assert.deepEqual(decode(line), input)
    }),
  )
})
