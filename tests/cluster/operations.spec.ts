import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Cluster } from '../../server/src/postgres/testing/server.ts'
import { type Body, type Broker, call, callAsOperator, newWorld } from '../broker.ts'
import { waitUntil } from '../wait-until.ts'
import { startLoad } from './load.ts'
import { startNode, untilHeld } from './nodes.ts'

const database = await Cluster.start()
const nodes: Broker[] = []
after(async () => {
  for (const node of nodes) await node.kill()
  await database.stop()
})

const store = await database.database('operations')
nodes.push(await startNode(store), await startNode(store))
const [one, two] = nodes as [Broker, Broker]
await untilHeld(one, 'main')
const friday = await newWorld(one, { world: 'friday', durable: true })

const statusOf = async (node: Broker): Promise<Body> =>
  (await callAsOperator(node, 'GET', '/sim/v1/cluster')).body
const holderOf = async (node: Broker, world: string): Promise<string> =>
  (await statusOf(node)).worlds.find((row: Body) => row.world === world).node
const nameOf = async (node: Broker, of: Broker): Promise<string> =>
  (await statusOf(node)).nodes.find((row: Body) => row.address === of.url).name
const move = (via: Broker, world: string, node: string) =>
  callAsOperator(via, 'POST', '/sim/v1/cluster/moves', { world, node })

/** The first and the last confirmed order are stored. */
async function assertStored(node: Broker, key: Pick<Broker, 'keyId' | 'secretKey'>, ids: readonly string[]) {
  for (const id of [ids[0], ids.at(-1)]) {
    const { status } = await call({ ...key, url: node.url }, 'GET', `/v2/orders/${id}`)
    assert.equal(status, 200)
  }
}

test('the status names nodes and worlds', async () => {
  await waitUntil('both nodes run', async () => (await statusOf(two)).nodes.length === 2)
  const { nodes: running, worlds } = await statusOf(two)
  assert.deepEqual(running.map(({ address }: Body) => address).sort(), [one.url, two.url].sort())
  assert.deepEqual(
    worlds.map(({ world }: Body) => world),
    ['main', 'friday'],
  )
  assert.deepEqual(
    worlds.map(({ code }: Body) => code),
    ['00', friday.keyId.slice(2, 4)],
  )
  assert.equal(await holderOf(two, 'friday'), await nameOf(one, one))
})

test('a move under load gives no error, and the world continues on the other node', async () => {
  for (const target of [two, one, two]) {
    const load = startLoad([one.url, two.url], friday)
    await waitUntil('the load runs', async () => load.observed.placed.length > 10)
    const moved = await move(target, 'friday', target.url)
    assert.equal(moved.status, 200, JSON.stringify(moved.body))
    assert.equal(await holderOf(one, 'friday'), await nameOf(one, target))
    const placed = load.observed.placed.length
    await waitUntil('the load continues', async () => load.observed.placed.length > placed + 10)
    const { problems } = await load.stop()
    assert.deepEqual(problems, [])
    await assertStored(one, friday, load.observed.placed)
  }
})
