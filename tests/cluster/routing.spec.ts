import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { Cluster } from '../../server/src/postgres/testing/server.ts'
import { type Broker, call, callAsOperator, newWorld } from '../broker.ts'
import { codeOfNewCredentials } from '../worlds/credentials.ts'
import { startNode, untilHeld, worldOf } from './nodes.ts'

const database = await Cluster.start()
const nodes: Broker[] = []
after(async () => {
  for (const node of nodes) await node.kill()
  await database.stop()
})

const store = await database.database('routing')
// Of several nodes on an empty database one does the first start.
nodes.push(...(await Promise.all([startNode(store), startNode(store)])))
const [one, two] = nodes as [Broker, Broker]
await untilHeld(one, 'main')

const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }

test('every node answers for main', async () => {
  for (const node of nodes) {
    assert.equal(await worldOf(node, node), 'main')
    const placed = await call(node, 'POST', '/v2/orders', order)
    assert.equal(placed.status, 200, JSON.stringify(placed.body))
    const found = await call(node === one ? two : one, 'GET', `/v2/orders/${placed.body.id}`)
    assert.equal(found.body.id, placed.body.id)
    const wrong = await call({ ...node, secretKey: 'wrong' }, 'GET', '/v2/account')
    assert.equal(wrong.status, 401)
  }
})

test('a request with a full URL goes to the node of its world, not to the host in its URL', async () => {
  const named: IncomingMessage[] = []
  const host = createServer((request, response) => {
    named.push(request)
    response.end('{}')
  })
  await once(host.listen(0, '127.0.0.1'), 'listening')
  const path = `http://127.0.0.1:${(host.address() as AddressInfo).port}/v2/account`
  for (const { url, keyId, secretKey } of nodes) {
    const headers = { 'APCA-API-KEY-ID': keyId, 'APCA-API-SECRET-KEY': secretKey }
    const [answer] = (await once(get({ port: new URL(url).port, path, headers }), 'response')) as [
      IncomingMessage,
    ]
    answer.resume()
    assert.equal(answer.headers['x-quipu-world'], 'main')
  }
  host.close()
  assert.equal(named.length, 0)
})

test('every node answers for a durable world, also after its node was killed', async () => {
  const world = await newWorld(two, { world: 'friday', durable: true })
  for (const node of nodes) {
    assert.equal(await worldOf(node, world), 'friday')
    const placed = await call({ ...world, url: node.url }, 'POST', '/v2/orders', order)
    assert.equal(placed.status, 200, JSON.stringify(placed.body))
  }
  for (const node of nodes) {
    await codeOfNewCredentials(node, 'friday')
    await codeOfNewCredentials(node, 'main')
  }
  const head = await callAsOperator(two, 'GET', '/sim/v1/worlds/friday/journal')
  await one.kill()
  await untilHeld(two, 'friday')
  await untilHeld(two, 'main')
  assert.equal(await worldOf(two, world), 'friday')
  const again = await callAsOperator(two, 'GET', '/sim/v1/worlds/friday/journal')
  assert.equal(again.body.hash, head.body.hash)
  assert.equal(await worldOf(two, two), 'main')
})
