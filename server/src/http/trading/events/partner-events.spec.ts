import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { execute, issueKey, type KeyPair } from '@quipu/broker/access/issue-keys.ts'
import type { PartnerId } from '@quipu/core'
import { type ClientOptions, ids, Reader, TRADES, trade } from '../../testing/events.ts'
import { call, openTestServer, type TestServer } from '../../testing/server.ts'
import { accountEventHandlers } from '../events.ts'

const PATH = '/v1/events/trades'
let server: TestServer
let stranger: KeyPair
before(async () => {
  server = await openTestServer({ handlers: accountEventHandlers, limits: { eventStreamsMax: 20 } })
  const { partnerId } = await execute(server.world, { kind: 'addPartner', name: 'another' }, 'partnerAdded')
  stranger = await issueKey(server.world, {
    kind: 'partner',
    partnerId: partnerId as PartnerId,
    operator: false,
  })
})
after(() => server.close())

const by = (key: KeyPair): ClientOptions => ({ url: server.url, ...key })
const openReader = async (path: string, key = server.partnerKey): Promise<Reader> => {
  const reader = new Reader(path, by(key))
  while (reader.status === 0) await sleep(5)
  return reader
}

test('a partner receives the order events of all its accounts, past and new, each once and in order', async () => {
  const first = await openReader(PATH)
  for (let round = 0; round < 8; round++) {
    await trade(server, 3, server.key)
    await trade(server, 2, server.otherKey)
  }
  const events = [...(await first.waitFor(8 * 5 * 3))]
  assert.deepEqual(ids(events), [...new Set(ids(events))].sort())
  const accounts = new Set(events.map(({ account_id }) => account_id))
  assert.equal(accounts.size, 2)
  const own = await openReader(`${TRADES}?since=2026-01-01`, server.key)
  const ofOne = await own.waitFor(8 * 3 * 3)
  assert.deepEqual(
    events
      .filter(({ account_id }) => account_id === server.accountId)
      .map(({ account_id: _, ...update }) => update),
    ofOne,
  )
  const second = await openReader(`${PATH}?since=2026-01-01`)
  assert.deepEqual(await second.waitFor(events.length), events)
  await trade(server, 1, server.otherKey)
  assert.deepEqual((await second.waitFor(events.length + 3)).slice(0, events.length), events)
  for (const reader of [first, own, second]) reader.leave()
})

test('the stream includes accounts opened later; account_id selects one account', async () => {
  const first = await openReader(PATH)
  const { body } = await call(server, 'POST /v1/accounts', { key: server.partnerKey, body: { cash: '5000' } })
  const only = await openReader(`${PATH}?account_id=${body.id}`)
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  await call(server, `POST /v1/trading/accounts/${body.id}/orders`, { key: server.partnerKey, body: order })
  await trade(server, 1, server.key)
  assert.ok((await first.waitFor(6)).some(({ account_id }) => account_id === body.id))
  assert.deepEqual(
    (await only.waitFor(3)).map(({ account_id }) => account_id),
    [body.id, body.id, body.id],
  )
  for (const reader of [first, only]) reader.leave()
})

test('a stream begins after one id and ends at another, under both parameter names', async () => {
  const all = await openReader(`${PATH}?since=2026-01-01`)
  const events = [...(await all.waitFor(60))]
  all.leave()
  const [from, to] = [events[10].event_id, events[40].event_id]
  for (const name of ['id', 'ulid']) {
    const part = new Reader(`${PATH}?since_${name}=${from}&until_${name}=${to}`, by(server.partnerKey))
    assert.equal(await part.outcome, 'ended')
    assert.deepEqual(part.events, events.slice(11, 41))
  }
})

test('another partner receives no events, an operator all; trading keys are refused', async () => {
  const foreign = new Reader(`${PATH}?since=2026-01-01&until=2026-12-31`, by(stranger))
  const operator = await openReader(`${PATH}?since=2026-01-01`, server.operatorKey)
  await operator.waitFor(60)
  assert.deepEqual(foreign.events, [])
  foreign.leave()
  operator.leave()
  for (const [path, key, status] of [
    [PATH, server.key, 401],
    [`${PATH}?account_id=${server.accountId}`, stranger, 404],
    [`${PATH}?since_id=x`, server.partnerKey, 422],
    [`${PATH}?until=2026-12-31`, server.partnerKey, 422],
    [`${PATH}?since=2026-01-01&since_ulid=01JBQ5V7WD000000000000001A`, server.partnerKey, 422],
  ] as const) {
    const refused = new Reader(path, by(key))
    assert.equal(await refused.outcome, 'refused', path)
    assert.equal(refused.status, status, path)
  }
})
