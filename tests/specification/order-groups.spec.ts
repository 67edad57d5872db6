import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call } from '../support/broker.ts'
import { get, marketBuy, newWorld, placeOrder, restingBuy, type World } from './stage.ts'

const exits = { take_profit: { limit_price: '900' }, stop_loss: { stop_price: '1', limit_price: '0.9' } }
const bracket = { ...restingBuy, order_class: 'bracket', time_in_force: 'gtc', ...exits }

const brief = (order: Body) => ({
  type: order.type,
  side: order.side,
  intent: order.position_intent,
  class: order.order_class,
  status: order.status,
  limit: order.limit_price,
  stop: order.stop_price,
})
const statusOf = async (world: World, id: string): Promise<string> =>
  (await get(world, `/v2/orders/${id}`)).body.status
const list = async (world: World, query: string): Promise<Body[]> =>
  (await get(world, `/v2/orders?${query}`)).body

test('the response to a bracket has its legs, with status held', async () => {
  const world = await newWorld()
  const order = await placeOrder(world, bracket)
  assert.deepEqual(brief(order), {
    type: 'limit',
    side: 'buy',
    intent: 'buy_to_open',
    class: 'bracket',
    status: 'pending_new',
    limit: '10',
    stop: null,
  })
  assert.deepEqual(order.legs.map(brief), [
    {
      type: 'limit',
      side: 'sell',
      intent: 'sell_to_close',
      class: 'bracket',
      status: 'held',
      limit: '900',
      stop: null,
    },
    {
      type: 'stop_limit',
      side: 'sell',
      intent: 'sell_to_close',
      class: 'bracket',
      status: 'held',
      limit: '0.9',
      stop: '1',
    },
  ])
  for (const leg of order.legs) assert.deepEqual([leg.qty, leg.time_in_force, leg.legs], ['1', 'gtc', null])
})

test('an oto has one leg, an oco is the take-profit with its stop-loss', async () => {
  const world = await newWorld()
  const oto = await placeOrder(world, {
    ...marketBuy,
    qty: '5',
    order_class: 'oto',
    stop_loss: { stop_price: '1' },
  })
  assert.deepEqual(
    oto.legs.map((leg: Body) => [leg.type, leg.status]),
    [['stop', 'held']],
  )
  await call(world, 'DELETE', `/v2/orders/${oto.legs[0].id}`)
  const { limit_price: _, ...rest } = restingBuy
  const oco = await placeOrder(world, { ...rest, qty: '5', side: 'sell', order_class: 'oco', ...exits })
  assert.deepEqual([oco.type, oco.limit_price, oco.position_intent], ['limit', '900', 'sell_to_close'])
  assert.deepEqual(
    oco.legs.map((leg: Body) => [leg.type, leg.side, leg.stop_price]),
    [['stop_limit', 'sell', '1']],
  )
})

test('a list has legs as separate orders, or nested in their parent', async () => {
  const world = await newWorld()
  const order = await placeOrder(world, bracket)
  const other = await placeOrder(world, { ...restingBuy, symbol: 'KO' })
  const [profit, loss] = order.legs
  const all = await list(world, 'status=all&direction=asc')
  assert.deepEqual(new Set(all.map(({ id }) => id)), new Set([order.id, profit.id, loss.id, other.id]))
  assert.ok(all.every(({ legs }) => legs === null))
  const nested = await list(world, 'status=open&nested=true&direction=asc')
  assert.deepEqual(
    nested.map(({ id, legs }) => [id, legs?.map((leg: Body) => leg.id) ?? null]),
    [
      [order.id, [profit.id, loss.id]],
      [other.id, null],
    ],
  )
  const { body: one } = await get(world, `/v2/orders/${order.id}?nested=true`)
  assert.deepEqual(
    one.legs.map((leg: Body) => leg.id),
    [profit.id, loss.id],
  )
  assert.equal((await get(world, `/v2/orders/${order.id}`)).body.legs, null)
  const byClient = `/v2/orders:by_client_order_id?nested=true&client_order_id=${order.client_order_id}`
  assert.deepEqual((await get(world, byClient)).body, one)
})

test('legs without their parent in the list are separate orders', async () => {
  const world = await newWorld()
  const order = await placeOrder(world, { ...bracket, type: 'market', limit_price: undefined })
  assert.equal(await statusOf(world, order.id), 'filled')
  const open = await list(world, 'status=open&nested=true')
  assert.deepEqual(new Set(open.map(({ id }) => id)), new Set(order.legs.map((leg: Body) => leg.id)))
  const [nested] = await list(world, 'status=all&nested=true')
  assert.deepEqual([nested!.id, ...nested!.legs.map((leg: Body) => leg.status)], [order.id, 'new', 'held'])
})

test('canceling one order of a group cancels all', async () => {
  const world = await newWorld()
  const order = await placeOrder(world, bracket)
  assert.equal((await call(world, 'DELETE', `/v2/orders/${order.legs[1].id}`)).status, 204)
  for (const { id } of [order, ...order.legs]) assert.equal(await statusOf(world, id), 'canceled')
})

test('a replaced entry keeps its legs: its fill activates them, its cancel cancels them', async () => {
  const world = await newWorld()
  for (const [limit_price, statuses] of [
    ['800', ['new', 'held']],
    ['11', ['held', 'held']],
  ] as const) {
    const order = await placeOrder(world, bracket)
    const entry = await call(world, 'PATCH', `/v2/orders/${order.id}`, { limit_price })
    assert.deepEqual([entry.status, entry.body.legs?.length], [200, 2])
    await world.advance('1s')
    const shown = (await get(world, `/v2/orders/${entry.body.id}?nested=true`)).body
    assert.deepEqual(
      shown.legs.map(({ status }: Body) => status),
      statuses,
    )
    const toCancel = shown.status === 'filled' ? shown.legs[0].id : shown.id
    assert.equal((await call(world, 'DELETE', `/v2/orders/${toCancel}`)).status, 204)
    for (const leg of order.legs) assert.equal(await statusOf(world, leg.id), 'canceled')
  }
})

test('DELETE /v2/orders cancels all open orders, with a status for each', async () => {
  const world = await newWorld()
  assert.deepEqual((await call(world, 'DELETE', '/v2/orders')).body, [])
  const order = await placeOrder(world, bracket)
  const other = await placeOrder(world, { ...restingBuy, symbol: 'KO' })
  const { status, body } = await call(world, 'DELETE', '/v2/orders')
  assert.equal(status, 207)
  assert.deepEqual(
    body.map((item: Body) => [item.id, item.status]),
    [order, ...order.legs, other].map(({ id }) => [id, 200]),
  )
  for (const { id, body: canceled } of body) {
    assert.equal(canceled.status, 'canceled')
    assert.deepEqual(canceled, (await get(world, `/v2/orders/${id}`)).body)
  }
  assert.deepEqual(await list(world, 'status=open'), [])
  assert.deepEqual((await call(world, 'DELETE', '/v2/orders')).body, [])
})

test('crypto orders: both symbols of the pair, fractions, and filters by asset class', async () => {
  const world = await newWorld()
  const coin = { symbol: 'BTCUSD', side: 'buy', type: 'market', time_in_force: 'gtc' }
  const order = await placeOrder(world, { ...coin, qty: '0.01234567891234' })
  assert.deepEqual(
    [order.symbol, order.asset_class, order.qty, order.status],
    ['BTC/USD', 'crypto', '0.012345678', 'pending_new'],
  )
  const share = await placeOrder(world, restingBuy)
  for (const [query, expected] of [
    ['asset_class=crypto', [order.id]],
    ['asset_class=us_equity', [share.id]],
    ['asset_class=us_equity,crypto', [share.id, order.id]],
    ['asset_class=all', [share.id, order.id]],
    ['asset_class=us_option', []],
    ['symbols=BTCUSD', [order.id]],
    ['symbols=BTC/USD,AAPL', [share.id, order.id]],
  ] as const)
    assert.deepEqual(
      (await list(world, `status=all&${query}`)).map(({ id }) => id),
      expected,
      query,
    )
})

test('a notional order has notional and no qty', async () => {
  const world = await newWorld()
  const { qty: _, ...rest } = marketBuy
  const order = await placeOrder(world, { ...rest, notional: '100.5' })
  assert.deepEqual([order.notional, order.qty, order.filled_qty], ['100.5', null, '0'])
  const { body } = await get(world, `/v2/orders/${order.id}`)
  assert.deepEqual([body.status, body.notional, body.qty], ['filled', '100.5', null])
  assert.ok(Number(body.filled_qty) > 0)
})
