import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inSlices } from './slices.ts'

const numbers = Array.from({ length: 571 }, (_, index) => index)

test('a long list is mapped completely and in order', async () => {
  assert.deepEqual(
    await inSlices(numbers, async (number) => 2 * number),
    numbers.map((number) => 2 * number),
  )
  assert.deepEqual(await inSlices([], async (item) => item), [])
})

test('other work runs between two slices', async () => {
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await inSlices(numbers, async (number) => number)
  isDone = true
  assert.ok(turns >= 10, `${turns}`)
})
