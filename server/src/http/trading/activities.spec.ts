import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Instant } from '@quipu/core'
import fc from 'fast-check'
import { call, openTestServer, type TestServer } from '../testing/server.ts'

let server: TestServer
let orderIds: readonly string[] = []
const get = (query: string, key = server.key) => call(server, `GET /v2/account/activities${query}`, { key })
const advance = (seconds: number) =>
  server.clock.advance((server.clock.now() + BigInt(seconds) * 1_000_000_000n) as Instant)
const idsOf = (body: readonly { readonly id: string }[]) => body.map(({ id }) => id)

/** Thirty buys and sells over two days, the fees of the first day, and the opening cash of the account. */
before(async () => {
  server = await openTestServer()
  const placed: string[] = []
  for (let number = 0; number < 30; number++) {
    const side = number % 3 === 2 ? 'sell' : 'buy'
    const body = { symbol: 'AAPL', qty: '1', side, type: 'market', time_in_force: 'day' }
    const { status, body: order } = await call(server, 'POST /v2/orders', { key: server.key, body })
    assert.equal(status, 200)
    placed.push(order.id)
    await advance(number === 14 ? 86_400 : 1)
  }
  orderIds = placed
})
after(() => server.close())

test('a fill names its order, and the opening cash is a journal', async () => {
  const { body } = await get('?direction=asc&page_size=2')
  const [cash, fill] = body
  assert.deepEqual(cash, {
    id: cash.id,
    activity_type: 'JNLC',
    date: '2026-11-02',
    created_at: cash.created_at,
    net_amount: '100000',
    description: '',
    status: 'executed',
    currency: 'USD',
  })
  const { body: order } = await call(server, `GET /v2/orders/${orderIds[0]}`, { key: server.key })
  assert.deepEqual(fill, {
    id: fill.id,
    activity_type: 'FILL',
    transaction_time: order.filled_at,
    type: 'fill',
    symbol: 'AAPL',
    side: 'buy',
    price: order.filled_avg_price,
    qty: '1',
    cum_qty: '1',
    leaves_qty: '0',
    order_id: order.id,
    order_status: 'filled',
  })
  assert.match(fill.id, /^20261102\d{9}::[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
})

const rows: readonly (readonly [string, string, number])[] = [
  ['all', '', 33],
  ['fills', '?activity_types=FILL', 30],
  ['two types, as a list', '?activity_types=FILL,JNLC', 31],
  ['two types, repeated', '?activity_types=FILL&activity_types=JNLC', 31],
  ['a type that does not occur', '?activity_types=DIV', 0],
  ['all but trades and transfers', '?activity_types=MISC', 3],
  ['regulatory fees of the close', '?activity_types=FEE', 2],
  ['transfers', '?activity_types=TRANS', 0],
  ['trades', '?category=trade_activity', 30],
  ['the rest', '?category=non_trade_activity', 3],
  ['one type by its path', '/FILL', 30],
  ['the cash by its path', '/JNLC', 1],
  ['a day', '?date=2026-11-02', 18],
  ['a day by an instant in it', '?date=2026-11-03T20:00:00Z', 15],
  ['a day, a page', '?date=2026-11-02&page_size=7', 7],
  ['a day without any', '?date=2026-11-05', 0],
  ['after an instant', '?after=2026-11-03T00:00:00Z', 15],
  ['until an instant', '?until=2026-11-03T00:00:00Z', 18],
  ['between two', '?after=2026-11-02T00:00:00Z&until=2026-11-02T23:00:00Z', 18],
]
for (const [title, query, count] of rows)
  test(`${title}: ${query || 'no query'}`, async () => {
    const { status, body } = await get(query)
    assert.equal(status, 200)
    assert.equal(body.length, count)
    const ids = idsOf(body)
    assert.deepEqual(ids, ids.toSorted().reverse(), 'newest first')
  })

test('after and until are exclusive', async () => {
  const { body } = await get('?direction=asc')
  const at = body[5].transaction_time
  assert.deepEqual(idsOf((await get(`?direction=asc&after=${at}`)).body), idsOf(body.slice(6)))
  assert.deepEqual(idsOf((await get(`?direction=asc&until=${at}`)).body), idsOf(body.slice(0, 5)))
})

test('fills of one order', async () => {
  const { body } = await get(`?order_id=${orderIds[3]}`)
  assert.deepEqual(
    body.map((one: { order_id: string }) => one.order_id),
    [orderIds[3]],
  )
  assert.deepEqual((await get(`?order_id=${orderIds[3]}&activity_types=JNLC`)).body, [])
  assert.deepEqual((await get(`?order_id=${orderIds[3]}`, server.otherKey)).body, [])
  assert.deepEqual((await get('?order_id=5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b')).body, [])
})

test('another account sees only its own activities', async () => {
  const { body } = await get('', server.otherKey)
  assert.deepEqual(
    body.map((one: { activity_type: string }) => one.activity_type),
    ['JNLC'],
  )
})

for (const [title, query] of [
  ['a date with after', '?date=2026-11-02&after=2026-11-01'],
  ['a date with until', '?date=2026-11-02&until=2026-11-01'],
  ['types with a category', '?activity_types=FILL&category=trade_activity'],
  ['an unknown type', '?activity_types=FILL,WHAT'],
  ['an unknown path', '/WHAT'],
  ['a page size of zero', '?page_size=0'],
  ['a page too large', '?page_size=101'],
  ['an unknown direction', '?direction=up'],
  ['a malformed page token', '?page_token=x'],
  ['a page token with a wrong time', '?page_token=20261102103000124::00000000-0000-4000-8000-000000000000'],
  ['an order id that is not a UUID', '?order_id=x'],
  ['an invalid date', '?date=2026-02-30'],
] as const)
  test(`${title} is refused: ${query}`, async () => {
    const { status, body } = await get(query)
    assert.deepEqual([status, body.code], [422, 40010001], body.message)
  })

test('pages have no gap and no overlap, in both directions, with any size and filter', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('asc', 'desc'),
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom('', '&activity_types=FILL', '&date=2026-11-03', '&until=2026-11-03T00:00:00Z'),
      async (direction, size, filter) => {
        const all = idsOf((await get(`?direction=${direction}${filter}`)).body)
        const paged: string[] = []
        for (let token = ''; ; ) {
          const { body } = await get(`?direction=${direction}&page_size=${size}${filter}${token}`)
          paged.push(...idsOf(body))
          if (body.length < size) break
          token = `&page_token=${encodeURIComponent(paged.at(-1)!)}`
        }
        assert.deepEqual(paged, all)
      },
    ),
    { numRuns: 40 },
  )
})

test('descending pages begin before the token', async () => {
  const all = idsOf((await get('?direction=asc')).body)
  const { body } = await get(`?direction=desc&page_size=3&page_token=${encodeURIComponent(all[10]!)}`)
  assert.deepEqual(idsOf(body), [all[9], all[8], all[7]])
})
