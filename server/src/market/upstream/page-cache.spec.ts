import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PageCache } from './history.ts'

test('above the limit, the least recently used page is dropped', () => {
  const cache = new PageCache<{ readonly rows: readonly number[] }>(8)
  const page = { rows: [1, 2, 3] }
  for (const key of ['one', 'two']) cache.keep(key, page)
  assert.equal(cache.get('one'), page)
  cache.keep('three', page)
  assert.deepEqual(
    ['one', 'two', 'three'].map((key) => cache.get(key) !== undefined),
    [true, false, true],
  )
  cache.keep('large', { rows: [1, 2, 3, 4, 5, 6, 7, 8] })
  assert.equal(cache.get('large'), undefined)
})
