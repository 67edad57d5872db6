import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call } from '../support/broker.ts'
import { assertRefused, get, newWorld, placeOrder, restingBuy } from './stage.ts'

/** Requests of public programs, with the exact bytes that they send. */
const world = await newWorld({ start: '2026-05-04T15:00:00Z' })

const send = (method: string, path: string, bytes: string) =>
  call(world, method, path, bytes, { 'Content-Type': 'application/json' })

/** Places an order and waits until it is at the market, so it can be replaced. */
async function placeResting(order: object): Promise<Body> {
  const { id } = await placeOrder(world, order)
  await world.advance('1s')
  return (await get(world, `/v2/orders/${id}`)).body
}

test('the Go client replaces only the price', async () => {
  const before = await placeResting({ ...restingBuy, qty: '3', time_in_force: 'gtc' })
  const { status, body } = await send(
    'PATCH',
    `/v2/orders/${before.id}`,
    '{"qty":null,"limit_price":"11.5","stop_price":null,"trail":null,"time_in_force":"","client_order_id":""}',
  )
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    [body.limit_price, body.qty, body.time_in_force, body.replaces],
    ['11.5', '3', 'gtc', before.id],
  )
  assert.notEqual(body.client_order_id, '')
})

test('the Go client places an order with empty and null fields', async () => {
  const { status, body } = await send(
    'POST',
    '/v2/orders',
    '{"symbol":"AAPL","qty":"1","notional":null,"side":"buy","type":"limit","time_in_force":"","limit_price":"10",' +
      '"extended_hours":false,"stop_price":null,"client_order_id":"","order_class":"","take_profit":null,' +
      '"stop_loss":null,"trail_price":null,"trail_percent":null,"position_intent":""}',
  )
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.time_in_force, body.order_class], ['day', ''])
})

test('the Go client changes the configurations', async () => {
  const { status, body } = await send(
    'PATCH',
    '/v2/account/configurations',
    '{"dtbp_check":"","trade_confirm_email":"","suspend_trade":false,"no_shorting":true,"fractional_trading":true}',
  )
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.no_shorting, body.trade_confirm_email], [true, 'all'])
  const removed = await send(
    'PATCH',
    '/v2/account/configurations',
    '{"pdt_check":"never","no_shorting":false}',
  )
  assert.deepEqual([removed.status, removed.body.no_shorting], [200, false])
})

test('ccxt reads minute candles', async () => {
  const { status, body } = await get(
    world,
    '/v1beta3/crypto/us/bars?symbols=BTC%2FUSD&limit=3&start=2026-05-04&timeframe=1min',
  )
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    body.bars['BTC/USD'].map(({ t }: Body) => t),
    ['2026-05-04T00:00:00Z', '2026-05-04T00:01:00Z', '2026-05-04T00:02:00Z'],
  )
})

test('ccxt edits an open crypto order', async () => {
  const before = await placeResting({
    symbol: 'BTC/USD',
    qty: '0.002',
    side: 'buy',
    type: 'limit',
    limit_price: '20000',
    time_in_force: 'gtc',
  })
  const edit = (bytes: string) => send('PATCH', `/v2/orders/${before.id}`, bytes)
  // editOrder(id, 'BTC/USD', 'limit', 'buy', 0.0035, 20100)
  const { status, body } = await edit(
    '{"qty":"0.0035","limit_price":"20100","client_order_id":"ccxt_1c6ceab0b5e84727b2f1c0394ba17560"}',
  )
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    [body.qty, body.limit_price, body.time_in_force, body.replaces],
    ['0.0035', '20100', 'gtc', before.id],
  )
  const same = await send('PATCH', `/v2/orders/${body.id}`, '{"qty":"0.0035","limit_price":"20200"}')
  assert.deepEqual([same.status, same.body.qty, same.body.limit_price], [200, '0.0035', '20200'])
})

test('a TradingView bridge buys for cash divided by a price, in floating point', async () => {
  // json.dumps({"symbol": "AAPL", "qty": 1000 / 283.5, "side": "buy", "type": "market", "time_in_force": "day"})
  const { status, body } = await send(
    'POST',
    '/v2/orders',
    '{"symbol": "AAPL", "qty": 3.5273368606701938, "side": "buy", "type": "market", "time_in_force": "day"}',
  )
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.qty, '3.52733686')
  const price = await send(
    'POST',
    '/v2/orders',
    '{"symbol": "AAPL", "qty": 1, "side": "buy", "type": "limit", "time_in_force": "day", "limit_price": 9.549999999999999}',
  )
  assertRefused(
    price,
    422,
    42210000,
    'invalid limit_price 9.549999999999999. sub-penny increment does not fulfill minimum pricing criteria',
  )
})

test('a bot writes floats as Python decimals with all digits', async () => {
  // str(Decimal(0.1)), then str(Decimal(9.55))
  const { status, body } = await send(
    'POST',
    '/v2/orders',
    '{"symbol": "AAPL", "qty": "0.1000000000000000055511151231257827021181583404541015625", "side": "buy", "type": "market"}',
  )
  assert.deepEqual([status, body.qty], [200, '0.1'])
  const price = '9.550000000000000710542735760100185871124267578125'
  assertRefused(
    await call(world, 'POST', '/v2/orders', { ...restingBuy, limit_price: price }),
    422,
    42210000,
    `invalid limit_price ${price}. sub-penny increment does not fulfill minimum pricing criteria`,
  )
})

test('ccxt lists orders after a time in milliseconds: refused, as the protocol requires RFC 3339', async () => {
  // fetchOrders('BTC/USD', 1777906800000, 5)
  assertRefused(
    await get(world, '/v2/orders?status=all&symbols=BTC%2FUSD&after=1777906800000&limit=5'),
    422,
    40010001,
    /^after: expected an RFC 3339 timestamp/,
  )
})

test('a price with many decimals is refused in every field of an order', async () => {
  const long = '10.123456789012'
  const bracket = { ...restingBuy, order_class: 'bracket', limit_price: '10' }
  for (const [order, field] of [
    [{ ...restingBuy, type: 'stop', limit_price: undefined, stop_price: long }, 'stop_price'],
    [
      { ...bracket, take_profit: { limit_price: long }, stop_loss: { stop_price: '9' } },
      'take_profit.limit_price',
    ],
    [
      { ...bracket, take_profit: { limit_price: '12' }, stop_loss: { stop_price: long } },
      'stop_loss.stop_price',
    ],
  ] as const)
    assertRefused(
      await call(world, 'POST', '/v2/orders', order),
      422,
      42210000,
      new RegExp(`^invalid ${field} ${long}`),
    )
  const { id } = await placeResting(restingBuy)
  assertRefused(
    await call(world, 'PATCH', `/v2/orders/${id}`, { limit_price: 10.000000000000002 }),
    422,
    42210000,
    /^invalid limit_price 10.000000000000002\. sub-penny/,
  )
  const coin = { symbol: 'BTC/USD', qty: 0.001, side: 'buy', type: 'limit', time_in_force: 'gtc' }
  assertRefused(
    await call(world, 'POST', '/v2/orders', { ...coin, limit_price: 20000.000000000004 }),
    422,
    42210000,
    /^invalid limit_price 20000.000000000004\. it must be a multiple of/,
  )
})
