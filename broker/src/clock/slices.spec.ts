import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Slices } from './slices.ts'

let nowMs = 0
const newSlices = () => new Slices(() => nowMs)
const busyMs = (ms: number): void => {
  nowMs += ms
}

test('a world that works alone continues until its slice is over', async () => {
  const slices = newSlices()
  const world = {}
  assert.equal(slices.enter(world), undefined)
  assert.equal(slices.enter(world), undefined)
  busyMs(2)
  const next = slices.enter(world)
  assert.ok(next)
  await next
  assert.equal(slices.enter(world), undefined)
})

test('in one turn of the event loop one of many worlds works for one slice, in rotation', async () => {
  const slices = newSlices()
  const perTurn: string[][] = [[]]
  let isOver = false
  const watch = (async () => {
    while (!isOver) {
      await turn()
      perTurn.push([])
    }
  })()
  const work = async (name: string) => {
    const owner = {}
    for (let slice = 0; slice < 3; slice++) {
      const wait = slices.enter(owner)
      if (wait) await wait
      perTurn.at(-1)!.push(name)
      busyMs(1.5)
    }
  }
  await Promise.all(['a', 'b', 'c'].map(work))
  isOver = true
  await watch
  // The first world asks for its second slice before the others ask for their first.
  assert.equal(perTurn.flat().join(''), 'aabcabcbc')
  for (const names of perTurn) assert.ok(names.length <= 1, names.join())
})
