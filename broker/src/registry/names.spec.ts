import assert from 'node:assert/strict'
import { test } from 'node:test'
import { worldCodes } from '../access/world-code.ts'
import { openDurableWorlds } from './testing/durable-worlds.ts'

test('a node of a cluster uses no code of main at another node, and no name of a world there', async (t) => {
  const { worlds, add } = await openDurableWorlds(t, {
    codesOfMain: async () => new Set(worldCodes.filter((code) => code !== 'Q7')),
    isStored: (world) => world === 'world-1',
  })
  assert.equal(worlds.names.isTaken('world-1'), true)
  assert.equal(worlds.names.unused(), 'world-2')
  assert.equal((await add('friday')).world.access.code, 'Q7')
  assert.equal(await worlds.capacity.durableCount(), 1)
})
