import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Instant } from '@quipu/core'
import { call, openTestServer, type TestServer } from '../testing/server.ts'

let server: TestServer
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const base = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
const limit = { ...base, type: 'limit', limit_price: '10' }
const post = (body: unknown, key = server.key) => call(server, 'POST /v2/orders', { key, body })
const get = (path: string, key = server.key) => call(server, `GET ${path}`, { key })
const advance = (ms: number) =>
  server.clock.advance((server.clock.now() + BigInt(ms) * 1_000_000n) as Instant)

const refusals: readonly (readonly [string, Record<string, unknown>, number, number, RegExp | string])[] = [
  ['no size', { ...base, qty: undefined }, 422, 40010001, 'qty or notional is required'],
  ['two sizes', { ...base, notional: 5 }, 422, 40010001, 'only one of qty or notional is accepted'],
  ['nothing', { ...base, qty: 0 }, 422, 40010001, 'qty must be > 0'],
  [
    'a size that is not a number',
    { ...base, qty: 'x' },
    422,
    40010001,
    'qty: expected a decimal, received "x"',
  ],
  ['ten decimals, nine of them zero', { ...base, qty: '0.0000000001' }, 422, 40010001, 'qty must be > 0'],
  ['more than fits', { ...base, qty: '1234567890123456' }, 422, 40010001, /^qty: expected a decimal/],
  ['no symbol', { ...base, symbol: undefined }, 422, 40010001, 'symbol is required'],
  ['an unknown side', { ...base, side: 'hold' }, 422, 40010001, 'invalid side'],
  ['an unknown type', { ...base, type: 'guess' }, 422, 40010001, 'invalid order type'],
  ['an unknown time in force', { ...base, time_in_force: 'soon' }, 422, 40010001, 'invalid time_in_force'],
  [
    'a limit order without a limit',
    { ...limit, limit_price: undefined },
    422,
    40010001,
    'limit orders require a limit price',
  ],
  [
    'a market order with a limit',
    { ...base, limit_price: 1 },
    422,
    40010001,
    'market orders require no stop or limit price',
  ],
  [
    'a limit order with a stop',
    { ...limit, stop_price: 1 },
    422,
    40010001,
    'limit orders must not have stop_price',
  ],
  ['a limit of zero', { ...limit, limit_price: 0 }, 422, 40010001, 'limit price must be > 0'],
  [
    'a long client id',
    { ...base, client_order_id: 'x'.repeat(129) },
    422,
    40010001,
    'client_order_id must be no more than 128 characters',
  ],
  [
    'a stop the market has passed',
    { ...base, type: 'stop', stop_price: 1 },
    422,
    42210000,
    'stop price must be greater than current price',
  ],
  [
    'an auction that is over',
    { ...base, time_in_force: 'opg' },
    403,
    40310000,
    'opg orders must be submitted after 7:00pm and before 9:28am',
  ],
  [
    'a bracket without exits',
    { ...base, order_class: 'bracket' },
    422,
    40010001,
    'bracket orders require take_profit.limit_price',
  ],
  [
    'several legs',
    { ...base, symbol: undefined, order_class: 'mleg' },
    422,
    42210000,
    'order_class mleg is not supported: options are not traded here',
  ],
  ['too little money', { ...base, qty: undefined, notional: 0.5 }, 422, 40010001, 'notional must be >= 1.00'],
  ['an unknown symbol', { ...base, symbol: 'ZZZZ' }, 422, 42210000, 'asset "ZZZZ" not found'],
  ['a symbol in small letters', { ...base, symbol: 'aapl' }, 422, 42210000, 'asset "aapl" not found'],
  [
    'a sub-penny limit',
    { ...limit, limit_price: '10.123' },
    422,
    42210000,
    /^invalid limit_price 10.123. sub-penny/,
  ],
  [
    'a fraction until canceled',
    { ...limit, qty: 0.5, time_in_force: 'gtc' },
    422,
    42210000,
    'fractional orders must be DAY orders',
  ],
  [
    'a market order in extended hours',
    { ...base, extended_hours: 'True' },
    422,
    42210000,
    'extended hours order must be DAY or GTC limit orders',
  ],
  [
    'another intent',
    { ...base, position_intent: 'buy_to_close' },
    422,
    42210000,
    'position intent mismatch, inferred: buy_to_open, specified: buy_to_close',
  ],
  [
    'a fraction to sell without a position',
    { ...base, side: 'sell', qty: '0.5' },
    422,
    42210000,
    'fractional orders cannot be sold short',
  ],
  ['too much', { ...base, qty: '1000000' }, 403, 40310000, 'insufficient buying power'],
]

for (const [title, body, status, code, message] of refusals)
  test(`an order with ${title}: ${status} and no event`, async () => {
    const before = server.world.view.seq
    const response = await post(body)
    assert.deepEqual([response.status, response.body.code], [status, code])
    if (typeof message === 'string') assert.equal(response.body.message, message)
    else assert.match(response.body.message, message)
    assert.equal(server.world.view.seq, before)
  })

test('a refusal for insufficient buying power has the numbers', async () => {
  const { body } = await post({ ...limit, qty: 100_000, limit_price: '100' })
  assert.deepEqual([body.buying_power, body.cost_basis], ['400000', '10000000'])
})

test('both spellings of numbers give the same order', async () => {
  const { body: typescript } = await post({ ...limit, qty: '3', limit_price: '187.5' })
  const { body: python } = await post({
    ...limit,
    qty: 3.0,
    limit_price: 187.5,
    extended_hours: false,
    legs: null,
  })
  assert.deepEqual([typescript.qty, typescript.limit_price], ['3', '187.5'])
  assert.deepEqual([python.qty, python.limit_price], ['3', '187.5'])
  assert.equal(typescript.status, 'pending_new')
})

test('an asset may be named by its id', async () => {
  const { body: asset } = await get('/v2/assets/MSFT')
  const { status, body } = await post({ ...limit, symbol: asset.id.toUpperCase() })
  assert.deepEqual([status, body.symbol], [200, 'MSFT'])
})

test('an order is found by both its ids, only by its own account, open and ended', async () => {
  const { body: placed } = await post({ ...limit, client_order_id: 'find me' })
  const paths = [`/v2/orders/${placed.id}`, '/v2/orders:by_client_order_id?client_order_id=find%20me']
  for (const path of paths) {
    assert.equal((await get(path)).body.id, placed.id)
    const { status, body } = await get(path, server.otherKey)
    assert.deepEqual([status, body.code], [404, 40410000])
    assert.match(body.message, /^order not found for /)
  }
  await advance(10)
  const canceled = await call(server, `DELETE /v2/orders/${placed.id}`, { key: server.key })
  assert.deepEqual([canceled.status, canceled.body], [204, ''])
  assert.equal(canceled.headers.get('content-type'), null)
  // The next event drops orders from memory that the query tables have.
  await post(limit)
  await server.world.storage.queryTables.reached(server.world.view.seq)
  await post(limit)
  assert.equal(server.world.view.orders.has(placed.id), false, 'it is no longer in memory')
  for (const path of paths) {
    const { body } = await get(path)
    assert.deepEqual([body.id, body.status], [placed.id, 'canceled'])
    assert.equal((await get(path, server.otherKey)).status, 404)
  }
  const again = await call(server, `DELETE /v2/orders/${placed.id}`, { key: server.key })
  assert.deepEqual([again.status, again.body.code], [422, 42210000])
  assert.equal(again.body.message, 'order is already in "canceled" state')
  const duplicate = await post({ ...limit, client_order_id: 'find me' })
  assert.deepEqual([duplicate.status, duplicate.body.message], [422, 'client_order_id must be unique'])
})

test('a cancel by another account finds nothing', async () => {
  const { body } = await post(limit)
  const response = await call(server, `DELETE /v2/orders/${body.id}`, { key: server.otherKey })
  assert.deepEqual([response.status, response.body.message], [404, `order not found for ${body.id}`])
})

test('a list is sorted by submission, with filters, direction, times and cursors', async (t) => {
  const fresh = await openTestServer()
  t.after(() => fresh.close())
  const ids: string[] = []
  for (const symbol of ['AAPL', 'MSFT', 'AAPL', 'MSFT']) {
    const { body } = await call(fresh, 'POST /v2/orders', { key: fresh.key, body: { ...limit, symbol } })
    ids.push(body.id)
  }
  await call(fresh, `DELETE /v2/orders/${ids[0]}`, { key: fresh.key })
  const list = async (query: string) => {
    const { body } = await call(fresh, `GET /v2/orders${query}`, { key: fresh.key })
    return body.map(({ id }: { id: string }) => ids.indexOf(id))
  }
  const { body: all } = await call(fresh, 'GET /v2/orders?status=all&direction=asc', { key: fresh.key })
  assert.deepEqual(await list(''), [3, 2, 1])
  assert.deepEqual(await list('?status=closed'), [0])
  assert.deepEqual(await list('?status=all&direction=asc&limit=2'), [0, 1])
  assert.deepEqual(await list('?status=all&symbols=MSFT,ZZZ&nested=True'), [3, 1])
  assert.deepEqual(await list('?status=all&side=sell'), [])
  assert.deepEqual(await list('?status=all&asset_class=crypto&asset_class=us_equity'), [3, 2, 1, 0])
  assert.deepEqual(await list('?status=all&asset_class=crypto'), [])
  assert.deepEqual(await list(`?status=all&after=${all[1].submitted_at}`), [3, 2])
  assert.deepEqual(await list(`?status=all&until=${all[1].submitted_at}`), [0])
  assert.deepEqual(await list(`?status=all&before_order_id=${ids[2]}`), [1, 0])
  assert.deepEqual(await list(`?status=all&after_order_id=${ids[2]}`), [3])
  assert.deepEqual(await list('?status=all&after=9999-12-31T23:59:59Z'), [])
  assert.deepEqual(await list('?status=all&until=1900-01-01'), [])
})
