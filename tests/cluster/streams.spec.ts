import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Reader } from '../../server/src/http/testing/events.ts'
import { type Body, type Broker, call, callAsOperator } from '../support/broker.ts'
import { StreamClient } from '../support/stream-client.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openDatabase, startNode, untilHeld } from './nodes.ts'
import { assertSnapshots, followSnapshot } from './snapshot-streams.ts'

const { database, store, nodes } = await openDatabase('streams')
nodes.push(...(await Promise.all([startNode(store), startNode(store)])))
await untilHeld(nodes[0]!, 'main')

const order = { symbol: 'BTC/USD', qty: '0.001', side: 'buy', type: 'market', time_in_force: 'gtc' }
type Key = Pick<Broker, 'keyId' | 'secretKey'>

/** The node that holds main, and the other one. */
async function holderAndOther(): Promise<readonly [holder: Broker, other: Broker]> {
  const sql = `SELECT address FROM quipu_journals WHERE world = 'main' AND expires_at > clock_timestamp()`
  const [row] = await waitUntil('main is held', async () => {
    const rows = await database.run(sql, store)
    return rows.length > 0 && rows
  })
  const holder = nodes.find(({ url }) => url === row!['address'])!
  return [holder, nodes.find((node) => node !== holder)!]
}

async function authenticate(client: StreamClient, { keyId, secretKey }: Key): Promise<Body> {
  return client.request({ action: 'authenticate', data: { key_id: keyId, secret_key: secretKey } })
}

/** Collects every message of a client that listens to trade updates. */
async function listen(node: Broker, key: Key = node): Promise<{ client: StreamClient; updates: Body[] }> {
  const client = await StreamClient.open(`${node.url}/stream`)
  assert.equal((await authenticate(client, key)).data.status, 'authorized')
  const acknowledgement = await client.request({ action: 'listen', data: { streams: ['trade_updates'] } })
  assert.deepEqual(acknowledgement, { stream: 'listening', data: { streams: ['trade_updates'] } })
  const updates: Body[] = []
  client.socket.on('message', (data) => updates.push(JSON.parse(String(data))))
  return { client, updates }
}

/** A reader of server-sent events with the trade updates of an account. */
async function follow(t: TestContext, node: Broker, query = ''): Promise<Reader> {
  const reader = new Reader(`/v2/events/trades${query}`, node)
  t.after(() => reader.leave())
  await waitUntil('the stream is open', () => reader.status === 200)
  return reader
}

/** A reader of the live list of worlds. */
function worldsOf(t: TestContext, { url, brokerKey: keyId, brokerSecret: secretKey }: Broker): Reader {
  const reader = new Reader('/sim/v1/worlds', { url, keyId, secretKey }, { accept: 'text/event-stream' })
  t.after(() => reader.leave())
  return reader
}

async function newKey(accountId?: string): Promise<Key> {
  const wanted = accountId === undefined ? {} : { account_id: accountId }
  const { body } = await callAsOperator(nodes[0]!, 'POST', '/sim/v1/worlds/main/keys', wanted)
  return { keyId: body.key_id, secretKey: body.secret_key }
}

async function accountIds(): Promise<readonly string[]> {
  const { body } = await callAsOperator(nodes[0]!, 'GET', '/v1/accounts')
  return body.map(({ id }: Body) => id)
}

const closeOf = async ({ socket }: StreamClient): Promise<readonly [code: number, reason: string]> => {
  const [code, reason] = await once(socket, 'close')
  return [code, String(reason)]
}

/** The past updates from the first one of a client on, as its node returns them. */
async function pastUpdates(node: Broker, first: Body): Promise<readonly Body[]> {
  const query = `since=${first.data.at}&until=${new Date().toISOString()}`
  const reader = new Reader(`/v2/events/trades?${query}`, node)
  assert.equal(await reader.outcome, 'ended')
  const from = reader.events.findIndex(({ event_id: id }) => id === first.data.event_id)
  return reader.events.slice(from)
}

const fills = (updates: readonly Body[]): readonly string[] =>
  updates.filter(({ data }) => data.event === 'fill').map(({ data }) => data.order.id)

test('a client of any node receives the updates of orders that any node accepts', async () => {
  const clients = [await listen(nodes[0]!), await listen(nodes[1]!)]
  const ids: string[] = []
  for (const node of nodes) {
    const placed = await call(node, 'POST', '/v2/orders', order)
    assert.equal(placed.status, 200, JSON.stringify(placed.body))
    ids.push(placed.body.id)
  }
  for (const { updates } of clients)
    await waitUntil('both fills', () => ids.every((id) => fills(updates).includes(id)))
  assert.deepEqual(clients[0]!.updates, clients[1]!.updates)
  for (const { client } of clients) await client.close()
})

test('a node relays refusals of the holder', async () => {
  const [, other] = await holderAndOther()
  const client = await StreamClient.open(`${other.url}/stream`)
  const refused = await authenticate(client, { keyId: other.keyId, secretKey: 'wrong' })
  assert.equal(refused.data.status, 'unauthorized')
  assert.equal((await authenticate(client, other)).data.status, 'authorized')
  await client.close()
})

test('a node relays market data in MessagePack', async () => {
  const [, other] = await holderAndOther()
  const client = await StreamClient.open(`${other.url}/v2/test`, { 'Content-Type': 'application/msgpack' })
  assert.deepEqual(await client.next(), [{ T: 'success', msg: 'connected' }])
  const key = { key: other.keyId, secret: other.secretKey }
  assert.deepEqual(await client.request({ action: 'auth', ...key }), [{ T: 'success', msg: 'authenticated' }])
  const symbols = ['FAKEPACA']
  const [subscribed] = await client.request({ action: 'subscribe', quotes: symbols, trades: symbols })
  assert.deepEqual([subscribed.T, subscribed.quotes], ['subscription', symbols])
  const { message, isBinary } = await client.nextFrame()
  assert.deepEqual([message[0].S, isBinary], ['FAKEPACA', true])
  await client.close()
})

test('credentials in the headers of the handshake authenticate at the holder', async () => {
  const [, other] = await holderAndOther()
  const headers = { 'APCA-API-KEY-ID': other.keyId, 'APCA-API-SECRET-KEY': other.secretKey }
  const client = await StreamClient.open(`${other.url}/v2/test`, headers)
  assert.deepEqual(await client.next(), [{ T: 'success', msg: 'connected' }])
  assert.deepEqual(await client.next(), [{ T: 'success', msg: 'authenticated' }])
  await client.close()
})

test('a revoked key closes its streams at every node', async () => {
  const key = await newKey()
  const clients = [await listen(nodes[0]!, key), await listen(nodes[1]!, key)]
  const closed = Promise.all(clients.map(({ client }) => closeOf(client)))
  await callAsOperator(nodes[0]!, 'DELETE', `/sim/v1/worlds/main/keys/${key.keyId}`)
  const revoked = [1008, 'credential revoked'] as const
  assert.deepEqual(await closed, [revoked, revoked])
})

const PAUSE_MS = 100
/** Less than a node waits for the response of a node that renews its lease. */
const HANGING_SECONDS = 25

/** Places orders until it is stopped. Returns the ids of those that were acknowledged. */
function placeOrders(t: TestContext, node: Broker): { readonly ids: string[]; stop(): Promise<void> } {
  const ids: string[] = []
  let isOver = false
  t.after(() => {
    isOver = true
  })
  const place = async () => {
    const response = await call(node, 'POST', '/v2/orders', order).catch(() => undefined)
    if (response?.status === 200) ids.push(response.body.id)
  }
  const placing = (async () => {
    for (; !isOver; await sleep(PAUSE_MS)) await place()
  })()
  return {
    ids,
    async stop() {
      isOver = true
      await placing
    },
  }
}

/** The updates of a client: of a WebSocket, or of a reader of server-sent events. */
const updatesOf = (source: readonly Body[] | Reader): readonly Body[] =>
  source instanceof Reader ? source.events.map((data) => ({ stream: 'trade_updates', data })) : source

async function assertComplete(
  node: Broker,
  source: readonly Body[] | Reader,
  ids: readonly string[],
): Promise<void> {
  await waitUntil('the fills of all acknowledged orders', () => {
    const filled = new Set(fills(updatesOf(source)))
    return ids.every((id) => filled.has(id))
  })
  const updates = updatesOf(source)
  assert.ok(updates.every(({ stream }) => stream === 'trade_updates'))
  assert.deepEqual(
    updates.map(({ data }) => data),
    (await pastUpdates(node, updates[0])).slice(0, updates.length),
  )
}

test('clients of both nodes continue when the world moves', async (t) => {
  const [holder, other] = await holderAndOther()
  const clients = [await listen(holder), await listen(other)]
  const since = `?since=${new Date().toISOString()}`
  const readers = [await follow(t, holder), await follow(t, other), await follow(t, other, since)]
  const lists = nodes.map((node) => worldsOf(t, node))
  const snapshots = await Promise.all(nodes.map((node) => followSnapshot(t, node)))
  const orders = placeOrders(t, holder)
  await waitUntil('orders', () => orders.ids.length > 3)
  const moved = await callAsOperator(other, 'POST', '/sim/v1/cluster/moves', {
    world: 'main',
    node: other.url,
  })
  assert.equal(moved.status, 200, JSON.stringify(moved.body))
  const countBefore = orders.ids.length
  await waitUntil('more orders', () => orders.ids.length > countBefore + 3)
  await orders.stop()
  for (const reader of readers) await assertComplete(other, reader, orders.ids)
  await assertSnapshots(nodes, snapshots)
  for (const { events } of lists)
    await waitUntil('the list of worlds of the next holder', () => events.filter(Array.isArray).length > 1)
  for (const { client, updates } of clients) {
    await assertComplete(other, updates, orders.ids)
    await client.close()
  }
})

test('clients continue when another node takes the world of a node that hangs', async (t) => {
  const [holder, other] = await holderAndOther()
  const [atHolder, atOther] = [await listen(holder), await listen(other)]
  const readers = [await follow(t, holder), await follow(t, other)]
  const orders = placeOrders(t, other)
  await waitUntil('updates', () => atHolder.updates.length > 10 && atOther.updates.length > 10)
  t.after(() => holder.process.kill('SIGCONT'))
  holder.process.kill('SIGSTOP')
  const countBefore = orders.ids.length
  const isAccepting = () => orders.ids.length > countBefore + 5
  await waitUntil('the other node accepts orders', isAccepting, HANGING_SECONDS)
  holder.process.kill('SIGCONT')
  await waitUntil('both clients continue', () => {
    const last = orders.ids.at(-1)!
    return fills(atOther.updates).includes(last) && fills(atHolder.updates).includes(last)
  })
  await orders.stop()
  for (const reader of readers) await assertComplete(other, reader, orders.ids)
  for (const { client, updates } of [atHolder, atOther]) {
    await assertComplete(other, updates, orders.ids)
    await client.close()
  }
})

test('clients continue when their node survives a killed holder', async (t) => {
  const [holder, other] = await holderAndOther()
  const { client, updates } = await listen(other)
  const otherKey = await newKey((await accountIds()).find((id) => id !== other.accountId))
  const unused = await listen(other, otherKey)
  const reader = await follow(t, other)
  const data = await StreamClient.open(`${other.url}/v2/test`)
  await data.next()
  await data.request({ action: 'auth', key: other.keyId, secret: other.secretKey })
  await data.request({ action: 'subscribe', quotes: ['FAKEPACA'], trades: ['FAKEPACA'] })
  const orders = placeOrders(t, other)
  await waitUntil('updates', () => updates.length > 30)
  await holder.kill()
  const first = await waitUntil('an order of the other account', async () => {
    const { status, body } = await call({ ...otherKey, url: other.url }, 'POST', '/v2/orders', order)
    return status === 200 && body.id
  })
  const countBefore = orders.ids.length
  await waitUntil('the other node accepts orders', () => orders.ids.length > countBefore + 5)
  await orders.stop()
  await assertComplete(other, updates, orders.ids)
  await assertComplete(other, reader, orders.ids)
  await assertComplete({ ...other, ...otherKey }, unused.updates, [first])
  await data.rest()
  assert.equal((await data.next())[0].S, 'FAKEPACA')
  await Promise.all([client.close(), unused.client.close(), data.close()])
})
