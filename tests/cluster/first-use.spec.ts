import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, type Broker, call, callAsOperator, newWorld } from '../support/broker.ts'
import { StreamClient } from '../support/stream-client.ts'
import { waitUntil } from '../support/wait-until.ts'
import { moveTo, openDatabase, startNode, untilHeld } from './nodes.ts'

const { store, nodes } = await openDatabase('first_use')
nodes.push(...(await Promise.all([startNode(store), startNode(store)])))
const [one, two] = nodes as [Broker, Broker]
await untilHeld(one, 'main')

/** The symbols that a world has listed on first use, as a node returns them. */
const listedAt = async (node: Broker, world: string): Promise<string[]> =>
  (await callAsOperator(node, 'GET', `/sim/v1/worlds/${world}/symbols`)).body.listed

test('each node lists on first use, and a moved world has the same symbols and prices', async () => {
  const settings = { durable: true, start: '2026-01-05T15:00:00Z' }
  const leader = await newWorld(one, { world: 'leader', symbols: ['any'], ...settings })
  const follower = await newWorld(one, { world: 'follower', follows: 'leader', ...settings })
  await moveTo(one, 'leader', one)
  const at = (node: Broker, path: string, world = leader) =>
    call({ ...world, url: node.url }, 'GET', `/v2/stocks/${path}`)
  const days = 'bars?timeframe=1Day&start=2025-12-01&end=2025-12-31'
  const { body } = await at(two, `ZQXW/${days}`)
  assert.ok(body.bars.length > 20)

  const stream = await StreamClient.open(`${two.url}/v2/sip`)
  await stream.next()
  await stream.request({ action: 'auth', key: leader.keyId, secret: leader.secretKey })
  await stream.request({ action: 'subscribe', bars: ['ZQYV'] })
  await waitUntil('the subscription has listed its symbol', async () =>
    (await listedAt(one, 'leader')).includes('ZQYV'),
  )
  for (const node of nodes) assert.deepEqual(await listedAt(node, 'leader'), ['ZQXW', 'ZQYV'])

  await moveTo(one, 'leader', two)
  for (const node of nodes) {
    assert.deepEqual(await listedAt(node, 'leader'), ['ZQXW', 'ZQYV'])
    assert.deepEqual((await at(node, `ZQXW/${days}`)).body, body)
  }
  assert.equal((await at(one, 'ZQZV/trades/latest')).status, 200)
  assert.deepEqual(await listedAt(one, 'leader'), ['ZQXW', 'ZQYV', 'ZQZV'])

  // A world that follows another has what is named there, and lists nothing itself.
  assert.equal((await at(one, 'ZQUV/trades/latest', follower)).status, 404)
  await waitUntil('the follower has the symbols', async () => (await listedAt(one, 'follower')).length === 3)
  const copied: Body = (await at(one, `ZQXW/${days}`, follower)).body
  assert.deepEqual(copied, body)
  await stream.close()
})
