import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageCache } from './page-cache.ts'

const page = (bytes: number, fill = 0): Uint8Array => new Uint8Array(bytes).fill(fill)

test('get returns the stored page', () => {
  const cache = pageCache(10_000)
  const first = page(100)
  cache.set('a', first)
  assert.equal(cache.get('a'), first)
  assert.equal(cache.get('b'), undefined)
})

test('the least recently used page is dropped first, and the bytes stay within the limit', () => {
  const cache = pageCache(10_000)
  for (const key of ['a', 'b', 'c']) cache.set(key, page(2500))
  cache.get('a')
  cache.set('d', page(2500))
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => cache.get(key) !== undefined),
    [true, false, true, true],
  )
  for (let turn = 0; turn < 1000; turn++) {
    cache.set(`page ${turn}`, page(turn))
    assert.ok(cache.size <= 10_000)
  }
})

test('many empty pages are bounded too', () => {
  const cache = pageCache(10_000)
  for (let turn = 0; turn < 100; turn++) cache.set(String(turn), page(0))
  assert.equal(cache.get('0'), undefined)
  assert.ok(cache.get('99'))
})

test('put replaces the page of the same key', () => {
  const cache = pageCache(10_000)
  cache.set('a', page(100, 1))
  const { size } = cache
  cache.set('a', page(100, 2))
  assert.equal(cache.size, size)
  assert.equal(cache.get('a')![0], 2)
})

test('a page over the limit is not stored, and a limit of 0 stores nothing', () => {
  const cache = pageCache(1000)
  cache.set('a', page(500))
  cache.set('b', page(1001))
  assert.deepEqual([cache.get('a')?.length, cache.get('b')], [500, undefined])
  const none = pageCache(0)
  none.set('a', page(0))
  assert.equal(none.get('a'), undefined)
})
