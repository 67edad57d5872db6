import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../support/broker.ts'
import {
  assertRefused,
  broker,
  get,
  marketBuy,
  newWorld,
  openStream,
  placeOrder,
  restingBuy,
  type World,
} from './stage.ts'

const sim = (method: string, path: string, body?: object) =>
  callAsOperator(broker, method, `/sim/v1/worlds/${path}`, body)
const headOf = async (world: string): Promise<Body> => (await sim('GET', `${world}/journal`)).body

async function reset(world: string): Promise<Body> {
  const answer = await sim('POST', `${world}/reset`, {})
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

async function trade(world: World): Promise<readonly Body[]> {
  const placed = [await placeOrder(world, marketBuy), await placeOrder(world, restingBuy)]
  await world.advance('2d')
  return placed.map(({ id }) => id)
}

test('a reset world is as it was created: the same journal, clock and keys, and the same results again', async () => {
  const world = await newWorld({ market_events: [{ kind: 'late', share: '0.1' }] })
  const created = await headOf(world.world)
  const ids = await trade(world)
  const traded = await headOf(world.world)
  const after = await reset(world.world)
  assert.deepEqual([after.now, after.frozen, after.seq], [world.created.now, true, created.seq])
  assert.deepEqual(await headOf(world.world), created)
  assert.deepEqual((await get(world, '/v2/positions')).body, [])
  assert.deepEqual((await get(world, '/v2/orders?status=all')).body, [])
  assert.equal((await get(world, '/v2/account')).body.cash, '100000')
  assert.deepEqual(await trade(world), ids)
  assert.deepEqual(await headOf(world.world), traded)
  assert.equal((await sim('GET', `${world.world}/audit`)).body.sound, true)
})

test('accounts and keys that were added later stay, and revoked keys stay revoked', async () => {
  const world = await newWorld({ accounts: 2 })
  const keysPath = `${world.world}/keys`
  const issued = await sim('POST', keysPath, { account_id: world.accountId })
  assert.equal(issued.status, 201, JSON.stringify(issued.body))
  const key = { url: world.url, keyId: issued.body.key_id, secretKey: issued.body.secret_key }
  const second = world.created.accounts[1]
  assert.equal((await sim('DELETE', `${keysPath}/${second.key_id}`)).status, 204)
  const opened = await call(world.partner, 'POST', '/v1/accounts', { cash: '500' })
  assert.equal(opened.status, 200, JSON.stringify(opened.body))
  await placeOrder({ ...world, ...key }, marketBuy)
  const { accounts } = await reset(world.world)
  assert.deepEqual((await get(key, '/v2/positions')).body, [])
  assert.equal(
    (await get({ ...key, keyId: second.key_id, secretKey: second.secret_key }, '/v2/account')).status,
    401,
  )
  assert.ok(accounts.some(({ account_id }: Body) => account_id === opened.body.id))
  assert.equal((await sim('GET', `${world.world}/audit`)).body.sound, true)
})

test('a reset fork returns to the moment of the fork', async () => {
  const parent = await newWorld()
  await trade(parent)
  const resting = await placeOrder(parent, { ...restingBuy, time_in_force: 'gtc' })
  const { body: fork } = await sim('POST', `${parent.world}/fork`, {})
  const key = { url: broker.url, keyId: fork.accounts[0].key_id, secretKey: fork.accounts[0].secret_key }
  const forked = await headOf(fork.world)
  const orders = (await get(key, '/v2/orders?status=all')).body
  await call(key, 'DELETE', `/v2/orders/${resting.id}`)
  await sim('DELETE', parent.world)
  await reset(fork.world)
  assert.deepEqual(await headOf(fork.world), forked)
  assert.deepEqual((await get(key, '/v2/orders?status=all')).body, orders)
  assert.equal((await get(parent, '/v2/account')).status, 401, 'a key of the parent opens no fork')
})

test('a reset and a deletion close the streams of the world, with their reason', async () => {
  const world = await newWorld()
  for (const [end, reason] of [
    [() => reset(world.world), 'the world is being reset'],
    [() => sim('DELETE', world.world), 'the world is being deleted'],
  ] as const) {
    const clients = [await openStream('/stream'), await openStream('/v2/test')]
    // The market data stream begins with a welcome message.
    await clients[1]!.next()
    for (const client of clients)
      await client.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
    const closed = Promise.all(clients.map(({ socket }) => once(socket, 'close')))
    await end()
    for (const [code, text] of await closed) assert.deepEqual([code, String(text)], [1012, reason])
  }
})

test('main cannot be reset', async () => {
  assertRefused(await sim('POST', 'main/reset', {}), 409, 40910000, /fork it/)
  assertRefused(await sim('POST', 'nowhere/reset', {}), 404, 40410000)
})
