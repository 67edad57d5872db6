import assert from 'node:assert/strict'
import test from 'node:test'
import { openCount } from '../orders/open-orders.ts'
import { TestWorld } from '../testing/world.ts'
import { forget } from './forget.ts'

const worldAfter = (...lines: readonly string[]): TestWorld => {
  const world = new TestWorld()
  for (const line of ['open A 10000', 'quote AAPL 99 100', ...lines]) world.run(line)
  return world
}

test('forget drops orders that ended up to the given event, never open orders', () => {
  const world = worldAfter('buy A o1 AAPL 1')
  const { seq } = world.state
  for (const line of ['buy A o2 AAPL 1', 'buy A o3 AAPL 1 @90']) world.run(line)
  forget(world.state, seq)
  assert.deepEqual(
    ['o1', 'o2', 'o3'].map((name) => world.state.orders.has(world.orders.get(name)!)),
    [false, true, true],
  )
  assert.deepEqual([...world.state.accountsWithDroppedOrders], [world.accounts.get('A')])
  forget(world.state, world.state.seq)
  assert.equal(world.state.orders.size, 1)
  assert.equal(world.state.clientOrderIds.get(world.accounts.get('A')!)?.size, 1)
  assert.equal(world.state.closed.ids.length, 0)
})

test('memory does not grow with ended orders', () => {
  const world = worldAfter()
  for (let index = 0; index < 200; index++) {
    world.run(`buy A o${index} AAPL 1 @90`)
    world.run(`cancel A o${index}`)
    forget(world.state, world.state.seq)
  }
  const { orders, clientOrderIds, closed, agenda } = world.state
  assert.equal(orders.size + closed.ids.length, 0)
  assert.equal(clientOrderIds.get(world.accounts.get('A')!)?.size, 0)
  assert.equal(openCount(world.state), 0)
  assert.equal(agenda.dues.length, 1)
})
