import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { seedWorld } from '@quipu/broker/access/issue-keys.ts'
import {
  type ActivityPosition,
  activitiesOf,
  decodeActivity,
  type Instant,
  type Money,
  type WorldId,
} from '@quipu/core'
import { partId } from '../../../wire/event-id.ts'
import { followReading } from '../../reading/follow.ts'
import { type ClientOptions, type EventData, ids, Reader, TRADES, trade } from '../../testing/events.ts'
import { call, OPEN_MONDAY, openTestServer, type TestServer } from '../../testing/server.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import { accountEventHandlers } from '../events.ts'
import { accountSource, type EventFormat } from './account-source.ts'

let server: TestServer
before(async () => {
  server = await openTestServer({ handlers: accountEventHandlers, limits: { eventStreamsMax: 20 } })
})
after(() => server.close())

const mine = (): ClientOptions => ({ url: server.url, ...server.key })

test('a reader that reconnects often receives every event once', async () => {
  const steady = new Reader(TRADES, mine())
  while (steady.status === 0) await sleep(5)
  const received: EventData[] = []
  let isOver = false
  const restless = (async () => {
    let last = ids(steady.events).at(-1)
    const since = new Date(Number(server.clock.now() / 1_000_000n)).toISOString()
    while (!isOver) {
      const from = last === undefined ? `since=${since}` : `since_id=${last}`
      const reader = new Reader(`${TRADES}?${from}`, mine())
      await sleep(30 + (received.length % 7) * 5)
      reader.leave()
      await reader.outcome
      received.push(...reader.events)
      last = ids(received).at(-1) ?? last
    }
    return last
  })()
  for (let round = 0; round < 30; round++) await trade(server, 7)
  const events = await steady.waitFor(30 * 7 * 3)
  isOver = true
  const last = await restless
  const rest = new Reader(`${TRADES}?since_id=${last ?? events[0].event_id}`, mine())
  await rest.waitFor(events.length - received.length - (last === undefined ? 1 : 0))
  rest.leave()
  steady.leave()
  assert.deepEqual(
    ids([...received, ...rest.events]).filter((id) => id >= events[0].event_id),
    ids(events),
  )
})

test('a revoked key ends its readers, and no others', async () => {
  const { value } = await server.world.commands.submit(
    {
      kind: 'issueKey',
      keyId: 'PKREVOKED' as never,
      owner: { kind: 'account', accountId: server.accountId },
      digest: (await import('@quipu/broker/access/credentials.ts')).digestOf('secret'),
    },
    (_, decided) => decided.ok,
  )
  assert.ok(value)
  const key = { ...server.key, keyId: 'PKREVOKED', secretKey: 'secret' } as TestServer['key']
  const [revoked, other] = [new Reader(TRADES, { url: server.url, ...key }), new Reader(TRADES, mine())]
  while (revoked.status === 0 || other.status === 0) await sleep(5)
  await server.world.commands.submit({ kind: 'revokeKey', keyId: 'PKREVOKED' as never }, () => undefined)
  assert.equal(await revoked.outcome, 'ended')
  await trade(server)
  await other.waitFor(3)
  other.leave()
})

test('a stream beyond the limit is refused', async () => {
  const readers = Array.from({ length: 20 }, () => new Reader(TRADES, mine()))
  while (readers.some(({ status }) => status === 0)) await sleep(5)
  const full = new Reader(TRADES, mine())
  assert.equal(await full.outcome, 'refused')
  assert.equal(full.body.reason, 'eventStreamsFull')
  for (const reader of readers) reader.leave()
  await Promise.all(readers.map(({ outcome }) => outcome))
})

test('one key or account has at most its share of the streams, and another account is not affected', async (t) => {
  const shared = await openTestServer({ limits: { eventStreamsPerKey: 2 } })
  t.after(() => shared.close())
  const of = (key: TestServer['key']) => new Reader(TRADES, { url: shared.url, ...key })
  const readers = [of(shared.key), of(shared.key), of(shared.otherKey)]
  while (readers.some(({ status }) => status === 0)) await sleep(5)
  const full = of(shared.key)
  assert.equal(await full.outcome, 'refused')
  assert.deepEqual([full.status, full.body.reason], [429, 'tooManyEventStreams'])
  assert.match(full.body.message, /event_streams_per_key: 2/)
  readers[0]!.leave()
  await readers[0]!.outcome
  for (let status = 429; status !== 200; ) {
    const again = of(shared.key)
    while (again.status === 0) await sleep(5)
    status = again.status
    again.leave()
  }
  for (const reader of readers) reader.leave()
  await Promise.all(readers.map(({ outcome }) => outcome))
})

test('a slow reader receives every event, with a small queue in memory', async () => {
  const format: EventFormat = {
    messagesOf: ({ event, seq, order }) =>
      activitiesOf(event, seq, order).map((activity) => messageOf(activity)),
    past: async (queryTables, query) =>
      (await queryTables.history({ ...query, part: 'activity' })).map((record) => {
        const activity = decodeActivity(server.accountId, record)
        return { messages: [messageOf(activity)], position: activity }
      }),
  }
  const leaving = new AbortController()
  const { world, accountId } = server
  const source = accountSource({ world, accountId, format, from: 0n as Instant })
  const received: string[] = []
  const reading = (async () => {
    for await (const some of followReading(source, { signal: leaving.signal, queueMax: 5 })) {
      received.push(...some.map(({ id }) => id))
      await sleep(5)
    }
  })()
  await trade(server, 40)
  await trade(server, 3)
  const { body } = await call(server, 'GET /v2/account/activities?direction=asc&page_size=1', {
    key: server.key,
  })
  const all = await server.world.storage.queryTables.history({
    accountId: server.accountId,
    part: 'activity',
    direction: 'asc',
  })
  assert.equal(body.length, 1)
  const expected = all.map((record) => messageOf(decodeActivity(server.accountId, record)).id)
  await waitUntil('all activities', () => received.length >= expected.length)
  leaving.abort()
  await reading
  assert.deepEqual(received, expected)
})

const messageOf = ({ at, seq, n }: ActivityPosition) => ({ id: partId(at, seq, n), at, seq, data: '' })

test('a socket that is not read for a while receives every event afterwards', async () => {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const { keyId, secretKey } = server.key
  const steady = new Reader(TRADES, mine())
  while (steady.status === 0) await sleep(5)
  socket.write(
    `GET ${TRADES} HTTP/1.1\r\nHost: ${hostname}\r\nAPCA-API-KEY-ID: ${keyId}\r\nAPCA-API-SECRET-KEY: ${secretKey}\r\n\r\n`,
  )
  let text = ''
  await once(socket, 'readable')
  for (let round = 0; round < 10; round++) await trade(server, 40)
  const events = await steady.waitFor(1_200)
  socket.on('data', (chunk) => {
    text += chunk
  })
  await waitUntil('the last event', () => text.includes(`id: ${events.at(-1).event_id}\n`))
  socket.destroy()
  steady.leave()
  assert.deepEqual(
    // The first id has no data; it is the start of the stream.
    [...text.matchAll(/^id: (\w+)\ndata: /gm)].map(([, id]) => id),
    ids(events),
  )
})

test('a world that is deleted ends its readers', async () => {
  const { worlds } = server.services
  const { world } = await worlds.lifecycle.create('brief' as WorldId, { ...BRIEF }, OPEN_MONDAY)
  const { accounts } = await seedWorld(world, { accounts: ['paper'], cash: 1_000n as Money })
  const reader = new Reader(TRADES, { url: server.url, ...accounts[0]! })
  while (reader.status === 0) await sleep(5)
  await worlds.lifecycle.delete('brief' as WorldId)
  assert.notEqual(await reader.outcome, 'refused')
})

const BRIEF = {
  seed: 'brief',
  hours: 'nyse',
  fillSize: 'unlimited',
  latencyNs: 0n,
  startingCash: 0n as Money,
} as const

test('when the server stops, connections break, so that readers reconnect', async () => {
  const reader = new Reader(TRADES, mine())
  while (reader.status === 0) await sleep(5)
  server.services.connections.eventStreams.close()
  assert.equal(await reader.outcome, 'broken')
})
