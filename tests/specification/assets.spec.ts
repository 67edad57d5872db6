import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Body, call, callAsOperator } from '../support/broker.ts'
import { assertRefused, broker, get, marketBuy, newWorld, placeOrder, UUID, type World } from './stage.ts'

let world: World
let equities: Body[]
let pairs: Body[]
before(async () => {
  world = await newWorld()
  equities = (await get(world, '/v2/assets')).body
  pairs = (await get(world, '/v2/assets?asset_class=crypto')).body
})

const operator = { keyId: broker.brokerKey, secretKey: broker.brokerSecret }
const symbols = (assets: readonly Body[]): string[] => assets.map(({ symbol }) => symbol)

test('without a filter all equities are listed, sorted by exchange and symbol', () => {
  assert(equities.length > 500)
  assert(equities.every((asset) => asset.class === 'us_equity'))
  const sortKeys = equities.map(({ exchange, symbol }) => `${exchange} ${symbol}`)
  assert.deepEqual(sortKeys, [...sortKeys].sort())
  for (const { id } of equities) assert.match(id, UUID)
})

test('the record of an equity', async () => {
  const { body } = await get(world, '/v2/assets/AAPL')
  const { id, name, ...rest } = body
  assert.match(id, UUID)
  assert.match(name, /^Apple/)
  assert.deepEqual(rest, {
    class: 'us_equity',
    exchange: 'NASDAQ',
    symbol: 'AAPL',
    status: 'active',
    tradable: true,
    marginable: true,
    shortable: true,
    easy_to_borrow: true,
    fractionable: true,
    borrow_status: 'easy_to_borrow',
    maintenance_margin_requirement: 30,
    margin_requirement_long: '30',
    margin_requirement_short: '30',
    attributes: ['fractional_eh_enabled'],
  })
})

test('a leveraged fund has a higher margin requirement', async () => {
  const { body } = await get(world, '/v2/assets/TQQQ')
  assert.deepEqual(
    [body.maintenance_margin_requirement, body.margin_requirement_long, body.margin_requirement_short],
    [75, '75', '75'],
  )
})

test('stocks with a low price report their actual margin rates', async () => {
  const symbols = ['PENNY:1.2', 'CHEAP:4', 'PLAIN:12', 'USUAL:80']
  const cheap = await newWorld({ symbols })
  for (const name of symbols) {
    const symbol = name.split(':')[0]!
    const { body } = await get(cheap, `/v2/assets/${symbol}`)
    const { trade } = (await get(cheap, `/v2/stocks/${symbol}/trades/latest`)).body
    const long = trade.p < 2.5 ? 100 : trade.p <= 6 ? 50 : 30
    const share = trade.p < 5 ? Math.max(2.5, trade.p) : Math.max(5, 0.3 * trade.p)
    const short = Math.ceil((share / trade.p) * 100 - 1e-9)
    assert.deepEqual(
      [body.maintenance_margin_requirement, body.margin_requirement_long, body.margin_requirement_short],
      [long, String(long), String(short)],
      symbol,
    )
    const listed = (await get(cheap, '/v2/assets')).body.find((one: Body) => one.symbol === symbol)
    assert.deepEqual(listed, body)
    await placeOrder(cheap, { ...marketBuy, symbol, qty: '10' })
    await cheap.advance('1s')
    const { market_value } = (await get(cheap, `/v2/positions/${symbol}`)).body
    const { maintenance_margin } = (await get(cheap, '/v2/account')).body
    assert.ok(Math.abs(Number(maintenance_margin) - (Number(market_value) * long) / 100) < 0.01)
    await call(cheap, 'DELETE', `/v2/positions/${symbol}`)
    await cheap.advance('1s')
  }
})

test('a non-marginable asset reports and uses a margin rate of 100 %, long and short', async () => {
  const nonMarginable = await newWorld()
  for (const symbol of ['LONGS', 'SHORTS']) {
    const asset = { symbol, price: '20', marginable: false }
    const { status, body } = await callAsOperator(
      broker,
      'POST',
      `/sim/v1/worlds/${nonMarginable.world}/assets`,
      asset,
    )
    assert.deepEqual(
      [status, body.marginable, body.margin_requirement_long, body.margin_requirement_short],
      [201, false, '100', '100'],
    )
  }
  await placeOrder(nonMarginable, { ...marketBuy, symbol: 'LONGS', qty: '100' })
  await placeOrder(nonMarginable, { ...marketBuy, symbol: 'SHORTS', qty: '100', side: 'sell' })
  await nonMarginable.advance('1s')
  const { body } = await get(nonMarginable, '/v2/account')
  const exposure = Number(body.long_market_value) - Number(body.short_market_value)
  assert.ok(Math.abs(Number(body.maintenance_margin) - exposure) < 0.02)
  assert.ok(Math.abs(Number(body.initial_margin) - exposure) < 0.02)
  await nonMarginable.advance('1d')
  const next = (await get(nonMarginable, '/v2/account')).body
  assert.ok(Math.abs(Number(next.last_maintenance_margin) - exposure) < exposure / 5)
})

test('a leveraged fund keeps its margin rate after a symbol change', async () => {
  const renamed = await newWorld({ start: '2026-01-05T15:00:00Z' })
  const plan = { type: 'name_change', symbol: 'TQQQ', ex_date: '2026-01-06', new_symbol: 'ZQQQ' }
  const path = `/sim/v1/worlds/${renamed.world}/corporate-actions`
  assert.equal((await callAsOperator(broker, 'POST', path, plan)).status, 201)
  await placeOrder(renamed, { ...marketBuy, symbol: 'TQQQ', qty: '100' })
  await renamed.advance('25h')
  assert.equal((await get(renamed, '/v2/assets/ZQQQ')).body.margin_requirement_long, '75')
  const { long_market_value, maintenance_margin } = (await get(renamed, '/v2/account')).body
  assert.ok(Math.abs(Number(maintenance_margin) - 0.75 * Number(long_market_value)) < 0.01)
})

test('the record of a crypto pair has increments, no margin and no short sales', async () => {
  const { body } = await get(world, '/v2/assets/BTC/USD')
  const { id: _, ...rest } = body
  assert.deepEqual(rest, {
    class: 'crypto',
    exchange: 'CRYPTO',
    symbol: 'BTC/USD',
    name: 'Bitcoin / US Dollar',
    status: 'active',
    tradable: true,
    marginable: false,
    shortable: false,
    easy_to_borrow: false,
    fractionable: true,
    min_order_size: '0.00001',
    min_trade_increment: '0.000000001',
    price_increment: '0.1',
    maintenance_margin_requirement: 100,
    margin_requirement_long: '100',
    margin_requirement_short: '100',
    attributes: [],
  })
})

test('an asset is found by symbol and by id in any case; a pair with, without, and with an encoded slash', async () => {
  for (const [asset, ...names] of [
    [equities.find(({ symbol }) => symbol === 'BRK.B'), 'BRK.B'],
    [pairs.find(({ symbol }) => symbol === 'ETH/USD'), 'ETH/USD', 'ETH%2FUSD', 'ETHUSD'],
  ] as const)
    for (const name of [...names, asset.id, asset.id.toUpperCase()])
      assert.deepEqual((await get(world, `/v2/assets/${name}`)).body, asset, name)
})

test('a symbol may include its exchange and asset class, in paths, orders and filters', async () => {
  const asset = equities.find(({ symbol }) => symbol === 'AAPL')
  for (const name of ['AAPL:NASDAQ', 'AAPL:NASDAQ:us_equity'])
    assert.deepEqual((await get(world, `/v2/assets/${name}`)).body, asset, name)
  const pair = await get(world, '/v2/assets/ETHUSD:CRYPTO')
  assert.equal(pair.body.symbol, 'ETH/USD')
  const order = { qty: '1', side: 'buy', type: 'limit', limit_price: '10', time_in_force: 'day' }
  const { symbol, asset_id: id } = await placeOrder(world, { ...order, symbol: 'AAPL:NASDAQ' })
  assert.deepEqual([symbol, id], ['AAPL', asset.id])
  const listed = await get(world, '/v2/orders?symbols=AAPL:NASDAQ:us_equity')
  assert.deepEqual(symbols(listed.body), ['AAPL'])
})

test('an asset is found by the CUSIP in its corporate actions', async () => {
  const plan = { type: 'cash_dividend', symbol: 'MSFT', ex_date: '2026-02-02', rate: '0.5' }
  const path = `/sim/v1/worlds/${world.world}/corporate-actions`
  const { status } = await call({ ...world, ...operator }, 'POST', path, plan)
  assert.equal(status, 201)
  const actions = await get(world, '/v1/corporate-actions?symbols=MSFT&start=2026-02-01&end=2026-02-28')
  const { cusip } = actions.body.corporate_actions.cash_dividends[0]
  assert.equal((await get(world, `/v2/assets/${cusip}`)).body.symbol, 'MSFT')
})

for (const name of [
  'AAPL:NYSE',
  'AAPL:NASDAQ:crypto',
  'AAPL:',
  ':NASDAQ',
  'AAPL:NASDAQ:us_equity:x',
  '123456789',
  'NONE',
  'aapl',
  'AAPLUSD',
  'NONE/USD',
  '00000000-0000-4000-8000-000000000000',
])
  test(`GET /v2/assets/${name}: 404`, async () =>
    assertRefused(await get(world, `/v2/assets/${name}`), 404, 40410000, `asset not found for ${name}`))

const filters: readonly [query: string, matches: (asset: Body) => boolean][] = [
  ['status=active', () => true],
  ['status=inactive', () => false],
  ['status=all', () => true],
  ['asset_class=us_equity', () => true],
  ['asset_class=us_option', () => false],
  ['asset_class=treasury', () => false],
  ['exchange=NYSE', ({ exchange }) => exchange === 'NYSE'],
  ['exchange=NASDAQ&status=active', ({ exchange }) => exchange === 'NASDAQ'],
  ['exchange=CRYPTO', () => false],
  ['exchange=NOWHERE', () => false],
  ['attributes=fractional_eh_enabled', () => true],
  ['attributes=ipo,fractional_eh_enabled', () => true],
  ['attributes=ipo&attributes=has_options', () => false],
  ['attributes=shiny', () => false],
  ['attributes=', () => true],
]

for (const [query, matches] of filters)
  test(`GET /v2/assets?${query}`, async () => {
    const { body } = await get(world, `/v2/assets?${query}`)
    assert.deepEqual(symbols(body), symbols(equities.filter(matches)))
  })

test('asset classes are listed separately or together, sorted by class first', async () => {
  assert.deepEqual(symbols(pairs), [...symbols(pairs)].sort())
  assert.deepEqual(symbols((await get(world, '/v2/assets?asset_class=all')).body), [
    ...symbols(pairs),
    ...symbols(equities),
  ])
  const all = await get(world, '/v2/assets?asset_class=all&attributes=fractional_eh_enabled')
  assert.deepEqual(symbols(all.body), symbols(equities))
})

for (const [query, message] of [
  ['status=sleeping', /^status: expected one of active, inactive, all/],
  ['asset_class=houses', /^asset_class: expected one of us_equity/],
] as const)
  test(`GET /v2/assets?${query}: 422`, async () =>
    assertRefused(await get(world, `/v2/assets?${query}`), 422, 40010001, message))

test('the lists of bonds are empty', async () => {
  const { body: treasuries } = await get(world, '/v2/assets/fixed_income/us_treasuries?isins=US912810TM09')
  assert.deepEqual(treasuries, { us_treasuries: [] })
  const { body: corporates } = await get(world, '/v2/assets/fixed_income/us_corporates')
  assert.deepEqual(corporates, { us_corporates: [] })
})

test('an order accepts an asset id, and a pair without its slash', async () => {
  const market = { qty: '1', side: 'buy', type: 'market' }
  const [apple, litecoin] = [equities, pairs].map(
    (list, index) => list.find(({ symbol }) => symbol === ['AAPL', 'LTC/USD'][index])!,
  )
  const byId = await placeOrder(world, { ...market, time_in_force: 'day', symbol: apple.id })
  assert.deepEqual([byId.symbol, byId.asset_id], ['AAPL', apple.id])
  const byAlias = await placeOrder(world, { ...market, time_in_force: 'gtc', symbol: 'LTCUSD' })
  assert.deepEqual(
    [byAlias.symbol, byAlias.asset_id, byAlias.asset_class],
    ['LTC/USD', litecoin.id, 'crypto'],
  )
})
