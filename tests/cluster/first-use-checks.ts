import assert from 'node:assert/strict'
import { type Body, type Broker, call, callAsOperator, newWorld } from '../support/broker.ts'
import { StreamClient } from '../support/stream-client.ts'
import { waitUntil } from '../support/wait-until.ts'
import { moveTo } from './nodes.ts'

/** The symbols that a world has listed on first use, as a node returns them. */
const listedAt = async (node: Broker, world: string): Promise<string[]> =>
  (await callAsOperator(node, 'GET', `/sim/v1/worlds/${world}/symbols`)).body.listed

/** Each node lists on first use, and a moved world has the same symbols and prices. */
export async function checkFirstUse(nodes: readonly [Broker, Broker]): Promise<void> {
  const [one, two] = nodes
  const settings = { durable: true, start: '2026-01-05T15:00:00Z' }
  const leader = await newWorld(one, { world: 'any-leader', symbols: ['any'], ...settings })
  const follower = await newWorld(one, { world: 'any-follower', follows: 'any-leader', ...settings })
  await moveTo(one, 'any-leader', one)
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
    (await listedAt(one, 'any-leader')).includes('ZQYV'),
  )
  for (const node of nodes) assert.deepEqual(await listedAt(node, 'any-leader'), ['ZQXW', 'ZQYV'])

  await moveTo(one, 'any-leader', two)
  for (const node of nodes) {
    assert.deepEqual(await listedAt(node, 'any-leader'), ['ZQXW', 'ZQYV'])
    assert.deepEqual((await at(node, `ZQXW/${days}`)).body, body)
  }
  assert.equal((await at(one, 'ZQZV/trades/latest')).status, 200)
  assert.deepEqual(await listedAt(one, 'any-leader'), ['ZQXW', 'ZQYV', 'ZQZV'])

  // A world that follows another has what is named there, and lists nothing itself.
  assert.equal((await at(one, 'ZQUV/trades/latest', follower)).status, 404)
  await waitUntil(
    'the follower has the symbols',
    async () => (await listedAt(one, 'any-follower')).length === 3,
  )
  const copied: Body = (await at(one, `ZQXW/${days}`, follower)).body
  assert.deepEqual(copied, body)
  await stream.close()
}
