import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Effects, FaultEvent } from '@quipu/broker/faults/effect.ts'
import { Faults } from '@quipu/broker/faults/faults.ts'
import type { Match } from '@quipu/broker/faults/match.ts'
import type { FaultRule } from '@quipu/broker/faults/rule.ts'
import { waitUntil } from '../http/testing/wait-until.ts'
import { advance, buy, Client, dataClient, openStage, type Stage, updatesClient } from './testing/sockets.ts'

let stage: Stage
let placed = 0
before(async () => {
  stage = await openStage({ socketBufferMaxBytes: 4096, pingIntervalMs: 30 })
})
after(() => stage.close())
beforeEach(() => {
  stage.world.clients.faults = new Faults('seed')
})
afterEach(() => {
  stage.world.clients.faults = undefined
})

/** Creates a rule, as an operator does. */
function fault<Event extends FaultEvent>(
  on: Event,
  effect: Effects[Event],
  match: Match = {},
  times = 1,
): FaultRule {
  const rule = stage.world.clients.faults!.create({ on, effect, match, times }, stage.clock.now())
  stage.services.connections.sockets.meetFault(stage.world, rule)
  return rule
}

/** Places an order; its updates are `pending_new` and `new`. Returns its client order id. */
async function place(): Promise<string> {
  placed += 1
  const id = `order-${placed}`
  await buy(stage, stage.accountId, '1', id, { type: 'limit', limit: 1_000_000_000n })
  await advance(stage, 1)
  return id
}

const eventsOf = (messages: readonly { data: { event: string } }[]) => messages.map(({ data }) => data.event)

test('a rule on connections applies to open streams in their order, then to new ones, up to its budget', async () => {
  const [first, second] = [await updatesClient(stage), await updatesClient(stage, stage.otherKey)]
  const rule = fault('connection', { kind: 'close', code: 4000, message: 'drill' }, {}, 3)
  assert.deepEqual(await first.closed, { code: 4000, reason: 'drill' })
  assert.deepEqual(await second.closed, { code: 4000, reason: 'drill' })
  const third = await Client.open(`${stage.wsUrl}/stream`)
  const data = { key_id: stage.key.keyId, secret_key: stage.key.secretKey }
  assert.equal((await third.request({ action: 'authenticate', data })).data.status, 'authorized')
  assert.equal((await third.closed).code, 4000)
  assert.deepEqual([rule.matched, rule.consumed, rule.isExhausted], [3, 3, true])
  await (await updatesClient(stage)).leave()
})

test('a rule selects streams by group, path and account', async () => {
  const updates = await updatesClient(stage)
  const prices = await dataClient(stage, '/v2/iex')
  for (const match of [{ stream: ['/v2/sip'] }, { stream: ['market_data'], account: 'nobody' }])
    assert.equal(fault('connection', { kind: 'halfOpen' }, match).matched, 0)
  const rule = fault(
    'connection',
    { kind: 'close', code: 1012, message: '' },
    { stream: ['market_data'], account: stage.accountId },
  )
  assert.equal((await prices.closed).code, 1012)
  assert.deepEqual([rule.matched, await updates.rest()], [1, []])
  await updates.leave()
})

test('a silence ends with its time, or with its rule; lost messages stay lost', async () => {
  const client = await updatesClient(stage)
  fault('connection', { kind: 'silence', ms: 20 })
  await place()
  await sleep(40)
  assert.deepEqual(await client.rest(), [])
  const rule = fault('connection', { kind: 'silence' })
  await place()
  assert.deepEqual(await client.rest(), [])
  stage.world.clients.faults!.delete(rule)
  await place()
  assert.deepEqual(eventsOf(await client.rest()), ['pending_new', 'new'])
  await client.leave()
})

test('a half-open stream answers neither pings nor a close, and sends no pings', async () => {
  const client = await updatesClient(stage)
  fault('connection', { kind: 'halfOpen' })
  let frames = 0
  for (const event of ['ping', 'pong', 'message', 'close'] as const) client.ws.on(event, () => (frames += 1))
  client.ws.ping()
  client.ws.close()
  await place()
  await sleep(100)
  assert.equal(frames, 0)
  client.ws.terminate()
  await client.closed
  await closedByServer()
})

/** Waits until the server has noticed that all clients are gone. */
const closedByServer = () =>
  waitUntil('no open stream', () => [...stage.services.connections.sockets.all()].length === 0)

test('a slow stream has the buffer limit of every stream, and is fast again without its rule', async () => {
  const client = await updatesClient(stage)
  const rule = fault('connection', { kind: 'slow', minMs: 20, maxMs: 30, distribution: 'uniform' })
  await place()
  assert.deepEqual(client.received(), [])
  assert.deepEqual(eventsOf([await client.next(), await client.next()]), ['pending_new', 'new'])
  stage.world.clients.faults!.delete(rule)
  await place()
  assert.deepEqual(eventsOf([await client.next(), await client.next()]), ['pending_new', 'new'])
  fault('connection', { kind: 'slow', ms: 10_000 })
  for (let orders = 0; orders < 3; orders += 1) await place()
  assert.equal((await client.closed).reason, 'slow client')
})

test('a reordered message is sent after its time if no later one follows', async () => {
  const client = await updatesClient(stage)
  fault('message', { kind: 'reorder', by: 1, ms: 20 }, { message: ['new'] })
  await place()
  assert.deepEqual(eventsOf([await client.next(), await client.next()]), ['pending_new', 'new'])
  fault('message', { kind: 'reorder', by: 2, ms: 10_000 }, { message: ['pending_new'] })
  await place()
  await place()
  assert.deepEqual(eventsOf(await client.rest()), ['new', 'pending_new', 'pending_new', 'new'])
  await client.leave()
})

test('a market-data subscription is lost with or without its acknowledgement', async () => {
  const client = await dataClient(stage, '/v2/test')
  const subscribe = { action: 'subscribe', bars: ['FAKEPACA'] }
  fault('subscription', { kind: 'lostSubscription', acknowledged: false }, { symbol: ['FAKEPACA'] })
  client.send(subscribe)
  await advance(stage, 2)
  assert.deepEqual(await client.rest(), [])
  fault('subscription', { kind: 'lostSubscription', acknowledged: true })
  assert.deepEqual((await client.request(subscribe))[0].bars, ['FAKEPACA'])
  await advance(stage, 2)
  assert.deepEqual(await client.rest(), [])
  await client.request(subscribe)
  await advance(stage, 2)
  assert.equal((await client.rest()).length, 2)
  await client.leave()
})

test('right credentials are refused as wrong ones, or as one connection too many', async () => {
  const auth = { action: 'auth', key: stage.key.keyId, secret: stage.key.secretKey }
  for (const [as, code] of [
    ['wrong_credentials', 402],
    ['connection_limit', 406],
  ] as const) {
    const rule = fault('authentication', { kind: 'refusedAuthentication', as }, { stream: ['/v2/iex'] })
    const client = await Client.open(`${stage.wsUrl}/v2/iex`)
    await client.next()
    assert.equal((await client.request(auth))[0].code, code)
    assert.equal(rule.consumed, 1)
    assert.deepEqual(await client.request(auth), [{ T: 'success', msg: 'authenticated' }])
    await client.leave()
  }
})
