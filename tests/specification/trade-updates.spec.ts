import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { type Body, call } from '../support/broker.ts'
import type { StreamClient } from '../support/stream-client.ts'
import { get, marketBuy, newWorld, openStream, placeOrder, restingBuy, UUID, type World } from './stage.ts'

const world = await newWorld()
const classic = ({ keyId, secretKey }: Pick<World, 'keyId' | 'secretKey'> = world) => ({
  action: 'authenticate',
  data: { key_id: keyId, secret_key: secretKey },
})
const listen = { action: 'listen', data: { streams: ['trade_updates'] } }
const listening = { stream: 'listening', data: { streams: ['trade_updates'] } }
const authorized = { stream: 'authorization', data: { status: 'authorized', action: 'authenticate' } }
const refused = (message: string) => ({
  stream: 'authorization',
  data: { status: 'unauthorized', action: 'authenticate', message },
})

/** A client that receives the trade updates of an account. */
async function openFollower(
  caller = world,
  headers: Readonly<Record<string, string>> = {},
): Promise<StreamClient> {
  const client = await openStream('/stream', headers)
  assert.deepEqual(await client.request(classic(caller)), authorized)
  assert.deepEqual(await client.request(listen), listening)
  return client
}

for (const [title, message] of [
  ['as most SDKs write it', () => classic()],
  [
    'as the current documentation writes it',
    () => ({ action: 'auth', key: world.keyId, secret: world.secretKey }),
  ],
] as const)
  test(`authentication ${title}: authorized, without an earlier message`, async (t) => {
    const client = await openStream('/stream')
    t.after(() => client.close())
    assert.deepEqual(await client.rest(), [])
    assert.deepEqual(await client.request(message()), authorized)
    assert.deepEqual(await client.request(listen), listening)
  })

test('authentication by an OAuth token: authorized, with updates of its orders', async (t) => {
  const { oauth_client } = world.created
  const grant = { ...oauth_client, scope: 'trading', account_id: world.accountId }
  const { body } = await call(world.partner, 'POST', '/v1/oauth/token', grant)
  const client = await openStream('/stream')
  t.after(() => client.close())
  const data = { oauth_token: body.access_token }
  assert.deepEqual(await client.request({ action: 'authenticate', data }), authorized)
  assert.deepEqual(await client.request(listen), listening)
  const { id } = await placeOrder(world, restingBuy)
  assert.equal((await client.next()).data.order.id, id)
})

for (const [title, message, response] of [
  ['an unknown key', () => classic({ keyId: 'PKNOBODY', secretKey: 'x' }), 'access key verification failed'],
  ['a wrong secret', () => classic({ ...world, secretKey: 'wrong' }), 'access key verification failed'],
  [
    'an unknown token',
    () => ({ action: 'authenticate', data: { oauth_token: 'x' } }),
    'access key verification failed',
  ],
  ["a partner's key", () => classic(world.partner), 'access key verification failed'],
  [
    'no credentials',
    () => ({ action: 'authenticate', data: {} }),
    'must provide key_id and secret_key or oauth_token',
  ],
] as const)
  test(`authentication with ${title}: unauthorized, with a message`, async (t) => {
    const client = await openStream('/stream')
    t.after(() => client.close())
    assert.deepEqual(await client.request(message()), refused(response))
  })

test('listen before authentication: unauthorized; after authentication it works', async (t) => {
  const client = await openStream('/stream')
  t.after(() => client.close())
  const response = { stream: 'authorization', data: { status: 'unauthorized', action: 'listen' } }
  assert.deepEqual(await client.request(listen), response)
  assert.deepEqual(await client.request(classic()), authorized)
  assert.deepEqual(await client.request(listen), listening)
})

test('every listen is acknowledged, also a repeated one, and updates are sent once', async (t) => {
  const client = await openFollower()
  t.after(() => client.close())
  assert.deepEqual(await client.request(listen), listening)
  await placeOrder(world, restingBuy)
  const events = [await client.next(), await client.next()].map(({ data }) => data.event)
  assert.deepEqual([events, await client.rest()], [['pending_new', 'new'], []])
})

test('a listen replaces the previous one; unknown streams are omitted', async (t) => {
  const client = await openFollower()
  t.after(() => client.close())
  const streams = (names: readonly string[]) => ({ action: 'listen', data: { streams: names } })
  assert.deepEqual(await client.request(streams([])), { stream: 'listening', data: { streams: [] } })
  await placeOrder(world, restingBuy)
  assert.deepEqual(await client.rest(), [])
  assert.deepEqual(await client.request(streams(['quotes', 'trade_updates'])), listening)
  await placeOrder(world, restingBuy)
  assert.equal((await client.next()).data.event, 'pending_new')
})

for (const [title, message] of [
  ['plain text', 'hello'],
  ['an unknown action', '{"action":"dance"}'],
  ['a list', '[]'],
] as const)
  test(`${title}: an error as text, then the connection is closed`, async () => {
    const client = await openStream('/stream')
    const closed = once(client.socket, 'close')
    client.socket.send(message)
    const error = await client.next()
    assert.deepEqual([error.stream, error.action], ['error', 'error'])
    assert.equal(typeof error.data.error_message, 'string')
    assert.equal(error.data.error, error.data.error_message)
    await closed
  })

for (const [title, headers, isBinary] of [
  ['JSON in binary frames', {}, true],
  ['JSON in text frames for a handshake with an Origin', { Origin: new URL(world.url).origin }, false],
  ['MessagePack in binary frames on request', { 'Content-Type': 'application/msgpack' }, true],
] as readonly (readonly [string, Record<string, string>, boolean])[])
  test(`the server sends ${title}`, async (t) => {
    const client = await openStream('/stream', headers)
    t.after(() => client.close())
    client.send(classic())
    const first = await client.nextFrame()
    assert.deepEqual([first.message, first.isBinary], [authorized, isBinary])
    client.send(listen)
    assert.deepEqual(await client.nextFrame(), { message: listening, isBinary })
    const order = await placeOrder(world, restingBuy)
    const { message, isBinary: actual } = await client.nextFrame()
    assert.equal(actual, isBinary)
    assert.deepEqual(message.data.order, order)
  })

const eventsOf = async (client: StreamClient, orderId: string): Promise<Body[]> =>
  (await client.rest())
    .map(({ stream, data }) => {
      assert.equal(stream, 'trade_updates')
      return data
    })
    .filter(({ order }) => order.id === orderId)

const updateRows: readonly (readonly [
  string,
  Record<string, string>,
  Body,
  (world: World, id: string) => Promise<unknown>,
  string,
])[] = [
  ['filled at once', {}, marketBuy, async () => 0, 'pending_new:pending_new new:new fill:filled'],
  [
    'canceled',
    {},
    restingBuy,
    (world, id) => call(world, 'DELETE', `/v2/orders/${id}`),
    'pending_new:pending_new new:new canceled:canceled',
  ],
  [
    'expired',
    {},
    restingBuy,
    (world) => world.advance('6h'),
    'pending_new:pending_new new:new expired:expired',
  ],
  [
    'delayed by latency',
    { latency: '2s' },
    marketBuy,
    (world) => world.advance('2s'),
    'pending_new:pending_new new:new fill:filled',
  ],
  [
    'queued overnight',
    { hours: 'nyse', start: '2026-01-05T23:00:00Z' },
    marketBuy,
    (world) => world.advance('16h'),
    'accepted:accepted pending_new:pending_new new:new fill:filled',
  ],
]

for (const [title, settings, order, action, expected] of updateRows)
  test(`updates of an order that is ${title}: ${expected.replaceAll(/:\w+/g, '')}`, async (t) => {
    const fresh = await newWorld(settings)
    const client = await openFollower(fresh)
    t.after(() => client.close())
    const { id } = await placeOrder(fresh, order)
    await action(fresh, id)
    const updates = await eventsOf(client, id)
    assert.equal(updates.map(({ event, order: { status } }) => `${event}:${status}`).join(' '), expected)
    for (const [index, update] of updates.entries()) assertComplete(update, updates[index - 1])
    assert.deepEqual(updates.at(-1).order, (await get(fresh, `/v2/orders/${id}`)).body)
  })

/** Checks the fields that every update has. */
function assertComplete(update: Body, before: Body | undefined): void {
  const { event, timestamp, at, event_id, order, execution_id, price, qty, position_qty } = update
  assert.match(timestamp, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/)
  assert.equal(at, timestamp)
  assert.match(event_id, /^[0-9A-HJKMNP-TV-Z]{26}$/)
  if (before) assert.ok(before.event_id < event_id, 'in order')
  assert.match(order.id, UUID)
  for (const field of ['client_order_id', 'symbol', 'status', 'created_at', 'updated_at', 'submitted_at'])
    assert.equal(typeof order[field], 'string')
  for (const field of ['filled_avg_price', 'notional', 'legs', 'stop_price']) assert.ok(field in order)
  const isFill = event === 'fill' || event === 'partial_fill'
  if (!isFill) return assert.deepEqual([price, qty, position_qty], [undefined, undefined, undefined])
  assert.match(execution_id, UUID)
  for (const amount of [price, qty, position_qty]) assert.match(amount, /^\d+(\.\d+)?$/)
}

test('partial fills: each update has the price and size of its execution', async (t) => {
  const thin = await newWorld({ fill_size: 'displayed' })
  const client = await openFollower(thin)
  t.after(() => client.close())
  const { id } = await placeOrder(thin, { ...marketBuy, symbol: 'KO', qty: '4000' })
  await thin.advance('1h')
  const updates = await eventsOf(client, id)
  for (const [index, update] of updates.entries()) assertComplete(update, updates[index - 1])
  const fills = updates.filter(({ price }) => price !== undefined)
  assert.ok(fills.length > 1)
  assert.deepEqual(
    fills.map(({ event }) => event),
    [...fills.slice(1).map(() => 'partial_fill'), 'fill'],
  )
  let held = 0
  for (const { qty, position_qty, order } of fills) {
    held += Number(qty)
    assert.deepEqual([position_qty, order.filled_qty], [String(held), String(held)])
  }
  assert.equal(held, 4000)
  assert.equal(new Set(fills.map(({ execution_id }) => execution_id)).size, fills.length)
})

test('the update of a sale has the remaining position', async (t) => {
  const fresh = await newWorld()
  const client = await openFollower(fresh)
  t.after(() => client.close())
  await placeOrder(fresh, { ...marketBuy, qty: '3' })
  const { id } = await placeOrder(fresh, { ...marketBuy, side: 'sell', qty: '2' })
  const fill = (await eventsOf(client, id)).find(({ event }) => event === 'fill')
  assert.deepEqual([fill.qty, fill.position_qty], ['2', '1'])
})

test('every connection of an account receives updates, and no connection of another account', async (t) => {
  const two = await newWorld({ accounts: 2 })
  const [, second] = two.created.accounts
  const other = { ...two, keyId: second.key_id, secretKey: second.secret_key }
  const clients = [await openFollower(two), await openFollower(two), await openFollower(other)]
  t.after(() => Promise.all(clients.map((client) => client.close())))
  const { id } = await placeOrder(two, marketBuy)
  const received = await Promise.all(clients.map((client) => eventsOf(client, id)))
  assert.deepEqual(
    received.map((updates) => updates.length),
    [3, 3, 0],
  )
  assert.deepEqual(received[0], received[1])
})

test('after a reconnect the client authenticates and listens again, and receives later updates', async (t) => {
  const first = await openFollower()
  first.socket.terminate()
  const again = await openFollower()
  t.after(() => again.close())
  const { id } = await placeOrder(world, marketBuy)
  assert.equal((await eventsOf(again, id)).length, 3)
})
