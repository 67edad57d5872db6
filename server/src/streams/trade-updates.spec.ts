import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations, type Problem } from '@quipu/contract'
import type { Instant, WorldId } from '@quipu/core'
import { seedWorld } from '../access/issue-keys.ts'
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

test('nothing is said before the answer to authentication', async () => {
  const client = await Client.open(streamUrl())
  assert.deepEqual(await client.rest(), [])
  assert.deepEqual(await client.ask({ action: 'authenticate', data: pair() }), authorized)
  await client.leave()
})

const authentications: readonly (readonly [said: () => Json, answer: Json])[] = [
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

for (const [number, [said, answer]] of authentications.entries())
  test(`first words ${number + 1} are answered ${JSON.stringify(answer.data)}`, async () => {
    const client = await Client.open(streamUrl())
    assert.deepEqual(await client.ask(said()), answer)
    assert.deepEqual(await client.ask({ action: 'authenticate', data: pair() }), authorized)
    await client.leave()
  })

test('who is in may say so again, and cannot become someone else', async () => {
  const client = await updatesClient(stage)
  assert.deepEqual(await client.ask({ action: 'authenticate', data: pair() }), authorized)
  const other = { action: 'auth', key: stage.otherKey.keyId, secret: stage.otherKey.secretKey }
  assert.deepEqual(await client.ask(other), unauthorized('access key verification failed'))
  await client.leave()
})

test('listen replaces the set and is acknowledged every time', async () => {
  const client = await updatesClient(stage)
  const steps: readonly (readonly [said: Json, answer: Json])[] = [
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
  for (const [said, answer] of steps) assert.deepEqual(await client.ask(said), answer)
  await buy(stage, stage.accountId, '1', 'unheard')
  await advance(stage, 1)
  assert.deepEqual(await client.rest(), [])
  await client.leave()
})

test('frames are binary, text for a browser, MessagePack where asked', async () => {
  const said = { action: 'authenticate', data: pair() }
  for (const [options, binary] of [
    [{}, true],
    [{ headers: { Origin: new URL(stage.url).origin } }, false],
    [{ codec: 'messagePack' }, true],
  ] as const) {
    const client = await Client.open(streamUrl(), options)
    client.say(said)
    assert.deepEqual(await client.nextFrame(), { message: authorized, isBinary: binary })
    await client.leave()
  }
})

test('a word nobody knows is answered, then the stream ends', async () => {
  for (const said of [{ action: 'sing' }, 5, null, { action: 'listen', data: {} }]) {
    const client = await Client.open(streamUrl())
    const { stream, action, data } = await client.ask(said)
    assert.deepEqual([stream, action, data.error], ['error', 'error', data.error_message])
    assert.equal((await client.closed).code, 1008)
  }
})

test('an order is followed from its acceptance to its fill, each event once and in order', async () => {
  const clients = [
    await updatesClient(stage),
    await updatesClient(stage, stage.key, { codec: 'messagePack' }),
  ]
  await buy(stage, stage.accountId, '2.5', 'followed')
  await advance(stage, 1)
  const [heard, packed] = [await clients[0]!.rest(), await clients[1]!.rest()]
  assert.deepEqual(packed, heard)
  assert.deepEqual(
    heard.map(({ stream, data }) => [stream, data.event, data.order.status]),
    [
      ['trade_updates', 'pending_new', 'pending_new'],
      ['trade_updates', 'new', 'new'],
      ['trade_updates', 'fill', 'filled'],
    ],
  )
  for (const { data } of heard) {
    const problems: Problem[] = []
    operations.getOrder.output.parse(data.order, 'order', problems)
    assert.deepEqual(problems, [])
    assert.equal(data.order.client_order_id, 'followed')
    assert.equal(data.timestamp, data.at)
    assert.match(data.event_id, /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  }
  const ids = heard.map(({ data }) => data.event_id)
  assert.deepEqual(ids, [...new Set(ids)].sort())
  const fill = heard[2].data
  assert.deepEqual([fill.qty, fill.price], ['2.5', fill.order.filled_avg_price])
  assert.match(fill.execution_id, /^[0-9a-f-]{36}$/)
  const [position] = stage.world.view.positions.get(stage.accountId)!.values()
  assert.equal(fill.position_qty, String(Number(position!.quantity) / 1e9))
  assert.equal('price' in heard[1].data, false)
  for (const client of clients) await client.leave()
})

test('a cancel and the end of the day are told', async () => {
  const place = { type: 'limit', limit: 1_000_000_000n }
  const client = await updatesClient(stage)
  await buy(stage, stage.accountId, '1', 'canceled', place)
  await buy(stage, stage.accountId, '1', 'expired', place)
  await advance(stage, 1)
  const orders = [...stage.world.view.orders.values()]
  const orderId = orders.find(({ clientOrderId }) => clientOrderId === ('canceled' as string))!.id
  await stage.world.submit({ kind: 'cancelOrder', accountId: stage.accountId, orderId }, () => undefined)
  await advance(stage, 7 * 60)
  const told = (await client.rest()).map(({ data }) => `${data.order.client_order_id} ${data.event}`)
  assert.deepEqual(told.slice(4), ['canceled canceled', 'expired expired'])
  await buy(stage, stage.accountId, '1', 'queued')
  await advance(stage, 24 * 60)
  const later = (await client.rest()).map(({ data }) => `${data.event} ${data.order.status}`)
  assert.deepEqual(later, ['accepted accepted', 'pending_new pending_new', 'new new', 'fill filled'])
  await client.leave()
})

test('no account hears of another, and no world of another', async () => {
  const place = await stage.services.worlds.create(
    'other' as WorldId,
    stage.world.view.settings!,
    OPEN_MONDAY,
  )
  const { accounts } = await seedWorld(place.world, {
    accounts: ['paper'],
    cash: stage.world.view.settings!.startingCash,
  })
  const clients = [
    await updatesClient(stage),
    await updatesClient(stage, stage.otherKey),
    await updatesClient(stage, accounts[0]!),
  ]
  await buy(stage, stage.accountId, '1', 'mine')
  await buy(place, accounts[0]!.account.id, '1', 'elsewhere')
  const heard = await Promise.all(clients.map(async (client) => client.rest()))
  assert.deepEqual(
    heard.map((messages) => messages.map(({ data }) => data.order.client_order_id)),
    [['mine'], [], ['elsewhere']],
  )
  await stage.services.worlds.delete('other' as WorldId)
  assert.equal((await clients[2]!.closed).code, 1001)
  await clients[0]!.leave()
  await clients[1]!.leave()
})

test('what an advance causes has arrived when it returns', async () => {
  const client = await updatesClient(stage)
  await buy(stage, stage.accountId, '1', 'arrived')
  await stage.clock.advance((stage.clock.now() + 1n) as Instant)
  assert.equal(stage.streams.stats().bufferedBytes, 0)
  assert.equal((await client.next()).data.order.client_order_id, 'arrived')
  await client.leave()
})
