import assert from 'node:assert/strict'
import test from 'node:test'
import { Ring } from './ring.ts'

const rows = [
  // most, pushed, after, then
  [3, 0, 0, []],
  [3, 2, 0, [1, 2]],
  [3, 3, 0, [1, 2, 3]],
  [3, 4, 0, [2, 3, 4]],
  [3, 10, 0, [8, 9, 10]],
  [3, 10, 8, [9, 10]],
  [3, 10, 10, []],
  [3, 10, 99, []],
  [1, 5, 0, [5]],
] as const

for (const [size, pushed, after, then] of rows)
  test(`a ring of ${size} with ${pushed} pushed items returns after ${after}: ${then}`, () => {
    const ring = new Ring<number>(size)
    for (let item = 1; item <= pushed; item++) ring.push(item)
    assert.deepEqual(
      [...ring.after(after)],
      then.map((item) => [item, item]),
    )
    assert.equal(ring.last, pushed)
  })

test('a ring of size 0 is always empty', () => {
  const ring = new Ring<number>(0)
  ring.push(1)
  assert.deepEqual([...ring.after(0)], [])
  assert.equal(
    ring.findLast(() => true),
    undefined,
  )
})

test('the newest match is found, overwritten items are not', () => {
  const ring = new Ring<string>(2)
  for (const item of ['a', 'b', 'c']) ring.push(item)
  assert.deepEqual(
    ring.findLast((item) => item < 'c'),
    [2, 'b'],
  )
  assert.equal(
    ring.findLast((item) => item === 'a'),
    undefined,
  )
})

test('a listener receives each item until it is removed', () => {
  const ring = new Ring<number>(2)
  let calls = 0
  const stop = ring.listen(() => {
    calls += 1
  })
  ring.push(1)
  stop()
  ring.push(2)
  assert.equal(calls, 1)
})
