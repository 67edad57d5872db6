import assert from 'node:assert/strict'
import test from 'node:test'
import { LruCache } from './lru-cache.ts'

test('recently used values are cached, and dropped values are created again', () => {
  const made: number[] = []
  const squares = new LruCache<number, { square: number }>(2)
  const square = (root: number) =>
    squares.getOrMake(root, () => {
      made.push(root)
      return { square: root * root }
    }).square
  assert.deepEqual([1, 2, 1, 3, 1, 2].map(square), [1, 4, 1, 9, 1, 4])
  assert.deepEqual(made, [1, 2, 3, 2])
})
