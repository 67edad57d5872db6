import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upstreamPageCache } from './history.ts'

test('above the limit, the least recently used page is dropped', () => {
  const cache = upstreamPageCache(8)
  const page = { rows: [{}, {}, {}], next: undefined }
  for (const key of ['one', 'two']) cache.set(key, page)
  assert.equal(cache.get('one'), page)
  cache.set('three', page)
  assert.deepEqual(
    ['one', 'two', 'three'].map((key) => cache.get(key) !== undefined),
    [true, false, true],
  )
  cache.set('large', { ...page, rows: Array(8).fill({}) })
  assert.equal(cache.get('large'), undefined)
})
