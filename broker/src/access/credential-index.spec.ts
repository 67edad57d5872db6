import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { World } from '../world/world.ts'
import { CredentialIndex } from './credential-index.ts'

const [one, two] = [{}, {}] as unknown as [World, World]

/** Ids that start with `x` no longer exist in their world. */
const ids = { has: (id: string) => !id.startsWith('x'), keys: () => ['a', 'b'].values() }
const make = () => new CredentialIndex<string>(() => ids)
const fill = (index: CredentialIndex<string>, world: World, count: number, prefix: string) => {
  for (let n = 0; n < count; n++) index.add(world, `${prefix}${n}`)
}

test('ids that no longer exist in their world are dropped in time, others stay', () => {
  const index = make()
  fill(index, one, 100, 'k')
  fill(index, one, 1000, 'x')
  const left = Array.from({ length: 1000 }, (_, n) => index.worldOf(`x${n}`)).filter(Boolean)
  assert.ok(left.length < 400, `${left.length} are left`)
  for (let n = 0; n < 100; n++) assert.equal(index.worldOf(`k${n}`), one)
})

test('a world is only checked for its own ids', () => {
  const index = make()
  fill(index, two, 50, 'x')
  fill(index, one, 1000, 'x-')
  for (let n = 0; n < 50; n++) assert.equal(index.worldOf(`x${n}`), two)
})

test('adding a world does not take over existing ids; adding an id does', () => {
  const index = make()
  index.add(one, 'a')
  index.addWorld(two)
  assert.deepEqual([index.worldOf('a'), index.worldOf('b')], [one, two])
  index.add(two, 'a')
  assert.equal(index.worldOf('a'), two)
})

test('a world removes only its own ids, and all of them when it is removed', () => {
  const index = make()
  index.add(one, 'a')
  index.add(two, 'b')
  index.remove(two, 'a')
  assert.equal(index.worldOf('a'), one)
  index.removeWorld(one)
  assert.deepEqual([index.worldOf('a'), index.worldOf('b')], [undefined, two])
})
