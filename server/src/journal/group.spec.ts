import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Entry } from './entry.ts'
import { Group } from './group.ts'

const entry = fc
  .record({ open: fc.string({ unit: 'grapheme' }), sealed: fc.option(fc.string({ unit: 'grapheme' })) })
  .map(({ open, sealed }): Entry => {
    const line = JSON.stringify(open)
    return sealed === null ? { open: line } : { open: line, sealed: JSON.stringify(sealed) }
  })

test('a group returns the added events, as bytes and as entries, also with a reused buffer', () => {
  const group = new Group()
  fc.assert(
    fc.property(fc.array(entry), fc.nat({ max: 3 }), (entries, times) => {
      const many = Array.from({ length: 1 + times * 40 }, () => entries).flat()
      group.clear()
      for (const { open, sealed } of many) group.add(open, sealed)
      assert.equal(group.count, many.length)
      assert.deepEqual(group.entries(), many)
      const text = many.map(({ open }) => `${open}\n`).join('')
      assert.equal(group.open().toString(), text)
    }),
  )
})

for (const [name, line] of [
  ['a newline', '{\n}'],
  ['the mark of a record', '"\x1e"'],
  ['unwritten space', '"\0"'],
  ['half a character', '"\ud800"'],
] as const)
  test(`an event with ${name} is rejected, among many others`, () => {
    const others = Array.from({ length: 2000 }, (_, number) => ({ open: `{"number":${number}}` }))
    assert.throws(() => Group.of([...others, { open: line }, ...others]).open(), /bug/)
  })

for (const sealed of ['{\n}', '"\x1e"', '"\0"', '"\ud800"'])
  test(`a sealed part of ${JSON.stringify(sealed)} is rejected, in entries and in a record`, () => {
    const group = Group.of([
      { open: '{}', sealed: '{}' },
      { open: '{}', sealed },
    ])
    assert.throws(() => group.sealed(() => undefined), /bug/)
    assert.throws(() => group.record(80), /bug/)
  })

test('a record is space for its header, the lines, and the sealed parts with their indexes', () => {
  const group = Group.of([{ open: '{"a":"é"}' }, { open: '{}', sealed: '{"s":"ü"}' }])
  const { bytes, sealedBytes } = group.record(80)
  assert.equal(bytes.subarray(80).toString(), '{"a":"é"}\n{}\n1 {"s":"ü"}\n')
  assert.equal(sealedBytes, Buffer.byteLength('1 {"s":"ü"}\n'))
  assert.equal(group.open().toString(), '{"a":"é"}\n{}\n')
})
