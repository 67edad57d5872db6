import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageBatch } from './outbox.ts'

const [a, b, c] = ['a', 'bb', 'ccc'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]
const append = (start: MessageBatch, ...frames: Buffer[]): MessageBatch =>
  frames.reduce((batch, frame) => batch.with(frame), start)

test('frames are joined in order', () => {
  const batch = append(new MessageBatch(), a, b, c, a)
  assert.deepEqual([String(batch.joined), batch.bytes], ['abbccca', 7])
})

const rows: readonly (readonly [one: Buffer[], other: Buffer[], shared: boolean])[] = [
  [[a, b], [a, b], true],
  [[a], [a], true],
  [[a, b], [b, a], false],
  [[a, b], [a, c], false],
  [[a, b], [a], false],
]
for (const [one, other, shared] of rows)
  test(`${one.join()} and ${other.join()} ${shared ? 'share one batch' : 'have separate batches'}`, () => {
    const start = new MessageBatch()
    assert.equal(append(start, ...one).joined === append(start, ...other).joined, shared)
    assert.equal(String(append(start, ...other).joined), other.join(''))
  })

test('a single frame is not copied', () => {
  assert.equal(append(new MessageBatch(), b).joined, b)
})

test('clients of the same codec share one batch', () => {
  const start = new MessageBatch()
  const clients = Array.from({ length: 6 }, () => start)
  for (const [json, packed] of [
    [a, b],
    [c, a],
  ] as const)
    for (const [index, batch] of clients.entries()) clients[index] = batch.with(index % 2 ? json : packed)
  assert.equal(new Set(clients).size, 2)
  assert.deepEqual(
    clients.slice(0, 2).map(({ joined }) => String(joined)),
    ['bba', 'accc'],
  )
})
