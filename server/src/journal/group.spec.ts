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

test('what was added comes out again, in bytes and apart, whatever the memory held before', () => {
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
  test(`an event with ${name} is refused, among many others`, () => {
    const others = Array.from({ length: 2000 }, (_, number) => ({ open: `{"number":${number}}` }))
    assert.throws(() => Group.of([...others, { open: line }, ...others]).open(), /bug/)
  })

test('a sealed part with a newline is refused', () => {
  assert.throws(() => Group.of([{ open: '{}', sealed: '{\n}' }]).sealed(() => undefined), /bug/)
})
