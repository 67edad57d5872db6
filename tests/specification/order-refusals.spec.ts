import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, callAsOperator } from '../support/broker.ts'
import { bracket, refusals } from './order-refusals.table.ts'
import {
  assertRefused,
  broker,
  callWithHeaders,
  get,
  marketBuy,
  newWorld,
  placeOrder,
  postOrder,
  restingBuy,
} from './stage.ts'

const world = await newWorld()
await placeOrder(world, { ...marketBuy, symbol: 'KO', qty: '10' })
await placeOrder(world, { ...restingBuy, symbol: 'KO', side: 'sell', qty: '4', limit_price: '900' })
/** Custom assets, each with one attribute turned off. */
const without = { tradable: 'STILL', fractionable: 'WHOLE', shortable: 'LONGS', marginable: 'PAIDUP' }
for (const [term, symbol] of Object.entries(without)) {
  const asset = { symbol, price: '20', [term]: false }
  const { status, body } = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/assets`, asset)
  assert.deepEqual([status, body[term]], [201, false])
}
const events = async () => (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}`)).body.seq
const before = await events()

for (const [title, order, status, code, message] of refusals)
  test(`an order with ${title}: ${status}, also as a preview`, async () => {
    const refused = await postOrder(world, order)
    assertRefused(refused, status, code, message)
    const preview = await call(world, 'POST', '/v2/orders/preview', order)
    const isMalformed = refused.body.reason === 'invalidParameter'
    assert.equal(preview.status, isMalformed ? status : 200)
    const { status: previewed, ...error } = isMalformed ? { status, ...preview.body } : preview.body.refusal
    assert.deepEqual([previewed, error], [status, refused.body])
  })

for (const [field, value] of [
  ['qty', 'many'],
  ['limit_price', '12,5'],
  ['extended_hours', 'perhaps'],
  ['symbol', 7],
  ['take_profit', 'soon'],
  ['legs', 'two'],
] as const)
  test(`an order with ${field} ${JSON.stringify(value)}: 422, and the message names the field`, async () => {
    const response = await postOrder(world, { ...restingBuy, [field]: value })
    assertRefused(response, 422, 40010001, new RegExp(`^${field}\\b`))
  })

for (const [title, order, status, code, message] of [
  ['is not tradable', { symbol: without.tradable }, 422, 42210000, 'asset "STILL" is not tradable'],
  [
    'is not fractionable',
    { symbol: without.fractionable, qty: '0.5' },
    403,
    40310000,
    'asset "WHOLE" is not fractionable',
  ],
  [
    'is not fractionable, for an amount of money',
    { symbol: without.fractionable, qty: undefined, notional: '50' },
    403,
    40310000,
    'asset "WHOLE" is not fractionable',
  ],
  [
    'is not shortable',
    { symbol: without.shortable, side: 'sell' },
    422,
    42210000,
    'asset "LONGS" cannot be sold short',
  ],
  [
    'is not marginable, for more than the cash',
    { symbol: without.marginable, qty: '6000' },
    403,
    40310000,
    'insufficient buying power',
  ],
] as const)
  test(`an order for a custom asset that ${title}: ${status}`, async () =>
    assertRefused(await postOrder(world, { ...marketBuy, ...order }), status, code, message))

test('an account below its margin requirement may only close positions: 403', async () => {
  const losing = await newWorld({
    start: '2026-01-06T15:00:00Z',
    market_events: [
      { kind: 'crash', symbol: 'KO', at: '2026-01-06T15:05:00Z', depth: '0.2', recovers: false },
    ],
  })
  const { body: quote } = await get(losing, '/v2/stocks/KO/quotes/latest')
  const { body: account } = await get(losing, '/v2/account')
  const qty = String(Math.floor((0.97 * Number(account.buying_power)) / quote.quote.ap))
  await placeOrder(losing, { ...marketBuy, symbol: 'KO', qty })
  const clock = `/sim/v1/worlds/${losing.world}/clock/advance`
  assert.equal((await callAsOperator(broker, 'POST', clock, { by: '1h' })).status, 200)
  const refused = await postOrder(losing, { ...restingBuy, symbol: 'PFE' })
  assertRefused(refused, 403, 40310000, 'account is restricted to liquidation only')
  await placeOrder(losing, { ...marketBuy, symbol: 'KO', side: 'sell', qty: '1' })
})

test('an exit too close to the base price: 422 with base_price', async () => {
  const entry = { type: 'limit', limit_price: '100', take_profit: { limit_price: '120' } }
  const near = await postOrder(world, bracket({ ...entry, stop_loss: { stop_price: '100' } }))
  assertRefused(near, 422, 42210000, 'stop_loss.stop_price must be <= base_price - 0.01')
  assert.equal(near.body.base_price, '100')
  const profit = { take_profit: { limit_price: '100' }, stop_loss: { stop_price: '90' } }
  const low = await postOrder(world, bracket({ ...entry, ...profit }))
  assertRefused(low, 422, 42210000, 'take_profit.limit_price must be >= base_price + 0.01')
  assert.equal(low.body.base_price, '100')
})

test('more than the buying power: 403 with the numbers', async () => {
  const response = await postOrder(world, { ...restingBuy, qty: '1000000' })
  assertRefused(response, 403, 40310000, 'insufficient buying power')
  const { body: account } = await get(world, '/v2/account')
  assert.deepEqual([response.body.buying_power, response.body.cost_basis], [account.buying_power, '10000000'])
})

test('more than the available shares: 403 with the numbers', async () => {
  const response = await postOrder(world, { ...marketBuy, symbol: 'KO', side: 'sell', qty: '7' })
  const message = 'insufficient qty available for order (requested: 7, available: 6)'
  assertRefused(response, 403, 40310000, message)
  const { symbol, existing_qty, held_for_orders, available } = response.body
  assert.deepEqual([symbol, existing_qty, held_for_orders, available], ['KO', '10', '4', '6'])
})

const pair = { 'APCA-API-KEY-ID': world.keyId, 'APCA-API-SECRET-KEY': world.secretKey }
for (const [title, body] of [
  ['malformed JSON', '{"symbol":"AAPL"'],
  ['plain text', 'buy one apple'],
  ['invalid UTF-8', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])],
] as const)
  test(`${title} as the body: 400`, async () =>
    assertRefused(
      await callWithHeaders('POST', '/v2/orders', pair, body),
      400,
      40010000,
      'failed to decode request body',
    ))

for (const [title, body] of [
  ['no body', undefined],
  ['a list', '[1]'],
  ['a number', '17'],
  ['null', 'null'],
] as const)
  test(`${title} as an order: 422`, async () =>
    assertRefused(await callWithHeaders('POST', '/v2/orders', pair, body), 422, 40010001))

for (const [title, method, path] of [
  ['placing', 'POST', '/v2/orders'],
  ['listing', 'GET', '/v2/orders'],
  ['reading', 'GET', '/v2/orders/00000000-0000-4000-8000-000000000000'],
  ['reading by client order id', 'GET', '/v2/orders:by_client_order_id?client_order_id=x'],
  ['replacing', 'PATCH', '/v2/orders/00000000-0000-4000-8000-000000000000'],
  ['cancelling', 'DELETE', '/v2/orders/00000000-0000-4000-8000-000000000000'],
  ['cancelling all', 'DELETE', '/v2/orders'],
] as const) {
  test(`${title} without credentials: 401`, async () =>
    assertRefused(await callWithHeaders(method, path), 401, 40110000, 'unauthorized.'))
  test(`${title} as a partner: 403`, async () =>
    assertRefused(await call(world.partner, method, path), 403, 40310000, 'forbidden'))
}

test('none of these refusals has recorded an event', async () => assert.equal(await events(), before))
