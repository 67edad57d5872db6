import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Batch } from './outbox.ts'

const [a, b, c] = ['a', 'bb', 'ccc'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]
const follow = (start: Batch, ...frames: Buffer[]): Batch =>
  frames.reduce((batch, frame) => batch.with(frame), start)

test('frames are put together in the order they came', () => {
  const batch = follow(new Batch(), a, b, c, a)
  assert.deepEqual([String(batch.whole), batch.bytes], ['abbccca', 7])
})

const rows: readonly (readonly [one: Buffer[], other: Buffer[], shared: boolean])[] = [
  [[a, b], [a, b], true],
  [[a], [a], true],
  [[a, b], [b, a], false],
  [[a, b], [a, c], false],
  [[a, b], [a], false],
]
for (const [one, other, shared] of rows)
  test(`${one.join()} and ${other.join()} are ${shared ? 'one and the same' : 'put together each'}`, () => {
    const start = new Batch()
    assert.equal(follow(start, ...one).whole === follow(start, ...other).whole, shared)
    assert.equal(String(follow(start, ...other).whole), other.join(''))
  })

test('a frame alone is sent as it is', () => {
  assert.equal(follow(new Batch(), b).whole, b)
})

test('what two codecs are told in turns is shared among those of each', () => {
  const start = new Batch()
  const clients = Array.from({ length: 6 }, () => start)
  for (const [json, packed] of [
    [a, b],
    [c, a],
  ] as const)
    for (const [index, batch] of clients.entries()) clients[index] = batch.with(index % 2 ? json : packed)
  assert.equal(new Set(clients).size, 2)
  assert.deepEqual(
    clients.slice(0, 2).map(({ whole }) => String(whole)),
    ['bba', 'accc'],
  )
})
