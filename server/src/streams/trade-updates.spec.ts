import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { seedWorld } from '@quipu/broker/access/issue-keys.ts'
import { operations, type Problem } from '@quipu/contract'
import type { Instant, WorldId } from '@quipu/core'
import { OPEN_MONDAY } from '../http/testing/server.ts'
import { advance, buy, Client, type Json, openStage, type Stage, updatesClient } from './testing/sockets.ts'

let stage: Stage
before(async () => {
  stage = await openStage()
})
after(() => stage.close())

const streamUrl = () => `${stage.wsUrl}/stream`
const pair = () => ({ key_id: stage.key.keyId, secret_key: stage.key.secretKey })
const listen = { action: 'listen', data: { streams: ['trade_updates'] } }
const authorized = { stream: 'authorization', data: { status: 'authorized', action: 'authenticate' } }
const unauthorized = (message: string) => ({
  stream: 'authorization',
  data: { status: 'unauthorized', action: 'authenticate', message },
})
const listening = (...streams: string[]) => ({ stream: 'listening', data: { streams } })

test('the response to authentication is the first message', async () => {
  const client = await Client.open(streamUrl())
  assert.deepEqual(await client.rest(), [])
  assert.deepEqual(await client.request({ action: 'authenticate', data: pair() }), authorized)
  await client.leave()
})

const authentications: readonly (readonly [request: () => Json, response: Json])[] = [
  [() => ({ action: 'authenticate', data: pair() }), authorized],
  [() => ({ action: 'auth', key: stage.key.keyId, secret: stage.key.secretKey }), authorized],
  [
    () => ({ action: 'authenticate', data: { ...pair(), secret_key: 'wrong' } }),
    unauthorized('access key verification failed'),
  ],
  [
    () => ({ action: 'auth', key: stage.partnerKey.keyId, secret: stage.partnerKey.secretKey }),
    unauthorized('access key verification failed'),
  ],
  [
    () => ({ action: 'authenticate', data: { oauth_token: 'none' } }),
    unauthorized('access key verification failed'),
  ],
  [
    () => ({ action: 'authenticate', data: {} }),
    unauthorized('must provide key_id and secret_key or oauth_token'),
  ],
  [() => listen, { stream: 'authorization', data: { status: 'unauthorized', action: 'listen' } }],
]

for (const [number, [request, response]] of authentications.entries())
  test(`first message ${number + 1} gets ${JSON.stringify(response.data)}`, async () => {
    const client = await Client.open(streamUrl())
    assert.deepEqual(await client.request(request()), response)
    assert.deepEqual(await client.request({ action: 'authenticate', data: pair() }), authorized)
    await client.leave()
  })

test('a client may authenticate again, but not as another account', async () => {
  const client = await updatesClient(stage)
  assert.deepEqual(await client.request({ action: 'authenticate', data: pair() }), authorized)
  const other = { action: 'auth', key: stage.otherKey.keyId, secret: stage.otherKey.secretKey }
  assert.deepEqual(await client.request(other), unauthorized('access key verification failed'))
  await client.leave()
})

test('listen replaces the set and is acknowledged every time', async () => {
  const client = await updatesClient(stage)
  const steps: readonly (readonly [request: Json, response: Json])[] = [
    [listen, listening('trade_updates')],
    [
      { action: 'listen', data: { streams: ['account_updates', 'trade_updates'] } },
      listening('trade_updates'),
    ],
    [{ action: 'unlisten', data: { streams: ['account_updates'] } }, listening('trade_updates')],
    [{ action: 'unlisten', data: { streams: ['trade_updates'] } }, listening()],
    [listen, listening('trade_updates')],
    [{ action: 'listen', data: { streams: [] } }, listening()],
  ]
  for (const [request, response] of steps) assert.deepEqual(await client.request(request), response)
  await buy(stage, stage.accountId, '1', 'not-sent')
  await advance(stage, 1)
  assert.deepEqual(await client.rest(), [])
  await client.leave()
})

test('frames are binary JSON, text for a browser, or MessagePack', async () => {
  const request = { action: 'authenticate', data: pair() }
  for (const [options, binary] of [
    [{}, true],
    [{ headers: { Origin: new URL(stage.url).origin } }, false],
    [{ codec: 'messagePack' }, true],
  ] as const) {
    const client = await Client.open(streamUrl(), options)
    client.send(request)
    assert.deepEqual(await client.nextFrame(), { message: authorized, isBinary: binary })
    await client.leave()
  }
})

test('an unknown message gets an error and closes the stream', async () => {
  for (const request of [{ action: 'sing' }, 5, null, { action: 'listen', data: {} }]) {
    const client = await Client.open(streamUrl())
    const { stream, action, data } = await client.request(request)
    assert.deepEqual([stream, action, data.error], ['error', 'error', data.error_message])
    assert.equal((await client.closed).code, 1008)
  }
})

test('a client receives each update of an order once and in order, from acceptance to fill', async () => {
  const clients = [
    await updatesClient(stage),
    await updatesClient(stage, stage.key, { codec: 'messagePack' }),
  ]
  await buy(stage, stage.accountId, '2.5', 'followed')
  await advance(stage, 1)
  const [updates, packed] = [await clients[0]!.rest(), await clients[1]!.rest()]
  assert.deepEqual(packed, updates)
  assert.deepEqual(
    updates.map(({ stream, data }) => [stream, data.event, data.order.status]),
    [
      ['trade_updates', 'pending_new', 'pending_new'],
      ['trade_updates', 'new', 'new'],
      ['trade_updates', 'fill', 'filled'],
    ],
  )
  for (const { data } of updates) {
    const problems: Problem[] = []
    operations.getOrder.output.parse(data.order, 'order', problems)
    assert.deepEqual(problems, [])
    assert.equal(data.order.client_order_id, 'followed')
    assert.equal(data.timestamp, data.at)
    assert.match(data.event_id, /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  }
  const ids = updates.map(({ data }) => data.event_id)
  assert.deepEqual(ids, [...new Set(ids)].sort())
  const fill = updates[2].data
  assert.deepEqual([fill.qty, fill.price], ['2.5', fill.order.filled_avg_price])
  assert.match(fill.execution_id, /^[0-9a-f-]{36}$/)
  const [position] = stage.world.view.positions.get(stage.accountId)!.values()
  assert.equal(fill.position_qty, String(Number(position!.quantity) / 1e9))
  assert.equal('price' in updates[1].data, false)
  for (const client of clients) await client.leave()
})

test('a cancel and an expiry send updates', async () => {
  const limitOrder = { type: 'limit', limit: 1_000_000_000n }
  const client = await updatesClient(stage)
  await buy(stage, stage.accountId, '1', 'canceled', limitOrder)
  await buy(stage, stage.accountId, '1', 'expired', limitOrder)
  await advance(stage, 1)
  const orders = [...stage.world.view.orders.values()]
  const orderId = orders.find(({ clientOrderId }) => clientOrderId === ('canceled' as string))!.id
  await stage.world.commands.submit(
    { kind: 'cancelOrder', accountId: stage.accountId, orderId },
    () => undefined,
  )
  await advance(stage, 7 * 60)
  const updates = (await client.rest()).map(({ data }) => `${data.order.client_order_id} ${data.event}`)
  assert.deepEqual(updates.slice(4), ['canceled canceled', 'expired expired'])
  await buy(stage, stage.accountId, '1', 'queued')
  await advance(stage, 24 * 60)
  const later = (await client.rest()).map(({ data }) => `${data.event} ${data.order.status}`)
  assert.deepEqual(later, ['accepted accepted', 'pending_new pending_new', 'new new', 'fill filled'])
  await client.leave()
})

test('a client gets only the updates of its account in its world', async () => {
  const entry = await stage.services.worlds.lifecycle.create(
    'other' as WorldId,
    stage.world.view.settings!,
    OPEN_MONDAY,
  )
  const { accounts } = await seedWorld(entry.world, {
    accounts: ['paper'],
    cash: stage.world.view.settings!.startingCash,
  })
  const clients = [
    await updatesClient(stage),
    await updatesClient(stage, stage.otherKey),
    await updatesClient(stage, accounts[0]!),
  ]
  await buy(stage, stage.accountId, '1', 'mine')
  await buy(entry, accounts[0]!.account.id, '1', 'elsewhere')
  const received = await Promise.all(clients.map(async (client) => client.rest()))
  assert.deepEqual(
    received.map((messages) => messages.map(({ data }) => data.order.client_order_id)),
    [['mine'], [], ['elsewhere']],
  )
  await stage.services.worlds.lifecycle.delete('other' as WorldId)
  assert.deepEqual(await clients[2]!.closed, { code: 1012, reason: 'the world is being deleted' })
  await clients[0]!.leave()
  await clients[1]!.leave()
})

test('all updates of an advance are sent when it returns', async () => {
  const client = await updatesClient(stage)
  await buy(stage, stage.accountId, '1', 'arrived')
  await stage.clock.advance((stage.clock.now() + 1n) as Instant)
  assert.equal(stage.streams.stats().bufferedBytes, 0)
  assert.equal((await client.next()).data.order.client_order_id, 'arrived')
  await client.leave()
})
