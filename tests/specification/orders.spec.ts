import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { type Body, call } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import {
  assertRefused,
  broker,
  get,
  marketBuy,
  newWorld,
  placeOrder,
  postOrder,
  restingBuy,
  UNKNOWN_ID,
  UUID,
} from './stage.ts'

const world = await newWorld()
const now = (id: string): Promise<Body> => get(world, `/v2/orders/${id}`).then(({ body }) => body)
const cancel = (id: string) => call(world, 'DELETE', `/v2/orders/${id}`)
const byClientId = (clientOrderId: string) =>
  get(world, `/v2/orders:by_client_order_id?client_order_id=${encodeURIComponent(clientOrderId)}`)

for (const [title, order, expected] of [
  ['market, day, whole', marketBuy, 'filled'],
  ['market, gtc, whole', { ...marketBuy, time_in_force: 'gtc' }, 'filled'],
  ['market, day, a fraction', { ...marketBuy, qty: '0.557436865' }, 'filled'],
  ['limit, day, far off', restingBuy, 'new'],
  ['limit, gtc, far off', { ...restingBuy, time_in_force: 'gtc' }, 'new'],
  ['limit, day, a fraction', { ...restingBuy, qty: '1.25' }, 'new'],
  ['limit, day, already reached', { ...restingBuy, limit_price: '900' }, 'filled'],
] as readonly (readonly [string, Body, string])[])
  test(`an order that is ${title}: first pending_new, then ${expected}`, async () => {
    const first = await placeOrder(world, order)
    assert.deepEqual([first.status, first.filled_qty, first.filled_avg_price], ['pending_new', '0', null])
    const { status, filled_qty, filled_avg_price, filled_at } = await now(first.id)
    assert.equal(status, expected)
    assert.equal(filled_qty, expected === 'filled' ? order.qty : '0')
    assert.equal(filled_avg_price !== null, expected === 'filled')
    assert.equal(filled_at !== null, expected === 'filled')
  })

test('the response has all fields of the order; unused fields are null', async () => {
  const order = await placeOrder(world, {
    ...restingBuy,
    qty: 3,
    limit_price: 187.5,
    client_order_id: 'whole',
  })
  const { id, created_at, updated_at, submitted_at, ...rest } = order
  assert.match(id, UUID)
  for (const at of [created_at, updated_at, submitted_at]) assert.match(at, /^2026-01-05T15:00:00\.\d{1,9}Z$/)
  assert.deepEqual(rest, {
    client_order_id: 'whole',
    filled_at: null,
    expired_at: null,
    expires_at: '2026-01-05T21:00:00Z',
    canceled_at: null,
    failed_at: null,
    replaced_at: null,
    replaced_by: null,
    replaces: null,
    asset_id: '605209a6-1bc6-51c6-b6d0-0a8ee018b471',
    symbol: 'AAPL',
    asset_class: 'us_equity',
    notional: null,
    qty: '3',
    filled_qty: '0',
    filled_avg_price: null,
    order_class: '',
    order_type: 'limit',
    type: 'limit',
    side: 'buy',
    position_intent: 'buy_to_open',
    time_in_force: 'day',
    limit_price: '187.5',
    stop_price: null,
    trail_percent: null,
    trail_price: null,
    hwm: null,
    ratio_qty: null,
    status: 'pending_new',
    extended_hours: false,
    subtag: null,
    source: null,
    legs: null,
  })
})

test('a market buy fills at the ask, and the shares can be sold at the bid', async () => {
  const fresh = await newWorld()
  const { body: latest } = await get(fresh, '/v2/stocks/AAPL/quotes/latest')
  const { id } = await placeOrder(fresh, { ...marketBuy, qty: '2' })
  const { body: bought } = await get(fresh, `/v2/orders/${id}`)
  assert.equal(Number(bought.filled_avg_price), latest.quote.ap)
  const { body: account } = await get(fresh, '/v2/account')
  assert.equal(Number(account.cash), 100_000 - Math.ceil(latest.quote.ap * 200) / 100)
  const sale = await placeOrder(fresh, { ...marketBuy, side: 'sell', qty: '2' })
  assert.equal(sale.position_intent, 'sell_to_close')
  const { body: sold } = await get(fresh, `/v2/orders/${sale.id}`)
  assert.deepEqual([sold.status, Number(sold.filled_avg_price)], ['filled', latest.quote.bp])
})

test('while the market is closed an order is accepted; it is new from 04:00 of the next session', async () => {
  const night = await newWorld({ hours: 'nyse', start: '2026-01-05T23:00:00Z' })
  const { id, status } = await placeOrder(night, marketBuy)
  assert.equal(status, 'accepted')
  await night.advance('9h59m')
  assert.equal((await get(night, `/v2/orders/${id}`)).body.status, 'accepted')
  await night.advance('1m')
  assert.equal((await get(night, `/v2/orders/${id}`)).body.status, 'new')
  await night.advance('5h31m')
  assert.equal((await get(night, `/v2/orders/${id}`)).body.status, 'filled')
})

test('an unfilled day order expires at the close; a gtc order stays open', async () => {
  const day = await newWorld()
  const { id } = await placeOrder(day, restingBuy)
  const { id: gtcId } = await placeOrder(day, { ...restingBuy, time_in_force: 'gtc' })
  await day.advance('6h')
  const { body } = await get(day, `/v2/orders/${id}`)
  assert.deepEqual([body.status, body.expired_at?.slice(0, 19)], ['expired', '2026-01-05T21:00:00'])
  assert.equal((await get(day, `/v2/orders/${gtcId}`)).body.status, 'new')
})

test('an order is found by its client order id, which is generated by default', async () => {
  const named = await placeOrder(world, { ...restingBuy, client_order_id: 'by name, +&?' })
  assert.equal((await byClientId('by name, +&?')).body.id, named.id)
  const unnamed = await placeOrder(world, restingBuy)
  assert.match(unnamed.client_order_id, UUID)
  assert.equal((await byClientId(unnamed.client_order_id)).body.id, unnamed.id)
})

test('a cancel returns 204 without a body, and the order is canceled', async () => {
  const { id } = await placeOrder(world, restingBuy)
  const response = await cancel(id)
  assert.deepEqual([response.status, response.body], [204, ''])
  const { status, canceled_at } = await now(id)
  assert.equal(status, 'canceled')
  assert.ok(canceled_at)
})

for (const [state, order] of [
  ['canceled', restingBuy],
  ['filled', marketBuy],
] as const)
  test(`a cancel of an order that is ${state}: 422`, async () => {
    const { id } = await placeOrder(world, order)
    if (state === 'canceled') await cancel(id)
    for (const again of [await cancel(id), await cancel(id)])
      assertRefused(again, 422, 42210000, `order is already in "${state}" state`)
  })

test('a cancel of an order that expired: 422', async () => {
  const day = await newWorld()
  const { id } = await placeOrder(day, restingBuy)
  await day.advance('24h')
  const response = await call(day, 'DELETE', `/v2/orders/${id}`)
  assertRefused(response, 422, 42210000, 'order is already in "expired" state')
})

for (const [state, order] of [
  ['open', restingBuy],
  ['filled', marketBuy],
  ['canceled', restingBuy],
] as const)
  test(`a client order id stays used after its order is ${state}`, async () => {
    const named = { ...order, client_order_id: `taken while ${state}` }
    const { id } = await placeOrder(world, named)
    if (state === 'canceled') await cancel(id)
    for (let more = 0; more < 3; more++) await placeOrder(world, restingBuy)
    assertRefused(await postOrder(world, named), 422, 40010001, 'client_order_id must be unique')
    assert.equal((await byClientId(named.client_order_id)).body.id, id)
  })

test('two accounts may use the same client order id', async () => {
  const two = await newWorld({ accounts: 2 })
  const [, second] = two.created.accounts
  const other = { url: two.url, keyId: second.key_id, secretKey: second.secret_key }
  const named = { ...restingBuy, client_order_id: 'the same' }
  const [mine, theirs] = [await placeOrder(two, named), await placeOrder(other, named)]
  assert.notEqual(mine.id, theirs.id)
  assertRefused(await get(other, `/v2/orders/${mine.id}`), 404, 40410000, `order not found for ${mine.id}`)
  assertRefused(await call(other, 'DELETE', `/v2/orders/${mine.id}`), 404, 40410000)
})

test('after a lost response the order is found by its client order id, and a second order is refused', async () => {
  const order = { ...marketBuy, client_order_id: 'response lost' }
  const body = JSON.stringify(order)
  const { hostname, port, host } = new URL(broker.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const head = [
    'POST /v2/orders HTTP/1.1',
    `Host: ${host}`,
    `APCA-API-KEY-ID: ${world.keyId}`,
    `APCA-API-SECRET-KEY: ${world.secretKey}`,
    `Content-Length: ${body.length}`,
  ]
  await new Promise((sent) => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, sent))
  socket.destroy()
  const response = await waitUntil('the order exists', async () => {
    const found = await byClientId('response lost')
    return found.status !== 404 && found
  })
  assert.deepEqual([response.status, response.body.status], [200, 'filled'])
  assertRefused(await postOrder(world, order), 422, 40010001, 'client_order_id must be unique')
  assert.equal((await byClientId('response lost')).body.id, response.body.id)
})

for (const [title, method, path, status, code, message] of [
  ['an unknown id', 'GET', `/v2/orders/${UNKNOWN_ID}`, 404, 40410000, `order not found for ${UNKNOWN_ID}`],
  [
    'a cancel of an unknown id',
    'DELETE',
    `/v2/orders/${UNKNOWN_ID}`,
    404,
    40410000,
    `order not found for ${UNKNOWN_ID}`,
  ],
  [
    'an unknown client order id',
    'GET',
    '/v2/orders:by_client_order_id?client_order_id=no',
    404,
    40410000,
    'order not found for no',
  ],
  ['an id that is not a UUID', 'GET', '/v2/orders/17', 422, 40010001, 'order_id is missing'],
  ['a cancel of an id that is not a UUID', 'DELETE', '/v2/orders/17', 422, 40010001, 'order_id is missing'],
  [
    'no client order id',
    'GET',
    '/v2/orders:by_client_order_id',
    422,
    40010001,
    'client_order_id is required',
  ],
] as const)
  test(`${title}: ${status}`, async () =>
    assertRefused(await call(world, method, path), status, code, message))
