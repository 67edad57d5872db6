import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PageCache } from './page-cache.ts'

const page = (bytes: number, fill = 0): Uint8Array => new Uint8Array(bytes).fill(fill)

test('get returns the stored page', () => {
  const cache = new PageCache(10_000)
  const first = page(100)
  cache.put('a', first)
  assert.equal(cache.get('a'), first)
  assert.equal(cache.get('b'), undefined)
})

test('the least recently used page is dropped first, and the bytes stay within the limit', () => {
  const cache = new PageCache(10_000)
  for (const key of ['a', 'b', 'c']) cache.put(key, page(2500))
  cache.get('a')
  cache.put('d', page(2500))
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => cache.get(key) !== undefined),
    [true, false, true, true],
  )
  for (let turn = 0; turn < 1000; turn++) {
    cache.put(`page ${turn}`, page(turn))
    assert.ok(cache.bytes <= 10_000)
  }
})

test('many empty pages are bounded too', () => {
  const cache = new PageCache(10_000)
  for (let turn = 0; turn < 100; turn++) cache.put(String(turn), page(0))
  assert.equal(cache.get('0'), undefined)
  assert.ok(cache.get('99'))
})

test('put replaces the page of the same key', () => {
  const cache = new PageCache(10_000)
  cache.put('a', page(100, 1))
  const { bytes } = cache
  cache.put('a', page(100, 2))
  assert.equal(cache.bytes, bytes)
  assert.equal(cache.get('a')![0], 2)
})

test('a page over the limit is not stored, and a limit of 0 stores nothing', () => {
  const cache = new PageCache(1000)
  cache.put('a', page(500))
  cache.put('b', page(1001))
  assert.deepEqual([cache.get('a')?.length, cache.get('b')], [500, undefined])
  const none = new PageCache(0)
  none.put('a', page(0))
  assert.equal(none.get('a'), undefined)
})
