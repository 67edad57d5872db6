import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call } from '../support/broker.ts'
import {
  assertRefused,
  get,
  marketBuy,
  newWorld,
  placeOrder,
  type StageResponse,
  UUID,
  type World,
} from './stage.ts'

const buy = (world: World, symbol: string, qty: string) => placeOrder(world, { ...marketBuy, symbol, qty })
const sell = (world: World, symbol: string, qty: string) =>
  placeOrder(world, { ...marketBuy, symbol, qty, side: 'sell' })
const coins = (world: World, qty: string) =>
  placeOrder(world, { ...marketBuy, symbol: 'BTC/USD', qty, time_in_force: 'gtc' })
const remove = (world: World, path: string): Promise<StageResponse> => call(world, 'DELETE', path)
const one = async (world: World, name: string): Promise<Body> =>
  (await get(world, `/v2/positions/${name}`)).body
const isClose = (a: number, b: number) => Math.abs(a - b) < 1e-6

/** Checks the calculated fields of a position. */
function assertConsistent(position: Body): void {
  const [qty, cost, price, lastday] = [
    position.qty,
    position.cost_basis,
    position.current_price,
    position.lastday_price,
  ].map(Number) as [number, number, number, number]
  assert.ok(isClose(Number(position.avg_entry_price), cost / qty))
  assert.ok(isClose(Number(position.market_value), qty * price))
  assert.ok(isClose(Number(position.unrealized_pl), qty * price - cost))
  assert.ok(isClose(Number(position.unrealized_plpc), (qty * price - cost) / Math.abs(cost)))
  assert.ok(isClose(Number(position.change_today), price / lastday - 1))
}

test('a long position, by symbol and by asset id', async () => {
  const world = await newWorld()
  await buy(world, 'AAPL', '3')
  const position = await one(world, 'AAPL')
  assert.match(position.asset_id, UUID)
  const { symbol, exchange, asset_class, asset_marginable, qty, qty_available, side } = position
  assert.deepEqual(
    [symbol, exchange, asset_class, asset_marginable, qty, qty_available, side],
    ['AAPL', 'NASDAQ', 'us_equity', true, '3', '3', 'long'],
  )
  assertConsistent(position)
  assert.deepEqual(await one(world, position.asset_id), position)
  assert.deepEqual((await get(world, '/v2/positions')).body, [position])
})

test('a short position is negative in quantity, cost and value, and gains when the price falls', async () => {
  const world = await newWorld()
  await sell(world, 'AAPL', '4')
  const position = await one(world, 'AAPL')
  assert.deepEqual([position.qty, position.qty_available, position.side], ['-4', '-4', 'short'])
  assert.ok(Number(position.cost_basis) < 0 && Number(position.market_value) < 0)
  assert.ok(Number(position.avg_entry_price) > 0)
  assertConsistent(position)
  const account = (await get(world, '/v2/account')).body
  assert.equal(account.short_market_value, position.market_value)
  assert.equal(account.long_market_value, '0')
  assert.ok(isClose(Number(account.equity), Number(account.cash) + Number(position.market_value)))

  await placeOrder(world, { ...marketBuy, qty: '1', type: 'limit', limit_price: '10' })
  const held = await one(world, 'AAPL')
  assert.deepEqual([held.qty, held.qty_available], ['-4', '-3'])
})

test('a crypto position has a symbol without a slash, is net of fees, and is found by every name of the pair', async () => {
  const world = await newWorld()
  await coins(world, '0.1')
  const position = await one(world, 'BTCUSD')
  const { symbol, exchange, asset_class, asset_marginable, qty } = position
  assert.deepEqual(
    [symbol, exchange, asset_class, asset_marginable, qty],
    ['BTCUSD', 'CRYPTO', 'crypto', false, '0.09975'],
  )
  assertConsistent(position)
  for (const name of ['BTC/USD', 'BTC%2FUSD', position.asset_id])
    assert.deepEqual(await one(world, name), position, name)
})

test('the intraday gain starts at the previous close for overnight shares and at cost for new shares', async () => {
  const world = await newWorld({ hours: 'nyse', start: '2026-05-04T15:00:00Z' })
  await buy(world, 'AAPL', '10')
  const [first] = (await get(world, '/v2/positions')).body
  assert.equal(first.unrealized_intraday_pl, first.unrealized_pl)
  await world.advance('24h')
  const overnight = await one(world, 'AAPL')
  const gain = 10 * (Number(overnight.current_price) - Number(overnight.lastday_price))
  assert.ok(isClose(Number(overnight.unrealized_intraday_pl), gain))
  assert.ok(
    isClose(Number(overnight.unrealized_intraday_plpc), gain / (10 * Number(overnight.lastday_price))),
  )
  await buy(world, 'AAPL', '5')
  await sell(world, 'AAPL', '12')
  const rest = await one(world, 'AAPL')
  // Overnight shares are sold first: three shares of today remain, at today's cost.
  const gained = 3 * (Number(rest.current_price) - (await lastBuyPrice(world)))
  assert.ok(isClose(Number(rest.unrealized_intraday_pl), gained))
})

/** The price of the last buy. */
async function lastBuyPrice(world: World): Promise<number> {
  const { body } = await get(world, '/v2/orders?status=closed&side=buy&limit=1')
  return Number(body[0].filled_avg_price)
}

for (const [name, status, message] of [
  ['AAPL', 404, 'position does not exist'],
  ['BTCUSD', 404, 'position does not exist'],
  ['NOPE', 404, 'symbol not found: NOPE'],
] as const)
  test(`GET a missing position in ${name}: ${message}`, async () => {
    assertRefused(await get(await newWorld(), `/v2/positions/${name}`), status, 40410000, message)
  })

for (const [query, qty] of [
  ['', '10'],
  ['?qty=4', '4'],
  ['?qty=0.25', '0.25'],
  ['?percentage=50', '5'],
  ['?percentage=33.3', '3'],
] as const)
  test(`DELETE a long position of ten${query}: a market order to sell ${qty}`, async () => {
    const world = await newWorld()
    await buy(world, 'AAPL', '10')
    const { status, body } = await remove(world, `/v2/positions/AAPL${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    const { type, side, time_in_force, position_intent } = body
    assert.deepEqual(
      [type, side, time_in_force, position_intent, body.qty],
      ['market', 'sell', 'day', 'sell_to_close', qty],
    )
    const { body: left } = await get(world, '/v2/positions')
    assert.equal(left[0]?.qty ?? '0', String(10 - Number(qty)))
  })

test('DELETE buys back a short position, and sells crypto with a gtc order', async () => {
  const world = await newWorld()
  await sell(world, 'KO', '7')
  await coins(world, '0.1')
  const short = (await remove(world, '/v2/positions/KO')).body
  assert.deepEqual([short.side, short.position_intent, short.qty], ['buy', 'buy_to_close', '7'])
  const sold = (await remove(world, '/v2/positions/BTC/USD')).body
  assert.deepEqual(
    [sold.symbol, sold.side, sold.time_in_force, sold.qty],
    ['BTC/USD', 'sell', 'gtc', '0.09975'],
  )
  assert.deepEqual((await get(world, '/v2/positions')).body, [])
})

for (const [path, status, code, message] of [
  ['AAPL?qty=1&percentage=10', 422, 40010001, 'only one of qty or percentage is accepted'],
  ['AAPL?qty=0', 422, 40010001, 'qty must be > 0'],
  ['AAPL?qty=-1', 422, 40010001, 'qty must be > 0'],
  ['AAPL?qty=ten', 422, 40010001, 'qty: expected a decimal, received "ten"'],
  ['AAPL?percentage=0', 422, 40010001, 'percentage must be > 0 and <= 100'],
  ['AAPL?percentage=100.1', 422, 40010001, 'percentage must be > 0 and <= 100'],
  ['AAPL?percentage=1', 422, 40010001, 'qty must be > 0'],
  ['AAPL?qty=11', 403, 40310000, 'insufficient qty available for order (requested: 11, available: 10)'],
  ['MSFT', 404, 40410000, 'position not found: MSFT'],
  ['NOPE', 404, 40410000, 'symbol not found: NOPE'],
] as const)
  test(`DELETE /v2/positions/${path}: ${status} ${message}`, async () => {
    const world = await newWorld()
    await buy(world, 'AAPL', '10')
    assertRefused(await remove(world, `/v2/positions/${path}`), status, code, message)
    assert.equal((await one(world, 'AAPL')).qty, '10')
    assert.deepEqual((await get(world, '/v2/orders')).body, [])
  })

test('DELETE all: an item for each position, with the order or the refusal', async () => {
  const world = await newWorld()
  await buy(world, 'AAPL', '10')
  await sell(world, 'KO', '5')
  await coins(world, '0.1')
  await placeOrder(world, { ...marketBuy, qty: '4', side: 'sell', type: 'limit', limit_price: '9999' })
  const { status, body } = await remove(world, '/v2/positions')
  assert.equal(status, 207)
  assert.deepEqual(
    body.map(({ symbol, status: answered }: Body) => [symbol, answered]),
    [
      ['AAPL', 403],
      ['KO', 200],
      ['BTCUSD', 200],
    ],
  )
  const [refused, covered, sold] = body
  assert.equal(refused.body.code, 40310000)
  assert.equal(refused.body.message, 'insufficient qty available for order (requested: 10, available: 6)')
  const { symbol, existing_qty, held_for_orders, available } = refused.body
  assert.deepEqual([symbol, existing_qty, held_for_orders, available], ['AAPL', '10', '4', '6'])
  assert.deepEqual([covered.body.side, covered.body.qty], ['buy', '5'])
  assert.equal(sold.body.symbol, 'BTC/USD')
  assert.deepEqual(
    (await get(world, '/v2/positions')).body.map((position: Body) => position.symbol),
    ['AAPL'],
  )
})

for (const value of ['true', 'True'])
  test(`DELETE all with cancel_orders=${value}: open orders are canceled first, then all positions are closed`, async () => {
    const world = await newWorld()
    await buy(world, 'AAPL', '10')
    const resting = await placeOrder(world, {
      ...marketBuy,
      qty: '4',
      side: 'sell',
      type: 'limit',
      limit_price: '9999',
    })
    const { status, body } = await remove(world, `/v2/positions?cancel_orders=${value}`)
    assert.deepEqual([status, body.length, body[0].status, body[0].body.qty], [207, 1, 200, '10'])
    assert.equal((await get(world, `/v2/orders/${resting.id}`)).body.status, 'canceled')
    assert.deepEqual((await get(world, '/v2/positions')).body, [])
  })

test('DELETE all without positions: an empty list', async () => {
  const { status, body } = await remove(await newWorld(), '/v2/positions')
  assert.deepEqual([status, body], [207, []])
})

for (const verb of ['exercise', 'do-not-exercise'])
  test(`POST ${verb}: 404, options are not supported`, async () => {
    const response = await call(await newWorld(), 'POST', `/v2/positions/AAPL261218C00200000/${verb}`)
    assertRefused(response, 404, 40410000, 'long position not found: AAPL261218C00200000')
  })

test('the cost is an average within a day, and compressed FIFO from the next day on', async () => {
  const world = await newWorld()
  await buy(world, 'AAPL', '10')
  await world.advance('10m')
  await buy(world, 'AAPL', '5')
  await world.advance('1d')
  await buy(world, 'AAPL', '3')
  await world.advance('1d')
  const before = await one(world, 'AAPL')
  await sell(world, 'AAPL', '12')
  await world.advance('1s')
  const { body } = await get(world, '/v2/account/activities/FILL?direction=asc')
  const [first, second, third] = body.map(({ qty, price }: Body) => Number(qty) * Number(price))
  assert.ok(isClose(Number(before.cost_basis), first + second + third))
  const sold = await one(world, 'AAPL')
  assert.ok(Math.abs(Number(sold.avg_entry_price) * 6 - Number(sold.cost_basis)) < 1e-8)
  for (const ratio of [sold.avg_entry_price, sold.unrealized_plpc, sold.change_today])
    assert.match(ratio, /^-?\d+(\.\d{1,16})?$/)
  assert.ok(
    /\.\d{10,16}$/.test(sold.unrealized_plpc),
    `a quotient is not cut at nine places: ${sold.unrealized_plpc}`,
  )
  assert.ok(isClose(Number(sold.cost_basis), ((first + second + third) * 6) / 18), sold.cost_basis)
  assertConsistent(sold)
  await world.advance('1d')
  const next = await one(world, 'AAPL')
  assert.equal(next.qty, '6')
  assert.ok(isClose(Number(next.cost_basis), ((first + second) * 3) / 15 + third), next.cost_basis)
  assertConsistent(next)
})
