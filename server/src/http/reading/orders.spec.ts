import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call, openTestServer } from '../testing/server.ts'
import { readSse } from './testing/reading.ts'

const server = await openTestServer()
after(() => server.close())
const { key, otherKey, operatorKey, world, clock } = server
const path = '/sim/v1/worlds/lab/orders'
// biome-ignore lint/suspicious/noExplicitAny: orders as JSON
type Json = any

const list = async (query = ''): Promise<Json> =>
  (await call(server, `GET ${path}${query}`, { key: operatorKey })).body
const names = async (query = ''): Promise<readonly string[]> =>
  (await list(query)).map(({ client_order_id }: Json) => client_order_id)

async function place(by: typeof key, name: string, terms: object = {}): Promise<string> {
  const body = {
    symbol: 'AAPL',
    qty: '1',
    side: 'buy',
    type: 'limit',
    limit_price: '1',
    time_in_force: 'day',
    client_order_id: name,
    ...terms,
  }
  const placed = await call(server, 'POST /v2/orders', { key: by, body })
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  await clock.advance((clock.now() + 1_000_000_000n) as never)
  return placed.body.id
}

const a1 = await place(key, 'a1')
const b1 = await place(otherKey, 'b1', { symbol: 'MSFT' })
const a2 = await place(key, 'a2', { symbol: 'MSFT' })
const b2 = await place(otherKey, 'b2', { type: 'market', limit_price: undefined })
const a3 = await place(key, 'a3')
await call(server, `DELETE /v2/orders/${a1}`, { key })
await clock.advance((clock.now() + 1_000_000_000n) as never)

test('the orders of all accounts are one list, newest first, with their accounts', async () => {
  assert.deepEqual(await names('?status=all'), ['a3', 'b2', 'a2', 'b1', 'a1'])
  assert.deepEqual(await names(), ['a3', 'a2', 'b1'])
  assert.deepEqual(await names('?status=closed'), ['b2', 'a1'])
  const [a] = (await call(server, 'GET /v2/orders?status=all', { key })).body
  const { account_id, ...order } = (await list('?status=all'))[0]
  assert.deepEqual([account_id, order], [server.accountId, a])
  const shown = await call(server, `GET ${path}/${b1}`, { key: operatorKey })
  assert.notEqual(shown.body.account_id, server.accountId)
})

for (const [query, expected] of [
  ['symbols=MSFT', ['a2', 'b1']],
  ['side=sell', []],
  [`account_id=${server.accountId}`, ['a3', 'a2', 'a1']],
  ['account_id=00000000-0000-4000-8000-000000000000', 404],
  ['before_order_id=00000000-0000-4000-8000-000000000000', []],
  ['limit=0', 422],
  ['side=long', 422],
] as const)
  test(`status=all&${query} returns ${expected}`, async () => {
    const { status, body } = await call(server, `GET ${path}?status=all&${query}`, { key: operatorKey })
    if (typeof expected === 'number') return assert.equal(status, expected)
    assert.deepEqual(
      body.map(({ client_order_id }: Json) => client_order_id),
      expected,
    )
  })

test('pages of any size together have every order once', async () => {
  for (const limit of [1, 2, 3]) {
    const ids: string[] = []
    for (let last = ''; ; last = `&before_order_id=${ids.at(-1)}`) {
      const page = await list(`?status=all&limit=${limit}${last}`)
      ids.push(...page.map(({ id }: Json) => id))
      if (page.length < limit) break
    }
    assert.deepEqual(ids, [a3, b2, a2, b1, a1])
  }
  const [, middle] = await list('?status=all&limit=3')
  assert.deepEqual(await names(`?status=all&after=${middle.submitted_at}`), ['a3'])
  assert.deepEqual(await names(`?status=all&until=${middle.submitted_at}`), ['a2', 'b1', 'a1'])
})

test('the stream sends the list, then each order that changes, and resumes after a reconnect', async () => {
  const reader = await readSse(server, `${path}?symbols=MSFT`, operatorKey)
  const listed = await reader.take(2)
  assert.deepEqual(
    listed.map(({ data, id }) => [data['client_order_id'], id !== undefined]),
    [
      ['b1', false],
      ['a2', true],
    ],
  )
  await call(server, `DELETE /v2/orders/${a3}`, { key })
  await call(server, `DELETE /v2/orders/${b1}`, { key: otherKey })
  const [canceled] = await reader.take(1)
  assert.deepEqual([canceled!.event, canceled!.data['id']], ['order', b1])
  reader.close()
  await call(server, `DELETE /v2/orders/${a2}`, { key })
  await clock.advance((clock.now() + 1_000_000_000n) as never)
  await world.commands.quiet()
  const again = await readSse(server, `${path}?symbols=MSFT`, operatorKey, {
    'last-event-id': canceled!.id!,
  })
  const missed = await again.take(1)
  const last = missed.at(-1)!
  assert.ok(last.data['id'] === b1 || last.data['id'] === a2, 'not the list')
  let order = last
  while (order.data['id'] !== a2) [order] = (await again.take(1)) as [typeof last]
  assert.deepEqual(order.data['status'], 'canceled', 'the order as it is now')
  again.close()
  const wrong = await call(server, `GET ${path}`, {
    key: operatorKey,
    headers: { accept: 'text/event-stream', 'last-event-id': '99999999' },
  })
  assert.equal(wrong.status, 422)
})
