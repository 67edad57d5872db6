import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forget } from '../state/forget.ts'
import { TestWorld } from '../testing/world.ts'
import { hasOpenOrders, openCount, openOrdersOf } from './open-orders.ts'

test('openOrdersOf lists the open orders of one account by age, before and after forget', () => {
  const world = new TestWorld({})
  for (const line of ['open A 100000', 'open B 100000', 'quote AAPL 99 101', 'trade AAPL 100'])
    world.run(line)
  for (const name of ['A o1', 'A o2', 'B o3', 'A o4', 'A o5']) world.run(`buy ${name} AAPL 1 @90`)
  const [a, b] = ['A', 'B'].map((name) => world.accounts.get(name)!)
  const namesOf = (accountId: typeof a) =>
    Array.from(openOrdersOf(world.state, accountId!), ({ id }) =>
      ['o1', 'o2', 'o3', 'o4', 'o5'].find((name) => world.orders.get(name) === id),
    )
  world.run('cancel A o2')
  assert.deepEqual([namesOf(a), namesOf(b), openCount(world.state)], [['o1', 'o4', 'o5'], ['o3'], 4])
  forget(world.state, world.state.seq)
  world.run('cancel B o3')
  assert.deepEqual([namesOf(a), namesOf(b), openCount(world.state)], [['o1', 'o4', 'o5'], [], 3])
  assert.deepEqual([hasOpenOrders(world.state, a!), hasOpenOrders(world.state, b!)], [true, false])
})
