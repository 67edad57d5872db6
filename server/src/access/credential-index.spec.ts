import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { World } from '../world/world.ts'
import { Routes } from './credential-index.ts'

const [one, two] = [{}, {}] as unknown as [World, World]

/** Ids that begin with `x` are gone from their world. */
const make = () => new Routes<string>((_, id) => !id.startsWith('x'))
const fill = (routes: Routes<string>, world: World, count: number, prefix: string) => {
  for (let index = 0; index < count; index++) routes.add(world, `${prefix}${index}`)
}

test('ids their world no longer has are dropped in time, those it has stay', () => {
  const routes = make()
  fill(routes, one, 100, 'k')
  fill(routes, one, 1000, 'x')
  const left = Array.from({ length: 1000 }, (_, index) => routes.worldOf(`x${index}`)).filter(Boolean)
  assert.ok(left.length < 400, `${left.length} are left`)
  for (let index = 0; index < 100; index++) assert.equal(routes.worldOf(`k${index}`), one)
})

test('a world is only asked about its own ids', () => {
  const routes = make()
  fill(routes, two, 50, 'x')
  fill(routes, one, 1000, 'x-')
  for (let index = 0; index < 50; index++) assert.equal(routes.worldOf(`x${index}`), two)
})

test('who joins takes nothing from who was there; who adds does', () => {
  const routes = make()
  routes.add(one, 'a')
  routes.join(two, ['a', 'b'])
  assert.deepEqual([routes.worldOf('a'), routes.worldOf('b')], [one, two])
  routes.add(two, 'a')
  assert.equal(routes.worldOf('a'), two)
})

test("nobody removes what is another world's, and who leaves leaves nothing behind", () => {
  const routes = make()
  routes.add(one, 'a')
  routes.add(two, 'b')
  routes.remove(two, 'a')
  assert.equal(routes.worldOf('a'), one)
  routes.leave(one)
  assert.deepEqual([routes.worldOf('a'), routes.worldOf('b')], [undefined, two])
})
