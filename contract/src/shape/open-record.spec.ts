import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anything, integer, openRecord, optional, type Problem, record, text } from './index.ts'

const Thing = openRecord(
  record({ name: optional(text()), size: optional(integer()), more: anything() }).named('Thing'),
)

function read(value: unknown): unknown {
  const problems: Problem[] = []
  const parsed = Thing.parse(value, '', problems)
  return problems.length === 0 ? parsed : problems.map(({ message }) => message).join(' | ')
}

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)
const tooDeep = 'body: expected a record at most 32 deep, received a record'

for (const [value, then] of [
  [{}, {}],
  [
    { name: 'a', other: [1, { b: null }] },
    { name: 'a', other: [1, { b: null }] },
  ],
  [
    { size: '3', more: 1 },
    { size: 3, more: 1 },
  ],
  [{ name: '', size: '', more: '', other: '', kept: 0 }, { kept: 0 }],
  [{ size: 'x', other: 1 }, 'size: expected a whole number, received "x"'],
  [[], 'body: expected a record, received a list'],
  [{ other: nested(32) }, { other: nested(32) }],
  [{ other: nested(33) }, tooDeep],
  [{ more: nested(33) }, tooDeep],
  [{ other: nested(100_000) }, tooDeep],
] as readonly (readonly [unknown, unknown])[])
  test(`${JSON.stringify(value, (key, inner) => (key === 'other' ? '…' : inner)).slice(0, 60)} is read`, () =>
    assert.deepEqual(read(value), then))

test('a key cannot reach the prototype', () => {
  const parsed = read(JSON.parse('{"__proto__":{"polluted":1},"constructor":2}')) as Record<string, unknown>
  assert.equal(Object.getPrototypeOf(parsed), Object.prototype)
  assert.deepEqual(Object.keys(parsed), ['__proto__', 'constructor'])
})
