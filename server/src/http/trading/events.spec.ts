import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Instant } from '@quipu/core'
import { ACTIVITIES, type ClientOptions, ids, Reader, TRADES, trade } from '../testing/events.ts'
import { call, openTestServer, type TestServer } from '../testing/server.ts'
import { accountEventHandlers } from './events.ts'

let server: TestServer
before(async () => {
  server = await openTestServer({ handlers: accountEventHandlers, limits: { eventStreamsMax: 20 } })
})
after(() => server.close())

const mine = (): ClientOptions => ({ url: server.url, ...server.key })
const others = (): ClientOptions => ({ url: server.url, ...server.otherKey })

/** A time as text that sorts like the time. */
const nanos = (at: string): string => {
  const [whole, part = ''] = at.slice(0, -1).split('.')
  return `${whole}.${part.padEnd(9, '0')}`
}

test('without since the stream sends only new events', async () => {
  await trade(server)
  const reader = new Reader(TRADES, mine())
  while (reader.status === 0) await sleep(5)
  await trade(server)
  const events = await reader.waitFor(3)
  assert.deepEqual(
    events.map(({ event }) => event),
    ['pending_new', 'new', 'fill'],
  )
  assert.equal(reader.type, 'text/event-stream')
  const [placed, , filled] = events
  assert.equal(placed.order.status, 'pending_new')
  assert.deepEqual([filled.order.status, filled.qty, filled.position_qty], ['filled', '1', '2'])
  assert.match(filled.event_id, /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  reader.leave()
})

test('with since the stream sends past events first, each once, the same as when they were new', async () => {
  const first = new Reader(TRADES, mine())
  while (first.status === 0) await sleep(5)
  await trade(server, 5)
  const events = await first.waitFor(15)
  first.leave()
  const second = new Reader(`${TRADES}?since=${events[0].at}`, mine())
  assert.deepEqual(await second.waitFor(15), events)
  await trade(server)
  assert.deepEqual((await second.waitFor(18)).slice(0, 15), events)
  assert.deepEqual(ids(second.events), [...new Set(ids(second.events))].sort())
  second.leave()
})

test('since_id excludes its event, and until_id includes it', async () => {
  const all = new Reader(`${TRADES}?since=2026-01-01`, mine())
  await trade(server)
  const events = await all.waitFor(27)
  all.leave()
  const [from, to] = [events[4], events[11]]
  const part = new Reader(`${TRADES}?since_id=${from.event_id}&until_id=${to.event_id}`, mine())
  assert.equal(await part.outcome, 'ended')
  assert.deepEqual(part.events, events.slice(5, 12))
  const resumed = new Reader(TRADES, mine(), { 'last-event-id': from.event_id })
  assert.deepEqual(await resumed.waitFor(events.length - 5), events.slice(5))
  resumed.leave()
})

test('with until the stream ends there, both instants included', async () => {
  const all = new Reader(`${TRADES}?since=2026-01-01`, mine())
  const events = [...(await all.waitFor(27))]
  all.leave()
  const [from, to] = [events[3], events[9]]
  const reader = new Reader(`${TRADES}?since=${from.at}&until=${to.at}`, mine())
  assert.equal(await reader.outcome, 'ended')
  const within = events.filter(({ at }) => nanos(at) >= nanos(from.at) && nanos(at) <= nanos(to.at))
  assert.deepEqual(reader.events, within)
})

test('a stream with a future until waits for it', async () => {
  const now = new Date(Number(server.clock.now() / 1_000_000n))
  const until = new Date(now.getTime() + 5_000).toISOString()
  const reader = new Reader(`${TRADES}?since=${now.toISOString()}&until=${until}`, mine())
  while (reader.status === 0) await sleep(5)
  await trade(server)
  await reader.waitFor(3)
  await server.clock.advance((server.clock.now() + 10_000_000_000n) as Instant)
  assert.equal(await reader.outcome, 'ended')
  assert.equal(reader.events.length, 3)
})

test('an account receives only its own activities', async () => {
  const reader = new Reader(`${ACTIVITIES}?since=2026-01-01`, others())
  const [cash] = await reader.waitFor(1)
  assert.deepEqual(
    [cash.activity_type, cash.net_amount, cash.status, cash.currency],
    ['JNLC', '100000', 'executed', 'USD'],
  )
  await trade(server)
  await trade(server, 1, server.otherKey)
  const [, fill] = await reader.waitFor(2)
  assert.equal(fill.activity_type, 'FILL')
  assert.equal(fill.settle_date, '2026-11-03')
  const { body } = await call(server, 'GET /v2/account/activities?page_size=1', { key: server.otherKey })
  const { order_id, order_status, side, symbol, cum_qty, leaves_qty } = body[0]
  assert.equal(fill.id, body[0].id)
  const { asset_id, ...details } = fill.details
  assert.match(asset_id, /^[0-9a-f-]{36}$/)
  assert.deepEqual(details, {
    symbol,
    side,
    order_id,
    order_status,
    execution_type: 'fill',
    cum_qty,
    leaves_qty,
  })
  const later = new Reader(`${ACTIVITIES}?since_id=${cash.event_id}`, others())
  assert.deepEqual(await later.waitFor(1), [fill])
  reader.leave()
  later.leave()
})

for (const [title, query] of [
  ['an end without a beginning', '?until=2026-11-02'],
  ['a last id without a first', '?until_id=01JBQ5V7WD000000000000001A'],
  ['two beginnings', '?since=2026-11-02&since_id=01JBQ5V7WD000000000000001A'],
  ['two ends', '?since=2026-11-02&until=2026-11-03&until_id=01JBQ5V7WD000000000000001A'],
  ['an invalid id', '?since_id=1'],
  ['an invalid time', '?since=soon'],
] as const)
  for (const path of [TRADES, ACTIVITIES])
    test(`${path} refuses ${title}`, async () => {
      const { status, body } = await call(server, `GET ${path}${query}`, { key: server.key })
      assert.deepEqual([status, body.code], [422, 40010001], body.message)
    })

for (const path of [TRADES, ACTIVITIES])
  test(`${path} requires a key of the account`, async () => {
    for (const key of [undefined, server.partnerKey, { ...server.key, secretKey: 'wrong' }]) {
      const { status } = await call(server, `GET ${path}?since=2026-01-01&until=2026-01-02`, { key })
      assert.ok(status === 401 || status === 403, String(status))
    }
    const { status, body } = await call(server, `GET ${path}?since=2026-01-01&until=2026-01-02`, {
      key: server.key,
    })
    assert.deepEqual([status, body], [200, ''])
  })

for (const path of [TRADES, ACTIVITIES])
  test(`${path}: a reader that disconnects before the first event resumes from the opening id`, async () => {
    await trade(server)
    const leaving = new AbortController()
    const { keyId, secretKey } = server.key
    const response = await fetch(`${server.url}${path}`, {
      headers: { 'apca-api-key-id': keyId, 'apca-api-secret-key': secretKey },
      signal: leaving.signal,
    })
    const { value } = await response.body!.getReader().read()
    leaving.abort()
    const [, id] = /^id: (\w{26})\n\n$/.exec(new TextDecoder().decode(value))!
    await trade(server)
    const reader = new Reader(`${path}?since_id=${id}`, mine())
    const events = await reader.waitFor(path === TRADES ? 3 : 1)
    assert.equal(events.length, path === TRADES ? 3 : 1, 'no earlier events')
    assert.ok(events[0].event_id > id!)
    reader.leave()
  })
