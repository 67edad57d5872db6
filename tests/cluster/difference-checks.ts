import assert from 'node:assert/strict'
import { type Body, type Broker, call, callAsOperator, newWorld } from '../support/broker.ts'
import { asOperator } from '../worlds/people.ts'
import { moveTo } from './nodes.ts'

/** Compares a world with its fork, first on one node, then on two. */
export async function checkDifference(nodes: readonly Broker[]): Promise<void> {
  const [one, two] = nodes as readonly [Broker, Broker]
  const world = await newWorld(one, { world: 'trunk', durable: true, fees: 'none' })
  await moveTo(one, 'trunk', one)
  await asOperator(one, 'POST', '/trunk/fork', { world: 'branch', durable: true })
  const placed = await call(world, 'POST', '/v2/orders', {
    ...{ symbol: 'AAPL', qty: '2', side: 'buy', type: 'limit', limit_price: '1', time_in_force: 'gtc' },
    client_order_id: 'only-here',
  })
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  const differences = () =>
    Promise.all(
      nodes.map(
        async (node) =>
          (await callAsOperator(node, 'GET', '/sim/v1/worlds/trunk/difference?against=branch')).body,
      ),
    )
  const [atHome] = await differences()
  assert.deepEqual(
    atHome.rows.map(({ differs, world_order }: Body) => [differs, world_order.client_order_id]),
    [[['existence'], 'only-here']],
  )
  assert.ok(atHome.common_past.event > 0)
  await moveTo(one, 'branch', two)
  assert.deepEqual(await differences(), [atHome, atHome])
  for (const node of nodes) {
    const missing = await callAsOperator(node, 'GET', '/sim/v1/worlds/trunk/difference?against=nowhere')
    assert.equal(missing.status, 404)
    const path = '/sim/v1/worlds/trunk/difference?against=branch&against_account_id='
    const unknown = await callAsOperator(node, 'GET', `${path}00000000-0000-4000-8000-000000000000`)
    assert.equal(unknown.status, 404, JSON.stringify(unknown.body))
  }
  for (const name of ['branch', 'trunk']) await asOperator(one, 'DELETE', `/${name}`)
}
