import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, callAsOperator } from '../broker.ts'
import { bracket, refusals } from './order-refusals.table.ts'
import { assertRefused, bare, broker, get, marketBuy, place, placed, restingBuy, world } from './stage.ts'

const own = await world()
await placed(own, { ...marketBuy, symbol: 'KO', qty: '10' })
await placed(own, { ...restingBuy, symbol: 'KO', side: 'sell', qty: '4', limit_price: '900' })
/** Assets of one's own, each without one thing that others allow. */
const without = { tradable: 'STILL', fractionable: 'WHOLE', shortable: 'LONGS', marginable: 'PAIDUP' }
for (const [term, symbol] of Object.entries(without)) {
  const asset = { symbol, price: '20', [term]: false }
  const { status, body } = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${own.world}/assets`, asset)
  assert.deepEqual([status, body[term]], [201, false])
}
const events = async () => (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${own.world}`)).body.seq
const before = await events()

for (const [given, order, status, code, message] of refusals)
  test(`an order with ${given}: ${status}`, async () =>
    assertRefused(await place(own, order), status, code, message))

for (const [field, value] of [
  ['qty', 'many'],
  ['limit_price', '12,5'],
  ['extended_hours', 'perhaps'],
  ['symbol', 7],
  ['take_profit', 'soon'],
  ['legs', 'two'],
] as const)
  test(`an order whose ${field} is ${JSON.stringify(value)}: 422, and the message names the field`, async () => {
    const answer = await place(own, { ...restingBuy, [field]: value })
    assertRefused(answer, 422, 40010001, new RegExp(`^${field}\\b`))
  })

for (const [given, order, status, code, message] of [
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
    'is bought with cash alone, for more than there is',
    { symbol: without.marginable, qty: '6000' },
    403,
    40310000,
    'insufficient buying power',
  ],
] as const)
  test(`an order for an asset of one's own that ${given}: ${status}`, async () =>
    assertRefused(await place(own, { ...marketBuy, ...order }), status, code, message))

test('an account whose one position is far more than its equity only closes: 403', async () => {
  const fallen = await world({
    start: '2026-01-06T15:00:00Z',
    market_events: [
      { kind: 'crash', symbol: 'KO', at: '2026-01-06T15:05:00Z', depth: '0.2', recovers: false },
    ],
  })
  const { body: quote } = await get(fallen, '/v2/stocks/KO/quotes/latest')
  const { body: account } = await get(fallen, '/v2/account')
  const qty = String(Math.floor((0.97 * Number(account.buying_power)) / quote.quote.ap))
  await placed(fallen, { ...marketBuy, symbol: 'KO', qty })
  const clock = `/sim/v1/worlds/${fallen.world}/clock/advance`
  assert.equal((await callAsOperator(broker, 'POST', clock, { by: '1h' })).status, 200)
  const refused = await place(fallen, { ...restingBuy, symbol: 'PFE' })
  assertRefused(refused, 403, 40310000, 'account is restricted to liquidation only')
  await placed(fallen, { ...marketBuy, symbol: 'KO', side: 'sell', qty: '1' })
})

test('an exit too near to its base: 422 with the base', async () => {
  const entry = { type: 'limit', limit_price: '100', take_profit: { limit_price: '120' } }
  const near = await place(own, bracket({ ...entry, stop_loss: { stop_price: '100' } }))
  assertRefused(near, 422, 42210000, 'stop_loss.stop_price must be <= base_price - 0.01')
  assert.equal(near.body.base_price, '100')
  const profit = { take_profit: { limit_price: '100' }, stop_loss: { stop_price: '90' } }
  const low = await place(own, bracket({ ...entry, ...profit }))
  assertRefused(low, 422, 42210000, 'take_profit.limit_price must be >= base_price + 0.01')
  assert.equal(low.body.base_price, '100')
})

test('more than the buying power: 403 with the numbers', async () => {
  const answer = await place(own, { ...restingBuy, qty: '1000000' })
  assertRefused(answer, 403, 40310000, 'insufficient buying power')
  const { body: account } = await get(own, '/v2/account')
  assert.deepEqual([answer.body.buying_power, answer.body.cost_basis], [account.buying_power, '10000000'])
})

test('more than is held and free: 403 with the numbers', async () => {
  const answer = await place(own, { ...marketBuy, symbol: 'KO', side: 'sell', qty: '7' })
  const message = 'insufficient qty available for order (requested: 7, available: 6)'
  assertRefused(answer, 403, 40310000, message)
  const { symbol, existing_qty, held_for_orders, available } = answer.body
  assert.deepEqual([symbol, existing_qty, held_for_orders, available], ['KO', '10', '4', '6'])
})

const pair = { 'APCA-API-KEY-ID': own.keyId, 'APCA-API-SECRET-KEY': own.secretKey }
for (const [given, body] of [
  ['half a JSON', '{"symbol":"AAPL"'],
  ['words', 'buy one apple'],
  ['bytes that are no text', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])],
] as const)
  test(`${given} for a body: 400`, async () =>
    assertRefused(
      await bare('POST', '/v2/orders', pair, body),
      400,
      40010000,
      'failed to decode request body',
    ))

for (const [given, body] of [
  ['no body at all', undefined],
  ['a list', '[1]'],
  ['a number', '17'],
  ['null', 'null'],
] as const)
  test(`${given} for an order: 422`, async () =>
    assertRefused(await bare('POST', '/v2/orders', pair, body), 422, 40010001))

for (const [given, method, path] of [
  ['placing', 'POST', '/v2/orders'],
  ['listing', 'GET', '/v2/orders'],
  ['reading', 'GET', '/v2/orders/00000000-0000-4000-8000-000000000000'],
  ['reading by client order id', 'GET', '/v2/orders:by_client_order_id?client_order_id=x'],
  ['replacing', 'PATCH', '/v2/orders/00000000-0000-4000-8000-000000000000'],
  ['cancelling', 'DELETE', '/v2/orders/00000000-0000-4000-8000-000000000000'],
  ['cancelling all', 'DELETE', '/v2/orders'],
] as const) {
  test(`${given} without credentials: 401`, async () =>
    assertRefused(await bare(method, path), 401, 40110000, 'unauthorized.'))
  test(`${given} as a partner: 403`, async () =>
    assertRefused(await call(own.partner, method, path), 403, 40310000, 'forbidden'))
}

test('none of these refusals has left anything behind', async () => assert.equal(await events(), before))
