import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PartnerId } from '@quipu/core'
import { execute, issueKey, type KeyPair } from '../../../access/issue-keys.ts'
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
const opened = async (path: string, key = server.partnerKey): Promise<Reader> => {
  const reader = new Reader(path, by(key))
  while (reader.status === 0) await sleep(5)
  return reader
}

test('a partner reads what happens to the orders of all its accounts, past and new, each once and in order', async () => {
  const live = await opened(PATH)
  for (let round = 0; round < 8; round++) {
    await trade(server, 3, server.key)
    await trade(server, 2, server.otherKey)
  }
  const told = [...(await live.until(8 * 5 * 3))]
  assert.deepEqual(ids(told), [...new Set(ids(told))].sort())
  const accounts = new Set(told.map(({ account_id }) => account_id))
  assert.equal(accounts.size, 2)
  const own = await opened(`${TRADES}?since=2026-01-01`, server.key)
  const ofOne = await own.until(8 * 3 * 3)
  assert.deepEqual(
    told
      .filter(({ account_id }) => account_id === server.accountId)
      .map(({ account_id: _, ...update }) => update),
    ofOne,
  )
  const again = await opened(`${PATH}?since=2026-01-01`)
  assert.deepEqual(await again.until(told.length), told)
  await trade(server, 1, server.otherKey)
  assert.deepEqual((await again.until(told.length + 3)).slice(0, told.length), told)
  for (const reader of [live, own, again]) reader.leave()
})

test('an account that is opened later is read too; one account alone is read by its id', async () => {
  const live = await opened(PATH)
  const { body } = await call(server, 'POST /v1/accounts', { key: server.partnerKey, body: { cash: '5000' } })
  const only = await opened(`${PATH}?account_id=${body.id}`)
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  await call(server, `POST /v1/trading/accounts/${body.id}/orders`, { key: server.partnerKey, body: order })
  await trade(server, 1, server.key)
  assert.ok((await live.until(6)).some(({ account_id }) => account_id === body.id))
  assert.deepEqual(
    (await only.until(3)).map(({ account_id }) => account_id),
    [body.id, body.id, body.id],
  )
  for (const reader of [live, only]) reader.leave()
})

test('a reader goes on behind an id, and ends at another, under both names', async () => {
  const all = await opened(`${PATH}?since=2026-01-01`)
  const told = [...(await all.until(60))]
  all.leave()
  const [from, to] = [told[10].event_id, told[40].event_id]
  for (const name of ['id', 'ulid']) {
    const part = new Reader(`${PATH}?since_${name}=${from}&until_${name}=${to}`, by(server.partnerKey))
    assert.equal(await part.over, 'ended')
    assert.deepEqual(part.told, told.slice(11, 41))
  }
})

test('another partner reads nothing of it; an operator reads all; trading keys are refused', async () => {
  const foreign = new Reader(`${PATH}?since=2026-01-01&until=2026-12-31`, by(stranger))
  const operator = await opened(`${PATH}?since=2026-01-01`, server.operatorKey)
  await operator.until(60)
  assert.deepEqual(foreign.told, [])
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
    assert.equal(await refused.over, 'refused', path)
    assert.equal(refused.status, status, path)
  }
})
