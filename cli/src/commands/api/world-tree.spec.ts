import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorldRecord } from '@quipu/contract'
import { treeOf } from './world-tree.ts'

const world = (name: string, parent?: string) => ({ world: name, parent }) as WorldRecord

test('each fork is below its parent, in the order of the list; a fork of a deleted world is a root', () => {
  const worlds = [
    world('main'),
    world('oak'),
    world('b', 'a'),
    world('orphan', 'deleted'),
    world('a', 'oak'),
    world('c', 'oak'),
  ]
  assert.deepEqual(
    treeOf(worlds).map(({ lead, world }) => lead + world.world),
    ['main', 'oak', '├─ a', '│  └─ b', '└─ c', 'orphan'],
  )
})
