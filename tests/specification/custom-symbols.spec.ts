import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callAsOperator, newFolder, startBroker } from '../support/broker.ts'
import { assertRefused, broker, get, marketBuy, newWorld, placeOrder, postOrder } from './stage.ts'

const create = (name: string, body: object) =>
  callAsOperator(broker, 'POST', `/sim/v1/worlds/${name}/assets`, body)

test('a created symbol has a price and a history, and can be traded', async () => {
  const world = await newWorld()
  assertRefused(await get(world, '/v2/assets/ZQXW'), 404, 40410000)
  const { status, body } = await create(world.world, { symbol: 'ZQXW', price: '12' })
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual([body.symbol, body.name, body.class, body.tradable], ['ZQXW', 'ZQXW', 'us_equity', true])
  assert.deepEqual((await get(world, '/v2/assets/ZQXW')).body, body)
  const { trade } = (await get(world, '/v2/stocks/ZQXW/trades/latest')).body
  assert.ok(Math.abs(trade.p / 12 - 1) < 0.2, `${trade.p}`)
  const { bars } = (await get(world, '/v2/stocks/ZQXW/bars?timeframe=1Day&start=2025-01-02&end=2025-12-31'))
    .body
  assert.ok(bars.length > 240)
  const order = await placeOrder(world, {
    symbol: 'ZQXW',
    qty: '1',
    side: 'buy',
    type: 'market',
    time_in_force: 'day',
  })
  await world.advance('1s')
  assert.equal((await get(world, `/v2/orders/${order.id}`)).body.status, 'filled')
})

for (const price of ['0.995', '1', '1.0049', '1.02', '1.37', '1.99', '2'])
  test(`the quotes of a symbol at ${price} are prices that an order may have`, async () => {
    const world = await newWorld()
    assert.equal((await create(world.world, { symbol: 'ZQXW', price })).status, 201)
    const { quotes } = (await get(world, '/v2/stocks/ZQXW/quotes?start=2025-12-01&end=2025-12-31&limit=2000'))
      .body
    const prices: number[] = quotes.flatMap(({ bp, ap }: { bp: number; ap: number }) => [bp, ap])
    assert.ok(prices.length === 4000 && new Set(prices).size > 1)
    const isAllowed = (one: number) => /^(0\.\d{1,4}|[1-9]\d*(\.\d{1,2})?)$/.test(String(one))
    assert.deepEqual(
      prices.filter((one) => !isAllowed(one)),
      [],
    )
    const { quote } = (await get(world, '/v2/stocks/ZQXW/quotes/latest')).body
    const order = { symbol: 'ZQXW', qty: '1', side: 'buy', type: 'limit', time_in_force: 'day' }
    await placeOrder(world, { ...order, limit_price: String(quote.ap) })
    await placeOrder(world, { ...order, limit_price: String(quote.bp) })
    assert.equal((await get(world, '/v1beta1/screener/stocks/movers')).status, 200)
  })

test('without a price the seed determines the price', async () => {
  const worlds = [await newWorld({ seed: 'one' }), await newWorld({ seed: 'one' })]
  const prices = []
  for (const world of worlds) {
    await create(world.world, { symbol: 'ZQXW', name: 'Zed Works' })
    assert.equal((await get(world, '/v2/assets/ZQXW')).body.name, 'Zed Works')
    prices.push((await get(world, '/v2/stocks/ZQXW/trades/latest')).body.trade.p)
  }
  assert.equal(prices[0], prices[1])
})

test('a created crypto pair has a market', async () => {
  const world = await newWorld()
  assert.equal((await create(world.world, { symbol: 'ZQX/USD', price: '0.5' })).body.class, 'crypto')
  const { trades } = (await get(world, '/v1beta3/crypto/us/latest/trades?symbols=ZQX/USD')).body
  assert.ok(Math.abs(trades['ZQX/USD'].p / 0.5 - 1) < 0.5)
})

const refused: readonly (readonly [body: object, status: number, code: number, message: RegExp])[] = [
  [{ symbol: 'AAPL' }, 409, 40910000, /asset AAPL already exists/],
  [{ symbol: 'FAKEPACA' }, 409, 40910000, /FAKEPACA/],
  [{ symbol: 'lower' }, 422, 42210001, /symbol: expected a stock such as SOFI/],
  [{ symbol: 'A/B/C' }, 422, 42210001, /symbol/],
  [{ symbol: '' }, 422, 40010001, /symbol/],
  [{}, 422, 40010001, /symbol/],
  [{ symbol: 'ZQXW', price: '0' }, 422, 40010001, /price/],
  [{ symbol: 'ZQXW', price: '-1' }, 422, 40010001, /price/],
  [{ symbol: 'ZQXW', price: '0.01' }, 422, 42210001, /price: expected from 0.02/],
  [{ symbol: 'ZQXW', price: '1000001' }, 422, 42210001, /price: expected from 0.02/],
  [{ symbol: 'ZQXW', price: 'much' }, 422, 40010001, /price/],
]
for (const [body, status, code, message] of refused)
  test(`${JSON.stringify(body)} is refused, and nothing changes`, async () => {
    const world = await newWorld()
    assertRefused(await create(world.world, body), status, code, message)
    assertRefused(await get(world, '/v2/assets/ZQXW'), 404, 40410000)
  })

test('a world may have only some symbols, listed and custom', async () => {
  const world = await newWorld({ symbols: ['AAPL', 'ZQXW', 'ZQYV:14', 'ZQZV:1'] })
  const { body } = await get(world, '/v2/assets')
  assert.deepEqual(body.map(({ symbol }: { symbol: string }) => symbol).sort(), [
    'AAPL',
    'ZQXW',
    'ZQYV',
    'ZQZV',
  ])
  assert.equal((await get(world, '/v2/stocks/ZQZV/quotes/latest')).status, 200)
  const { trade } = (await get(world, '/v2/stocks/ZQYV/trades/latest')).body
  assert.ok(Math.abs(trade.p / 14 - 1) < 0.5, `${trade.p}`)
  const fork = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/fork`, {})
  assert.deepEqual(fork.body.symbols, ['AAPL', 'ZQXW', 'ZQYV', 'ZQZV'])
})

test('symbols from --symbols are listed after the first and the second start', async () => {
  const flags = ['--data', newFolder(), '--symbols', 'ZQXW,ZQYV:14']
  for (const round of ['first', 'second']) {
    const world = await startBroker(flags)
    assert.equal((await get(world, '/v2/assets/ZQYV')).body.symbol, 'ZQYV', round)
    assert.ok((await get(world, '/v2/stocks/ZQXW/trades/latest')).body.trade.p > 0)
    await world.stop()
  }
})

test('a world with replayed prices lists nothing on first use', async () => {
  const points = [{ at: '2026-01-05T15:00:00Z', price: 14 }]
  const world = await newWorld({ symbols: ['any'], market: 'replay', prices: { ZQYV: points } })
  assert.equal(world.created.symbols, undefined)
  assert.equal((await get(world, '/v2/assets/ZQYV')).status, 200)
  assertRefused(await get(world, '/v2/assets/ZQXW'), 404, 40410000)
  assertRefused(await postOrder(world, { ...marketBuy, symbol: 'ZQXW' }), 422, 42210000)
})

test('a price path has the same prices in a world with any symbol', async () => {
  const prices = { ZQYV: [{ at: '2026-01-05T15:00:00Z', price: 14 }] }
  const [one, other] = [await newWorld({ symbols: ['any'], prices }), await newWorld({ prices })]
  const bars = []
  for (const world of [one, other]) {
    await world.advance('48h')
    bars.push((await get(world, `/v2/stocks/ZQYV/bars?timeframe=1Hour&start=2026-01-05`)).body.bars)
  }
  assert.ok(bars[0].length > 10)
  assert.deepEqual(bars[0], bars[1])
})
