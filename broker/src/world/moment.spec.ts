import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idMaker } from './moment.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('the same seed and the same calls give the same ids, and no two ids are equal', () => {
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

test('the ids of a seed never change, because journals depend on them', () => {
  assert.equal(idMaker('seed')('scope', 7, 1), '4bd39d82-3a0f-412d-98a9-dbae0609948b')
})
