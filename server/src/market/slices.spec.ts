import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inSlices } from './slices.ts'

const numbers = Array.from({ length: 571 }, (_, index) => index)

test('all of a long list is made, in order', async () => {
  assert.deepEqual(
    await inSlices(numbers, async (number) => 2 * number),
    numbers.map((number) => 2 * number),
  )
  assert.deepEqual(await inSlices([], async (item) => item), [])
})

test('others have their turn in between', async () => {
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
