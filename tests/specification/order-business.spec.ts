import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../broker.ts'
import {
  type Answer,
  assertRefused,
  broker,
  get,
  marketBuy,
  place,
  placed,
  restingBuy,
  world,
} from './stage.ts'

/** The refusals for what an account has or may do: each with its numbers. */
const sell = { ...marketBuy, side: 'sell' }
const limitSell = { ...sell, type: 'limit', limit_price: '900' }
const coin = { ...marketBuy, symbol: 'BTC/USD', time_in_force: 'gtc' }

const refused = (answer: Answer, message: string, status = 403, code = 40310000): Body => {
  assertRefused(answer, status, code, message)
  const { code: _, message: __, reason: ___, ...fields } = answer.body
  return fields
}

test('a sale of more than is free', async () => {
  const own = await world()
  await placed(own, { ...marketBuy, qty: '10' })
  await placed(own, { ...limitSell, qty: '4' })
  const message = 'insufficient qty available for order (requested: 7, available: 6)'
  assert.deepEqual(refused(await place(own, { ...limitSell, qty: '7' }), message), {
    symbol: 'AAPL',
    existing_qty: '10',
    held_for_orders: '4',
    available: '6',
  })
})

test('a short is opened, and not turned round in one order', async () => {
  const own = await world()
  const short = await placed(own, { ...sell, qty: '10' })
  assert.equal(short.position_intent, 'sell_to_open')
  const message = 'insufficient qty available for order (requested: 11, available: 10)'
  const { existing_qty } = refused(await place(own, { ...marketBuy, qty: '11' }), message)
  assert.equal(existing_qty, '-10')
  const cover = await placed(own, { ...marketBuy, qty: '10', position_intent: 'buy_to_close' })
  assert.equal(cover.position_intent, 'buy_to_close')
})

test('an account without margin does not short', async () => {
  const own = await world({ cash: '1999' })
  refused(await place(own, sell), 'account is not allowed to short')
})

test('a long and a short are not opened at once', async () => {
  const own = await world()
  await placed(own, restingBuy)
  refused(await place(own, limitSell), 'cannot open a short sell while a long buy order is open')
  const other = await world()
  await placed(other, limitSell)
  refused(await place(other, restingBuy), 'cannot open a long buy while a short sell order is open')
})

test('an order that could trade with one of the same account', async () => {
  const own = await world()
  await placed(own, { ...marketBuy, qty: '10' })
  const resting = await placed(own, { ...limitSell, qty: '1' })
  const message = 'potential wash trade detected. use complex orders'
  assert.deepEqual(refused(await place(own, marketBuy), message), {
    existing_order_id: resting.id,
    reject_reason: 'opposite side limit order exists',
  })
  refused(await place(own, { ...restingBuy, limit_price: '900' }), message)
  const below = await placed(own, { ...restingBuy, limit_price: '1' })
  await call(own, 'DELETE', `/v2/orders/${below.id}`)
  const stop = await placed(own, { ...sell, type: 'stop', stop_price: '1' })
  assert.deepEqual(refused(await place(own, { ...restingBuy, limit_price: '2' }), message), {
    existing_order_id: stop.id,
    reject_reason: 'opposite side market/stop order exists',
  })
})

test('an amount of money is not sold beside other sales', async () => {
  const own = await world()
  await placed(own, { ...marketBuy, qty: '10' })
  await placed(own, { ...limitSell, qty: '1' })
  const { qty: _, ...rest } = limitSell
  const message = 'unable to open new notional orders while having open closing position orders'
  refused(await place(own, { ...rest, notional: '50' }), message)
})

test('coins: what they cost at least, and settled dollars alone', async () => {
  const own = await world()
  const { qty: _, ...rest } = coin
  refused(await place(own, { ...rest, notional: '9.99' }), 'cost basis must be >= minimal amount of order 10')
  const dear = await place(own, { ...rest, notional: '150000' })
  const message = 'insufficient balance for USD (requested: 150000, available: 100000)'
  assert.deepEqual(refused(dear, message), { symbol: 'USD', balance: '100000', available: '100000' })
  const none = await place(own, { ...coin, side: 'sell', qty: '1' })
  assert.deepEqual(refused(none, 'insufficient balance for BTC (requested: 1, available: 0)'), {
    symbol: 'BTC',
    balance: '0',
    available: '0',
  })
})

test('the configuration of an account', async () => {
  const own = await world()
  const configure = async (changes: object) => {
    const { status, body } = await call(own, 'PATCH', '/v2/account/configurations', changes)
    assert.equal(status, 200, JSON.stringify(body))
  }
  await configure({ suspend_trade: true })
  refused(await place(own, marketBuy), 'new orders are rejected by user request')
  await configure({ suspend_trade: false, fractional_trading: false })
  refused(await place(own, { ...marketBuy, qty: '0.5' }), 'fractional trading is disabled for this account')
  await configure({ fractional_trading: true, no_shorting: true })
  refused(await place(own, sell), 'account is not allowed to short')
})

test('opening and closing auctions are entered in time', async () => {
  const own = await world({ hours: 'nyse' })
  const opg = { ...marketBuy, time_in_force: 'opg' }
  const cls = { ...marketBuy, time_in_force: 'cls' }
  refused(await place(own, opg), 'opg orders must be submitted after 7:00pm and before 9:28am')
  assert.equal((await placed(own, cls)).status, 'pending_new')
  await own.advance('5h55m')
  refused(await place(own, cls), 'cls orders must be submitted after 7:00pm and before 3:50pm')
  await own.advance('4h')
  assert.equal((await placed(own, opg)).status, 'accepted')
  const open = await world()
  assert.equal((await placed(open, opg)).status, 'pending_new')
})

test('a duplicate client order id, also of an order that has ended', async () => {
  const own = await world()
  await placed(own, { ...marketBuy, client_order_id: 'once' })
  const again = await place(own, { ...marketBuy, client_order_id: 'once' })
  refused(again, 'client_order_id must be unique', 422, 40010001)
})

test('none of the refusals is an order', async () => {
  const own = await world({ cash: '1000' })
  refused(await place(own, sell), 'account is not allowed to short')
  refused(await place(own, { ...marketBuy, qty: '100' }), 'insufficient buying power')
  assert.deepEqual((await get(own, '/v2/orders?status=all')).body, [])
})

test('an asset that is listed no longer', async () => {
  const own = await world()
  const path = `/sim/v1/worlds/${own.world}/corporate-actions`
  const delisting = { type: 'delisting', symbol: 'PFE', ex_date: '2026-01-06' }
  const { status, body } = await callAsOperator(broker, 'POST', path, delisting)
  assert.equal(status, 201, JSON.stringify(body))
  await own.advance('24h')
  const answer = await place(own, { ...marketBuy, symbol: 'PFE' })
  refused(answer, 'asset PFE is not active', 422, 40010001)
})
