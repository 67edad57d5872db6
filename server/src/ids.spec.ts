import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idMaker } from './ids.ts'
import { scramble } from './scramble.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

// The published vectors of Threefry-4x32 with 20 rounds.
for (const [key, block, scrambled] of [
  [0, 0, '9c6ca96a e17eae66 fc10ecd4 5256a7d8'],
  [-1, -1, '2a881696 57012287 f6c7446e a16a6732'],
] as const)
  test(`a block of ${block} under a key of ${key} is scrambled to ${scrambled}`, () => {
    const words = new Int32Array(4).fill(block)
    scramble(new Int32Array(4).fill(key), words)
    assert.equal([...words].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join(' '), scrambled)
  })

test('the same seed and the same calls give the same ids, of which no two are alike', () => {
  const ids = (seed: string): string[] => {
    const make = idMaker(seed)
    const scopes = ['', 'a', 'b', 'ab']
    const numbers = [0, 1, 2, 255, 256, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 40]
    return scopes.flatMap((scope) =>
      numbers.flatMap((events) => [0, 1, 2].map((n) => make(scope, events, n))),
    )
  }
  const all = [...ids('one'), ...ids('two')]
  for (const id of all) assert.match(id, UUID)
  assert.equal(new Set(all).size, all.length)
  assert.deepEqual(ids('one'), ids('one'))
})

test('an id stays what it is: journals of this seed would have others', () => {
  assert.equal(idMaker('seed')('scope', 7, 1), '9111805d-5c7e-4fd6-ad46-df38c9c2b106')
})
