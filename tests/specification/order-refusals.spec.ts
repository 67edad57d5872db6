import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, callAsOperator } from '../broker.ts'
import { bracket, refusals } from './order-refusals.table.ts'
import { assertRefused, bare, broker, get, marketBuy, place, placed, restingBuy, world } from './stage.ts'

const own = await world()
await placed(own, { ...marketBuy, symbol: 'KO', qty: '10' })
await placed(own, { ...restingBuy, symbol: 'KO', side: 'sell', qty: '4', limit_price: '900' })
const events = async () => (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${own.world}`)).body.seq
const before = await events()

for (const [given, order, status, code, message] of refusals)
  test(`an order with ${given}: ${status}`, async () =>
    assertRefused(await place(own, order), status, code, message))

for (const [field, value] of [
  ['qty', 'many'],
  ['qty', '1.0000000001'],
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
