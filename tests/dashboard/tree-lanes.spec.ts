import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorldRecord } from '@quipu/contract'
import { lanesOf, rootOf, rootsOf } from '../../web/src/screens/worlds/tree-lanes.ts'

const world = (name: string, parent?: string) => ({ world: name, parent }) as WorldRecord
const worlds = [
  world('main'),
  world('oak'),
  world('a', 'oak'),
  world('b', 'oak'),
  world('a1', 'a'),
  world('lost', 'gone'),
]
const oak = worlds[1]!
const shown = (max: number) =>
  lanesOf(worlds, oak, max).map(({ world: { world }, depth, parent, hidden }) => [
    world,
    depth,
    parent,
    hidden,
  ])

test('each root has a tree, and a fork of a deleted world is a root', () => {
  assert.deepEqual(
    rootsOf(worlds).map((one) => one.world),
    ['main', 'oak', 'lost'],
  )
  assert.equal(rootOf(worlds, worlds[4]!), oak)
})

test('the lines of a tree are parents before their forks, and deep forks collapse first', () => {
  assert.deepEqual(shown(12), [
    ['oak', 0, undefined, 0],
    ['a', 1, 0, 0],
    ['a1', 2, 1, 0],
    ['b', 1, 0, 0],
  ])
  assert.deepEqual(shown(3), [
    ['oak', 0, undefined, 1],
    ['a', 1, 0, 1],
    ['b', 1, 0, 0],
  ])
  assert.deepEqual(shown(2), [
    ['oak', 0, undefined, 2],
    ['b', 1, 0, 0],
  ])
})
