import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call } from '../support/broker.ts'
import {
  assertRefused,
  get,
  marketBuy,
  newWorld,
  placeOrder,
  postOrder,
  restingBuy,
  UNKNOWN_ID,
  type World,
} from './stage.ts'

const world = await newWorld()
const patch = (id: string, changes: object, caller: World = world) =>
  call(caller, 'PATCH', `/v2/orders/${id}`, changes)
const now = async (id: string): Promise<Body> => (await get(world, `/v2/orders/${id}`)).body

// Created before the first test, because the broker stops when all registered tests have ended.
const resting = await placeOrder(world, restingBuy)
const fraction = await placeOrder(world, { ...restingBuy, qty: '0.5' })
const { qty: _, ...sized } = restingBuy
const notional = await placeOrder(world, { ...sized, notional: '50' })
const filled = await placeOrder(world, marketBuy)
const canceled = await placeOrder(world, restingBuy)
await call(world, 'DELETE', `/v2/orders/${canceled.id}`)
const stop = await placeOrder(world, { ...marketBuy, symbol: 'KO', type: 'stop', stop_price: '900' })
const oto = await placeOrder(world, {
  ...restingBuy,
  order_class: 'oto',
  take_profit: { limit_price: '900' },
})

const trailed = await placeOrder(world, {
  ...marketBuy,
  symbol: 'GE',
  type: 'trailing_stop',
  trail_percent: 5,
})
const bracket = await placeOrder(world, {
  ...restingBuy,
  order_class: 'bracket',
  take_profit: { limit_price: '900' },
  stop_loss: { stop_price: '9' },
})
const TENTH = 'trail_percent must be greater than or equal to 0.1'
const NEAR = 'stop_loss.stop_price must be <= base_price - 0.01'

test('a replacement is a new order that replaces the old one', async () => {
  const old = await placeOrder(world, { ...restingBuy, qty: '3' })
  const { status, body } = await patch(old.id, { qty: 4, limit_price: 9.5, client_order_id: 'the second' })
  assert.equal(status, 200, JSON.stringify(body))
  assert.notEqual(body.id, old.id)
  assert.deepEqual(
    [body.replaces, body.qty, body.limit_price, body.client_order_id, body.status],
    [old.id, '4', '9.5', 'the second', 'pending_new'],
  )
  const before = await now(old.id)
  assert.deepEqual([before.status, before.replaced_by, before.qty], ['replaced', body.id, '3'])
  assert.ok(before.replaced_at)
  assert.equal((await now(body.id)).status, 'new')
  assertRefused(await patch(old.id, { qty: 5 }), 422, 42210000, 'order already replaced')
  assertRefused(
    await call(world, 'DELETE', `/v2/orders/${old.id}`),
    422,
    42210000,
    'order is already in "replaced" state',
  )
})

test('a replacement without a client order id gets a new id', async () => {
  const old = await placeOrder(world, restingBuy)
  const { body } = await patch(old.id, { qty: '2' })
  assert.notEqual(body.client_order_id, old.client_order_id)
  assert.equal(body.client_order_id.length, 36)
})

for (const [title, id, changes, status, code, message] of [
  ['an unknown order', UNKNOWN_ID, { qty: 2 }, 404, 40410000, `order not found for ${UNKNOWN_ID}`],
  ['an invalid id', 'x', { qty: 2 }, 422, 40010001, 'order_id is missing'],
  ['no changes', resting.id, {}, 422, 42210000, 'order parameters are not changed'],
  [
    'the same values',
    resting.id,
    { qty: 1, limit_price: '10' },
    422,
    42210000,
    'order parameters are not changed',
  ],
  ['a filled order', filled.id, { qty: 2 }, 422, 42210000, 'unable to replace order, order is not open'],
  ['a canceled order', canceled.id, { qty: 2 }, 422, 42210000, 'unable to replace order, order is not open'],
  ['a quantity of 0', resting.id, { qty: 0 }, 422, 40010001, 'qty must be > 0'],
  [
    'a fractional quantity',
    resting.id,
    { qty: 1.5 },
    422,
    42210000,
    'qty of a fractional order cannot be replaced',
  ],
  [
    'the quantity of a fractional order',
    fraction.id,
    { qty: 1 },
    422,
    42210000,
    'qty of a fractional order cannot be replaced',
  ],
  ['a notional order', notional.id, { limit_price: 9 }, 422, 42210000, 'notional orders cannot be replaced'],
  ['an oto', oto.id, { limit_price: 9 }, 422, 42210000, 'oto orders cannot be replaced'],
  [
    'the stop price of a limit order',
    resting.id,
    { stop_price: 9 },
    422,
    42210000,
    'stop_price of a limit order cannot be replaced',
  ],
  [
    'the trail of a stop order',
    stop.id,
    { trail: 9 },
    422,
    42210000,
    'trail of a stop order cannot be replaced',
  ],
  [
    'a stop price that the market has passed',
    stop.id,
    { stop_price: 1 },
    422,
    42210000,
    'stop price must be greater than current price',
  ],
  [
    'an unsupported time in force',
    stop.id,
    { time_in_force: 'ioc' },
    422,
    42210000,
    'invalid time_in_force ioc for stop orders',
  ],
  [
    'a sub-penny price',
    resting.id,
    { limit_price: '9.001' },
    422,
    42210000,
    'invalid limit_price 9.001. sub-penny increment does not fulfill minimum pricing criteria',
  ],
  [
    'a used client order id',
    resting.id,
    { qty: 2, client_order_id: resting.client_order_id },
    422,
    40010001,
    'client_order_id must be unique',
  ],
  ['too small a trail', trailed.id, { trail: 0.09 }, 422, 40010001, TENTH],
  ['too large a trail', trailed.id, { trail: '100' }, 422, 40010001, 'trail_percent must be less than 100'],
  ['a stop at the entry price', bracket.legs[1].id, { stop_price: 10 }, 422, 42210000, NEAR],
  ['an entry at the stop price', bracket.id, { limit_price: 9 }, 422, 42210000, NEAR],
  ['too large a quantity', resting.id, { qty: 1_000_000 }, 403, 40310000, 'insufficient buying power'],
] as readonly (readonly [string, string, object, number, number, string])[])
  test(`a replacement with ${title}: ${status}`, async () => {
    const events = (await get(world, '/v2/orders?status=all&limit=500')).body.length
    assertRefused(await patch(id, changes), status, code, message)
    assert.equal((await get(world, '/v2/orders?status=all&limit=500')).body.length, events)
  })

test('an order that is not at the market yet: 422 with its status', async () => {
  const slow = await newWorld({ latency: '10s' })
  const pending = await placeOrder(slow, restingBuy)
  const message = 'cannot replace order in pending_new status'
  assertRefused(await patch(pending.id, { qty: 2 }, slow), 422, 42210000, message)
  const closed = await newWorld({ hours: 'nyse', start: '2026-01-05T23:00:00Z' })
  const queued = await placeOrder(closed, restingBuy)
  assert.equal(queued.status, 'accepted')
  const held = 'cannot replace order in accepted status'
  assertRefused(await patch(queued.id, { qty: 2 }, closed), 422, 42210000, held)
})

test('a replacement changes the trail of a trailing stop', async () => {
  await placeOrder(world, { ...marketBuy, symbol: 'MSFT' })
  const trailing = { ...marketBuy, symbol: 'MSFT', side: 'sell', type: 'trailing_stop' }
  const order = await placeOrder(world, { ...trailing, trail_percent: '5' })
  const { body } = await patch(order.id, { trail: '6' })
  assert.deepEqual([body.trail_percent, body.trail_price, body.hwm], ['6', null, order.hwm])
  assert.ok(Number(body.stop_price) < Number(order.stop_price))
})

test('the orders of a bracket are replaced one by one', async () => {
  const group = await placeOrder(world, {
    ...restingBuy,
    symbol: 'PFE',
    order_class: 'bracket',
    take_profit: { limit_price: '900' },
    stop_loss: { stop_price: '1' },
  })
  const [profit, loss] = group.legs
  const crossed = await patch(profit.id, { limit_price: '1' })
  assertRefused(crossed, 422, 42210000, 'take_profit.limit_price must be > stop_loss.stop_price')
  const higher = (await patch(profit.id, { limit_price: '910' })).body
  const lower = (await patch(loss.id, { stop_price: '0.9' })).body
  assert.deepEqual([higher.status, lower.status], ['held', 'held'])
  const parent = (await patch(group.id, { qty: 2, limit_price: '9' })).body
  assert.deepEqual(
    parent.legs.map((leg: Body) => [leg.id, leg.qty]),
    [
      [higher.id, '2'],
      [lower.id, '2'],
    ],
  )
  const { body } = await get(world, `/v2/orders/${parent.id}?nested=true`)
  assert.deepEqual(
    body.legs.map((leg: Body) => [leg.id, leg.qty]),
    [
      [higher.id, '2'],
      [lower.id, '2'],
    ],
  )
})

test('the buying-power check uses the larger of both orders', async () => {
  const poor = await newWorld({ cash: '1000' })
  const order = (await postOrder(poor, { ...restingBuy, qty: '90' })).body
  assertRefused(await patch(order.id, { qty: 101 }, poor), 403, 40310000, 'insufficient buying power')
  assert.equal((await patch(order.id, { qty: 100 }, poor)).status, 200)
  assert.equal((await get(poor, '/v2/account')).body.buying_power, '0')
})
