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

/** Texts of times that sort as the times do. */
const nanos = (at: string): string => {
  const [whole, part = ''] = at.slice(0, -1).split('.')
  return `${whole}.${part.padEnd(9, '0')}`
}

test('without a beginning only what happens from now on is told', async () => {
  await trade(server)
  const reader = new Reader(TRADES, mine())
  while (reader.status === 0) await sleep(5)
  await trade(server)
  const told = await reader.until(3)
  assert.deepEqual(
    told.map(({ event }) => event),
    ['pending_new', 'new', 'fill'],
  )
  assert.equal(reader.type, 'text/event-stream')
  const [placed, , filled] = told
  assert.equal(placed.order.status, 'pending_new')
  assert.deepEqual([filled.order.status, filled.qty, filled.position_qty], ['filled', '1', '2'])
  assert.match(filled.event_id, /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  reader.leave()
})

test('history comes first, as it was told live, each once', async () => {
  const live = new Reader(TRADES, mine())
  while (live.status === 0) await sleep(5)
  await trade(server, 5)
  const told = await live.until(15)
  live.leave()
  const again = new Reader(`${TRADES}?since=${told[0].at}`, mine())
  assert.deepEqual(await again.until(15), told)
  await trade(server)
  assert.deepEqual((await again.until(18)).slice(0, 15), told)
  assert.deepEqual(ids(again.told), [...new Set(ids(again.told))].sort())
  again.leave()
})

test('an id names the event before the first, or the last', async () => {
  const all = new Reader(`${TRADES}?since=2026-01-01`, mine())
  await trade(server)
  const told = await all.until(27)
  all.leave()
  const [from, to] = [told[4], told[11]]
  const part = new Reader(`${TRADES}?since_id=${from.event_id}&until_id=${to.event_id}`, mine())
  assert.equal(await part.over, 'ended')
  assert.deepEqual(part.told, told.slice(5, 12))
  const resumed = new Reader(TRADES, mine(), { 'last-event-id': from.event_id })
  assert.deepEqual(await resumed.until(told.length - 5), told.slice(5))
  resumed.leave()
})

test('with an end the answer ends there, both instants included', async () => {
  const all = new Reader(`${TRADES}?since=2026-01-01`, mine())
  const told = [...(await all.until(27))]
  all.leave()
  const [from, to] = [told[3], told[9]]
  const reader = new Reader(`${TRADES}?since=${from.at}&until=${to.at}`, mine())
  assert.equal(await reader.over, 'ended')
  const within = told.filter(({ at }) => nanos(at) >= nanos(from.at) && nanos(at) <= nanos(to.at))
  assert.deepEqual(reader.told, within)
})

test('an end that is still to come is waited for', async () => {
  const now = new Date(Number(server.clock.now() / 1_000_000n))
  const until = new Date(now.getTime() + 5_000).toISOString()
  const reader = new Reader(`${TRADES}?since=${now.toISOString()}&until=${until}`, mine())
  while (reader.status === 0) await sleep(5)
  await trade(server)
  await reader.until(3)
  await server.clock.advance((server.clock.now() + 10_000_000_000n) as Instant)
  assert.equal(await reader.over, 'ended')
  assert.equal(reader.told.length, 3)
})

test('activities are told in the same way, and nobody else hears of them', async () => {
  const reader = new Reader(`${ACTIVITIES}?since=2026-01-01`, others())
  const [cash] = await reader.until(1)
  assert.deepEqual(
    [cash.activity_type, cash.net_amount, cash.status, cash.currency],
    ['JNLC', '100000', 'executed', 'USD'],
  )
  await trade(server)
  await trade(server, 1, server.otherKey)
  const [, fill] = await reader.until(2)
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
  assert.deepEqual(await later.until(1), [fill])
  reader.leave()
  later.leave()
})

for (const [what, query] of [
  ['an end without a beginning', '?until=2026-11-02'],
  ['a last id without a first', '?until_id=01JBQ5V7WD000000000000001A'],
  ['two beginnings', '?since=2026-11-02&since_id=01JBQ5V7WD000000000000001A'],
  ['two ends', '?since=2026-11-02&until=2026-11-03&until_id=01JBQ5V7WD000000000000001A'],
  ['an id that is none', '?since_id=1'],
  ['an instant that is none', '?since=soon'],
] as const)
  for (const path of [TRADES, ACTIVITIES])
    test(`${path} refuses ${what}`, async () => {
      const { status, body } = await call(server, `GET ${path}${query}`, { key: server.key })
      assert.deepEqual([status, body.code], [422, 40010001], body.message)
    })

for (const path of [TRADES, ACTIVITIES])
  test(`${path} is told to those who may read the account, and to nobody else`, async () => {
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
  test(`${path}: who is cut off before anything was told goes on from where it began`, async () => {
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
    const told = await reader.until(path === TRADES ? 3 : 1)
    assert.equal(told.length, path === TRADES ? 3 : 1, 'and nothing from before')
    assert.ok(told[0].event_id > id!)
    reader.leave()
  })
