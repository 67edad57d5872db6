import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { type Body, call } from '../broker.ts'
import type { StreamClient } from '../stream-client.ts'
import { get, marketBuy, openStream, placed, restingBuy, UUID, type World, world } from './stage.ts'

const own = await world()
const classic = ({ keyId, secretKey }: Pick<World, 'keyId' | 'secretKey'> = own) => ({
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

/** A client that is told of an account's orders from now on. */
async function follower(who = own, headers: Readonly<Record<string, string>> = {}): Promise<StreamClient> {
  const client = await openStream('/stream', headers)
  assert.deepEqual(await client.request(classic(who)), authorized)
  assert.deepEqual(await client.request(listen), listening)
  return client
}

for (const [given, message] of [
  ['as most SDKs write it', () => classic()],
  [
    'as the current documentation writes it',
    () => ({ action: 'auth', key: own.keyId, secret: own.secretKey }),
  ],
] as const)
  test(`authentication ${given}: authorized, and nothing was said before`, async (t) => {
    const client = await openStream('/stream')
    t.after(() => client.close())
    assert.deepEqual(await client.rest(), [])
    assert.deepEqual(await client.request(message()), authorized)
    assert.deepEqual(await client.request(listen), listening)
  })

test('authentication by an OAuth token: authorized, and its orders are told', async (t) => {
  const { oauth_client } = own.created
  const ask = { ...oauth_client, scope: 'trading', account_id: own.accountId }
  const { body } = await call(own.partner, 'POST', '/v1/oauth/token', ask)
  const client = await openStream('/stream')
  t.after(() => client.close())
  const data = { oauth_token: body.access_token }
  assert.deepEqual(await client.request({ action: 'authenticate', data }), authorized)
  assert.deepEqual(await client.request(listen), listening)
  const { id } = await placed(own, restingBuy)
  assert.equal((await client.next()).data.order.id, id)
})

for (const [given, message, answer] of [
  ['an unknown key', () => classic({ keyId: 'PKNOBODY', secretKey: 'x' }), 'access key verification failed'],
  ['a wrong secret', () => classic({ ...own, secretKey: 'wrong' }), 'access key verification failed'],
  [
    'a token nobody issued',
    () => ({ action: 'authenticate', data: { oauth_token: 'x' } }),
    'access key verification failed',
  ],
  ["a partner's key", () => classic(own.partner), 'access key verification failed'],
  [
    'nothing',
    () => ({ action: 'authenticate', data: {} }),
    'must provide key_id and secret_key or oauth_token',
  ],
] as const)
  test(`authentication with ${given}: unauthorized, with a message`, async (t) => {
    const client = await openStream('/stream')
    t.after(() => client.close())
    assert.deepEqual(await client.request(message()), refused(answer))
  })

test('listening before authentication: unauthorized; after it, all is well', async (t) => {
  const client = await openStream('/stream')
  t.after(() => client.close())
  const answer = { stream: 'authorization', data: { status: 'unauthorized', action: 'listen' } }
  assert.deepEqual(await client.request(listen), answer)
  assert.deepEqual(await client.request(classic()), authorized)
  assert.deepEqual(await client.request(listen), listening)
})

test('every listen is acknowledged, also a repeated one, and updates come once', async (t) => {
  const client = await follower()
  t.after(() => client.close())
  assert.deepEqual(await client.request(listen), listening)
  await placed(own, restingBuy)
  const events = [await client.next(), await client.next()].map(({ data }) => data.event)
  assert.deepEqual([events, await client.rest()], [['pending_new', 'new'], []])
})

test('a listen replaces the one before; streams that do not exist are left out', async (t) => {
  const client = await follower()
  t.after(() => client.close())
  const streams = (names: readonly string[]) => ({ action: 'listen', data: { streams: names } })
  assert.deepEqual(await client.request(streams([])), { stream: 'listening', data: { streams: [] } })
  await placed(own, restingBuy)
  assert.deepEqual(await client.rest(), [])
  assert.deepEqual(await client.request(streams(['quotes', 'trade_updates'])), listening)
  await placed(own, restingBuy)
  assert.equal((await client.next()).data.event, 'pending_new')
})

for (const [given, message] of [
  ['words', 'hello'],
  ['an action nobody knows', '{"action":"dance"}'],
  ['a list', '[]'],
] as const)
  test(`${given}: an error as text, then the connection is closed`, async () => {
    const client = await openStream('/stream')
    const closed = once(client.socket, 'close')
    client.socket.send(message)
    const error = await client.next()
    assert.deepEqual([error.stream, error.action], ['error', 'error'])
    assert.equal(typeof error.data.error_message, 'string')
    assert.equal(error.data.error, error.data.error_message)
    await closed
  })

for (const [given, headers, isBinary] of [
  ['JSON in binary frames', {}, true],
  ['JSON in text frames for a handshake with an Origin', { Origin: new URL(own.url).origin }, false],
  ['MessagePack in binary frames when asked', { 'Content-Type': 'application/msgpack' }, true],
] as readonly (readonly [string, Record<string, string>, boolean])[])
  test(`the server speaks ${given}`, async (t) => {
    const client = await openStream('/stream', headers)
    t.after(() => client.close())
    client.send(classic())
    const first = await client.nextFrame()
    assert.deepEqual([first.message, first.isBinary], [authorized, isBinary])
    client.send(listen)
    assert.deepEqual(await client.nextFrame(), { message: listening, isBinary })
    const order = await placed(own, restingBuy)
    const { message, isBinary: was } = await client.nextFrame()
    assert.equal(was, isBinary)
    assert.deepEqual(message.data.order, order)
  })

const eventsOf = async (client: StreamClient, orderId: string): Promise<Body[]> =>
  (await client.rest())
    .map(({ stream, data }) => {
      assert.equal(stream, 'trade_updates')
      return data
    })
    .filter(({ order }) => order.id === orderId)

const lives: readonly (readonly [
  string,
  Record<string, string>,
  Body,
  (own: World, id: string) => Promise<unknown>,
  string,
])[] = [
  ['filled at once', {}, marketBuy, async () => 0, 'pending_new:pending_new new:new fill:filled'],
  [
    'canceled',
    {},
    restingBuy,
    (own, id) => call(own, 'DELETE', `/v2/orders/${id}`),
    'pending_new:pending_new new:new canceled:canceled',
  ],
  ['expired', {}, restingBuy, (own) => own.advance('6h'), 'pending_new:pending_new new:new expired:expired'],
  [
    'on its way for a while',
    { latency: '2s' },
    marketBuy,
    (own) => own.advance('2s'),
    'pending_new:pending_new new:new fill:filled',
  ],
  [
    'queued overnight',
    { hours: 'nyse', start: '2026-01-05T23:00:00Z' },
    marketBuy,
    (own) => own.advance('16h'),
    'accepted:accepted pending_new:pending_new new:new fill:filled',
  ],
]

for (const [given, settings, order, then, life] of lives)
  test(`the life of an order that is ${given}: ${life.replaceAll(/:\w+/g, '')}`, async (t) => {
    const fresh = await world(settings)
    const client = await follower(fresh)
    t.after(() => client.close())
    const { id } = await placed(fresh, order)
    await then(fresh, id)
    const updates = await eventsOf(client, id)
    assert.equal(updates.map(({ event, order: { status } }) => `${event}:${status}`).join(' '), life)
    for (const [index, update] of updates.entries()) assertWhole(update, updates[index - 1])
    assert.deepEqual(updates.at(-1).order, (await get(fresh, `/v2/orders/${id}`)).body)
  })

/** Every field a client may rely on, whatever the event. */
function assertWhole(update: Body, before: Body | undefined): void {
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

test('an order that fills in parts: each execution with its own price and size', async (t) => {
  const thin = await world({ fill_size: 'displayed' })
  const client = await follower(thin)
  t.after(() => client.close())
  const { id } = await placed(thin, { ...marketBuy, symbol: 'KO', qty: '4000' })
  await thin.advance('1h')
  const updates = await eventsOf(client, id)
  for (const [index, update] of updates.entries()) assertWhole(update, updates[index - 1])
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

test('a sale says what the account then holds', async (t) => {
  const fresh = await world()
  const client = await follower(fresh)
  t.after(() => client.close())
  await placed(fresh, { ...marketBuy, qty: '3' })
  const { id } = await placed(fresh, { ...marketBuy, side: 'sell', qty: '2' })
  const fill = (await eventsOf(client, id)).find(({ event }) => event === 'fill')
  assert.deepEqual([fill.qty, fill.position_qty], ['2', '1'])
})

test('every connection of an account is told, and none of another account', async (t) => {
  const two = await world({ accounts: 2 })
  const [, second] = two.created.accounts
  const other = { ...two, keyId: second.key_id, secretKey: second.secret_key }
  const clients = [await follower(two), await follower(two), await follower(other)]
  t.after(() => Promise.all(clients.map((client) => client.close())))
  const { id } = await placed(two, marketBuy)
  const heard = await Promise.all(clients.map((client) => eventsOf(client, id)))
  assert.deepEqual(
    heard.map((updates) => updates.length),
    [3, 3, 0],
  )
  assert.deepEqual(heard[0], heard[1])
})

test('after a reconnect the client authenticates and listens again, and is told of what follows', async (t) => {
  const first = await follower()
  first.socket.terminate()
  const again = await follower()
  t.after(() => again.close())
  const { id } = await placed(own, marketBuy)
  assert.equal((await eventsOf(again, id)).length, 3)
})
