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

const control = (method: string, path: string, body?: object) =>
  callAsOperator(broker, method, `/sim/v1/worlds${path}`, body)
const forked = async (world: string, body: object = {}): Promise<Body> => {
  const response = await control('POST', `/${world}/fork`, body)
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body
}
const head = async ({ world }: { readonly world: string }) => {
  const { seq, hash } = (await control('GET', `/${world}/journal`)).body
  return { seq, hash }
}
const now = async (world: string): Promise<string> => (await control('GET', `/${world}/clock`)).body.now
const traderOf = ({ accounts: [{ key_id, secret_key }] }: Body) => ({
  url: broker.url,
  keyId: key_id,
  secretKey: secret_key,
})
const ordersOf = async (created: Body): Promise<Body[]> =>
  (await get(traderOf(created), '/v2/orders?status=all&limit=500&direction=asc')).body

/** The same calls up to one instant, which they return. */
async function played(world: World): Promise<string> {
  await placeOrder(world, marketBuy)
  await placeOrder(world, { ...restingBuy, client_order_id: 'rests' })
  await world.advance('10m')
  return now(world.world)
}

test('a fork at a past instant equals a fork that was made then, also later', async () => {
  const settings = {
    seed: 'past',
    market_events: [{ kind: 'crash', at: '2026-01-05T15:30:00Z', depth: '0.1' }],
  }
  const world = await newWorld(settings)
  const instant = await played(world)
  const then = await forked(world.world)
  // What happens later is not in the fork: an order ends, another one is filled, a market event is removed.
  await world.advance('1s')
  await control('DELETE', `/${world.world}/market-events/1`)
  await call(world, 'DELETE', '/v2/orders')
  await placeOrder(world, { ...marketBuy, qty: '7' })
  await world.advance('2h')
  const past = await forked(world.world, { at: instant })
  assert.deepEqual([past.parent, past.now.slice(0, 19)], [world.world, instant.slice(0, 19)])
  const unforked = await newWorld(settings)
  assert.equal(await played(unforked), instant)
  const same = await forked(unforked.world)
  assert.deepEqual(await head(past), await head(then))
  assert.deepEqual(await head(past), await head(same), 'the same calls on the same seed')
  assert.deepEqual(
    (await ordersOf(past)).map(({ client_order_id, status }) => [client_order_id === 'rests', status]),
    [
      [false, 'filled'],
      [true, 'new'],
    ],
  )
  for (const one of [past, then]) {
    await placeOrder(traderOf(one), { ...restingBuy, client_order_id: 'after the fork' })
    await control('POST', `/${one.world}/clock/advance`, { by: '1h' })
  }
  assert.deepEqual(await head(past), await head(then), 'also after the same calls')
  assert.deepEqual(await ordersOf(past), await ordersOf(then))
  const { body: audit } = await control('GET', `/${past.world}/audit`)
  assert.deepEqual([audit.sound, audit.problems], [true, []])
})

test('a fork at the start has the accounts and nothing else; it resets to that instant', async () => {
  const world = await newWorld({ accounts: 2 })
  await played(world)
  const past = await forked(world.world, { at: '2026-01-05T15:00:00Z' })
  assert.deepEqual([past.accounts.length, past.now.slice(0, 19)], [2, '2026-01-05T15:00:00'])
  assert.deepEqual(await ordersOf(past), [])
  assert.equal((await get(traderOf(past), '/v2/account')).body.cash, '100000')
  const before = await head(past)
  await placeOrder(traderOf(past), marketBuy)
  await control('POST', `/${past.world}/reset`)
  assert.deepEqual(await head(past), before)
})

test('a fork of a fork reaches into the past of its parent; main can be forked too', async () => {
  const world = await newWorld()
  const instant = await played(world)
  await world.advance('1h')
  const fork = await forked(world.world)
  await control('DELETE', `/${world.world}`)
  const past = await forked(fork.world, { at: instant })
  assert.deepEqual(
    (await ordersOf(past)).map(({ status }) => status),
    ['filled', 'new'],
  )

  const order = await placeOrder(broker, restingBuy)
  const copy = await forked('main', { at: order.created_at })
  await call(broker, 'DELETE', `/v2/orders/${order.id}`)
  const later = await forked('main', { at: order.created_at })
  for (const one of [copy, later]) {
    const { body } = await control('GET', `/${one.world}/orders/${order.id}`)
    assert.notEqual(body.status, 'canceled')
  }
  assert.deepEqual(await head(later), await head(copy))
  for (const { world } of [copy, later]) await control('DELETE', `/${world}`)
})

test('an instant before the creation, after now, or no instant is refused, and no world is created', async () => {
  const world = await newWorld()
  await world.advance('10m')
  const count = async () => (await control('GET', '')).body.length
  const before = await count()
  const refused = [
    [
      '2026-01-05T14:59:59Z',
      /^at: expected an instant from 2026-01-05T15:00:00Z to 2026-01-05T15:10:00\.\d+Z, received/,
    ],
    ['2026-01-05T15:10:01Z', /^at: expected an instant from/],
    ['yesterday', /at/],
  ] as const
  for (const [at, message] of refused)
    assertRefused(await control('POST', `/${world.world}/fork`, { at }), 422, 40010001, message)
  assert.equal(await count(), before)
})

const sim = (method: string, path: string, body?: object) =>
  callAsOperator(broker, method, `/sim/v1/worlds/${path}`, body)
const headOf = async (world: string): Promise<Body> => (await sim('GET', `${world}/journal`)).body

async function reset(world: string): Promise<Body> {
  const response = await sim('POST', `${world}/reset`, {})
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body
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
