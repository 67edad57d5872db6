import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../support/broker.ts'
import {
  assertRefused,
  broker,
  get,
  marketBuy,
  newWorld,
  placeOrder,
  postOrder,
  restingBuy,
  type StageResponse,
  type World,
} from './stage.ts'

/** Refusals that depend on the account, each with its numbers. */
const sell = { ...marketBuy, side: 'sell' }
const limitSell = { ...sell, type: 'limit', limit_price: '900' }
const coin = { ...marketBuy, symbol: 'BTC/USD', time_in_force: 'gtc' }

const refusalFields = (response: StageResponse, message: string, status = 403, code = 40310000): Body => {
  assertRefused(response, status, code, message)
  const { code: _, message: __, reason: ___, ...fields } = response.body
  return fields
}

test('a sale of more than the available shares', async () => {
  const world = await newWorld()
  await placeOrder(world, { ...marketBuy, qty: '10' })
  await placeOrder(world, { ...limitSell, qty: '4' })
  const message = 'insufficient qty available for order (requested: 7, available: 6)'
  assert.deepEqual(refusalFields(await postOrder(world, { ...limitSell, qty: '7' }), message), {
    symbol: 'AAPL',
    existing_qty: '10',
    held_for_orders: '4',
    available: '6',
  })
})

test('a short position cannot be reversed in one order', async () => {
  const world = await newWorld()
  const short = await placeOrder(world, { ...sell, qty: '10' })
  assert.equal(short.position_intent, 'sell_to_open')
  const message = 'insufficient qty available for order (requested: 11, available: 10)'
  const { existing_qty } = refusalFields(await postOrder(world, { ...marketBuy, qty: '11' }), message)
  assert.equal(existing_qty, '-10')
  const cover = await placeOrder(world, { ...marketBuy, qty: '10', position_intent: 'buy_to_close' })
  assert.equal(cover.position_intent, 'buy_to_close')
})

test('an account without margin cannot sell short', async () => {
  const world = await newWorld({ cash: '1999' })
  refusalFields(await postOrder(world, sell), 'account is not allowed to short')
})

test('a long and a short order cannot be open together', async () => {
  const world = await newWorld()
  await placeOrder(world, restingBuy)
  refusalFields(await postOrder(world, limitSell), 'cannot open a short sell while a long buy order is open')
  const other = await newWorld()
  await placeOrder(other, limitSell)
  refusalFields(await postOrder(other, restingBuy), 'cannot open a long buy while a short sell order is open')
})

test('an order that could trade with another order of the account', async () => {
  const world = await newWorld()
  await placeOrder(world, { ...marketBuy, qty: '10' })
  const resting = await placeOrder(world, { ...limitSell, qty: '1' })
  const message = 'potential wash trade detected. use complex orders'
  assert.deepEqual(refusalFields(await postOrder(world, marketBuy), message), {
    existing_order_id: resting.id,
    reject_reason: 'opposite side limit order exists',
  })
  refusalFields(await postOrder(world, { ...restingBuy, limit_price: '900' }), message)
  const below = await placeOrder(world, { ...restingBuy, limit_price: '1' })
  await call(world, 'DELETE', `/v2/orders/${below.id}`)
  const stop = await placeOrder(world, { ...sell, type: 'stop', stop_price: '1' })
  assert.deepEqual(refusalFields(await postOrder(world, { ...restingBuy, limit_price: '2' }), message), {
    existing_order_id: stop.id,
    reject_reason: 'opposite side market/stop order exists',
  })
})

test('a notional sale is refused while another sale is open', async () => {
  const world = await newWorld()
  await placeOrder(world, { ...marketBuy, qty: '10' })
  await placeOrder(world, { ...limitSell, qty: '1' })
  const { qty: _, ...rest } = limitSell
  const message = 'unable to open new notional orders while having open closing position orders'
  refusalFields(await postOrder(world, { ...rest, notional: '50' }), message)
})

test('crypto: the minimum order value, and settled cash only', async () => {
  const world = await newWorld()
  const { qty: _, ...rest } = coin
  refusalFields(
    await postOrder(world, { ...rest, notional: '9.99' }),
    'cost basis must be >= minimal amount of order 10',
  )
  const expensive = await postOrder(world, { ...rest, notional: '150000' })
  const message = 'insufficient balance for USD (requested: 150000, available: 100000)'
  assert.deepEqual(refusalFields(expensive, message), {
    symbol: 'USD',
    balance: '100000',
    available: '100000',
  })
  const none = await postOrder(world, { ...coin, side: 'sell', qty: '1' })
  assert.deepEqual(refusalFields(none, 'insufficient balance for BTC (requested: 1, available: 0)'), {
    symbol: 'BTC',
    balance: '0',
    available: '0',
  })
})

test('the configuration of an account', async () => {
  const world = await newWorld()
  const configure = async (changes: object) => {
    const { status, body } = await call(world, 'PATCH', '/v2/account/configurations', changes)
    assert.equal(status, 200, JSON.stringify(body))
  }
  await configure({ suspend_trade: true })
  refusalFields(await postOrder(world, marketBuy), 'new orders are rejected by user request')
  await configure({ suspend_trade: false, fractional_trading: false })
  refusalFields(
    await postOrder(world, { ...marketBuy, qty: '0.5' }),
    'fractional trading is disabled for this account',
  )
  await configure({ fractional_trading: true, no_shorting: true })
  refusalFields(await postOrder(world, sell), 'account is not allowed to short')
})

test('auction orders have deadlines', async () => {
  const world = await newWorld({ hours: 'nyse' })
  const opg = { ...marketBuy, time_in_force: 'opg' }
  const cls = { ...marketBuy, time_in_force: 'cls' }
  refusalFields(await postOrder(world, opg), 'opg orders must be submitted after 7:00pm and before 9:28am')
  assert.equal((await placeOrder(world, cls)).status, 'pending_new')
  await world.advance('5h55m')
  refusalFields(await postOrder(world, cls), 'cls orders must be submitted after 7:00pm and before 3:50pm')
  await world.advance('4h')
  assert.equal((await placeOrder(world, opg)).status, 'accepted')
  const open = await newWorld()
  assert.equal((await placeOrder(open, opg)).status, 'pending_new')
})

test('a duplicate client order id, also of a closed order', async () => {
  const world = await newWorld()
  await placeOrder(world, { ...marketBuy, client_order_id: 'once' })
  const again = await postOrder(world, { ...marketBuy, client_order_id: 'once' })
  refusalFields(again, 'client_order_id must be unique', 422, 40010001)
})

test('a refused order is not listed', async () => {
  const world = await newWorld({ cash: '1000' })
  refusalFields(await postOrder(world, sell), 'account is not allowed to short')
  refusalFields(await postOrder(world, { ...marketBuy, qty: '100' }), 'insufficient buying power')
  assert.deepEqual((await get(world, '/v2/orders?status=all')).body, [])
})

test('a delisted asset', async () => {
  const world = await newWorld()
  const path = `/sim/v1/worlds/${world.world}/corporate-actions`
  const delisting = { type: 'delisting', symbol: 'PFE', ex_date: '2026-01-06' }
  const { status, body } = await callAsOperator(broker, 'POST', path, delisting)
  assert.equal(status, 201, JSON.stringify(body))
  await world.advance('24h')
  const response = await postOrder(world, { ...marketBuy, symbol: 'PFE' })
  refusalFields(response, 'asset PFE is not active', 422, 40010001)
})

/**
 * An account with 10,000 dollars is short 1,000 shares at about 20 dollars. The stock opens higher on two mornings. Orders
 * that reduce risk are accepted, orders that add risk are refused. Below an equity of 2,000 no short sale is allowed.
 */
const steps = [
  // day, order, response, position, buying power
  ['Monday', 'sell 1000 GME', 'accepted', '-1000', 'yes'],
  ['Monday', 'sell 1500 GME', '403 insufficient buying power', '-1000', 'yes'],
  ['Monday', 'buy 1001 GME', '403 insufficient qty available for order', '-1000', 'yes'],
  ['Tuesday', 'sell 1 GME', '403 insufficient buying power', '-1000', 'no'],
  ['Tuesday', 'buy 1 KO', '403 insufficient buying power', '-1000', 'no'],
  ['Tuesday', 'sell 1 KO', '403 insufficient buying power', '-1000', 'no'],
  ['Wednesday', 'sell 1 KO', '403 account is restricted to liquidation only', '-1000', 'no'],
  ['Wednesday', 'buy 1 KO', '403 account is restricted to liquidation only', '-1000', 'no'],
  ['Wednesday', 'buy 900 GME', 'accepted', '-100', 'yes'],
  ['Wednesday', 'buy 1 KO', 'accepted', '-100', 'yes'],
  ['Wednesday', 'close GME', 'accepted', '0', 'yes'],
  ['Wednesday', 'sell 1 GME', '403 account is not allowed to short', '0', 'yes'],
] as const

async function send(world: World, action: string): Promise<string> {
  const [verb, ...words] = action.split(' ')
  const [qty, symbol = qty] = words
  const { status, body } =
    verb === 'close'
      ? await call(world, 'DELETE', `/v2/positions/${symbol}`)
      : await postOrder(world, { symbol, qty, side: verb, type: 'market', time_in_force: 'day' })
  return status === 200 ? 'accepted' : `${status} ${body.message.replace(/ \(.*/, '')}`
}

test('a short squeeze: margin refusals, then closing orders only, then recovery', async () => {
  const world = await newWorld({
    hours: 'nyse',
    start: '2026-11-02T15:30:00Z',
    cash: '10000',
    symbols: ['GME:20', 'KO'],
    market_events: [
      { kind: 'gap', symbol: 'GME', on: '2026-11-03', percent: '22' },
      { kind: 'gap', symbol: 'GME', on: '2026-11-04', percent: '7' },
    ],
  })
  const account = async () => (await get(world, '/v2/account')).body
  let day = 'Monday'
  for (const [weekday, action, response, position, power] of steps) {
    if (weekday !== day) await world.advance('24h')
    day = weekday
    assert.equal(await send(world, action), response, `${weekday}: ${action}`)
    const { body: held } = await get(world, '/v2/positions/GME')
    const { equity, maintenance_margin, buying_power } = await account()
    assert.equal(held.qty ?? '0', position, `${weekday}: ${action}`)
    assert.equal(Number(equity) > Number(maintenance_margin) ? 'yes' : 'no', power, `${weekday}: ${action}`)
    assert.equal(Number(buying_power) > 0 ? 'yes' : 'no', power, `${weekday}: ${action}`)
  }
  const audit = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/audit`)
  assert.deepEqual([audit.body.sound, audit.body.problems], [true, []])
})
