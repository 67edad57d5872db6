import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Instant } from '@quipu/core'
import { call, openTestServer } from '../testing/server.ts'

const server = await openTestServer()
after(() => server.close())
const { key, otherKey, partnerKey, accountId, world } = server

const market = { symbol: 'AAPL', qty: '2', side: 'buy', type: 'market', time_in_force: 'day' }
const limit = { ...market, type: 'limit', limit_price: '1' }
const coins = { symbol: 'BTC/USD', qty: '0.01', side: 'buy', type: 'market', time_in_force: 'gtc' }
const bracket = {
  ...market,
  order_class: 'bracket',
  take_profit: { limit_price: '9000' },
  stop_loss: { stop_price: '2' },
}
const preview = (body: unknown, by = key) => call(server, 'POST /v2/orders/preview', { key: by, body })
const place = (body: unknown, by = key) => call(server, 'POST /v2/orders', { key: by, body })
const step = () => server.clock.advance((world.engine.now + 2_000_000n) as Instant)
const account = async () => (await call(server, 'GET /v2/account', { key })).body

type Step = { code: string; numbers: Record<string, string> }

for (const [title, body, outcome] of [
  ['a market order', market, 'filled'],
  ['a notional order', { ...market, qty: undefined, notional: '1000' }, 'filled'],
  ['a fraction', { ...market, qty: '0.5' }, 'filled'],
  ['a marketable limit', { ...limit, limit_price: '9000' }, 'filled'],
  ['a marketable IOC', { ...limit, limit_price: '9000', time_in_force: 'ioc' }, 'filled'],
  ['an IOC that misses', { ...limit, time_in_force: 'ioc' }, 'canceled'],
  ['a resting limit', limit, 'waits'],
  ['a stop', { ...market, type: 'stop', stop_price: '9000' }, 'waits'],
  ['a trailing stop', { ...market, type: 'trailing_stop', trail_percent: '5' }, 'waits'],
  ['an order for the close', { ...market, time_in_force: 'cls' }, 'waits'],
  ['a bracket', bracket, 'filled'],
  ['a short sale', { ...market, symbol: 'KO', side: 'sell' }, 'filled'],
  ['a coin', coins, 'filled'],
  ['a sale of coins', { ...coins, qty: '0.005', side: 'sell' }, 'filled'],
] as const)
  test(`${title}: ${outcome}, twice the same, and then as previewed`, async () => {
    const { seq } = world.view
    const { headers, ...first } = await preview(body)
    assert.deepEqual([first.status, first.body.outcome], [200, outcome], JSON.stringify(first.body))
    assert.deepEqual((await preview(body)).body, first.body)
    assert.equal(world.view.seq, seq, 'a preview records no event')
    assert.equal(headers.get('x-quipu-seq'), String(seq))
    const { fills, remaining_qty: rest, status } = first.body
    const placed = await place(body)
    assert.equal(placed.status, 200)
    await step()
    const { body: order } = await call(server, `GET /v2/orders/${placed.body.id}`, { key })
    assert.equal(order.status, status)
    assert.equal(order.filled_qty, fills[0]?.qty ?? '0')
    assert.equal(order.filled_avg_price, fills[0]?.price ?? null)
    assert.equal(rest === '0', order.status === 'filled' || order.status === 'canceled')
    assert.equal((await account()).buying_power, first.body.buying_power_after)
    assert.equal(first.body.steps.at(-1).code, outcome === 'waits' ? 'waiting' : outcome)
    await call(server, 'DELETE /v2/orders', { key })
    await step()
  })

for (const [title, terms, expected] of [
  ['at the market', {}, 'bid'],
  ['with a limit', { type: 'limit', limit_price: '9000' }, '9000'],
  ['with a stop', { type: 'stop', stop_price: '2' }, '2'],
] as const)
  test(`a short ${title} is estimated at its price, and reserved above the ask`, async () => {
    const { body } = await preview({ ...market, symbol: 'KO', side: 'sell', qty: '10', ...terms })
    const { quote } = (await call(server, 'GET /v2/stocks/KO/quotes/latest', { key })).body
    const price = expected === 'bid' ? String(quote.bp) : expected
    assert.equal(body.estimated_price, price)
    assert.equal(Number(body.estimated_value), Math.round(Number(price) * 1000) / 100)
    assert.ok(Number(body.reserved_price) >= quote.ap * 1.03 - 1e-6, body.reserved_price)
    assert.equal(Number(body.cost), Math.ceil(Number(body.reserved_price) * 1000 - 1e-6) / 100)
  })

test('the cost, the fees and the position of an order', async () => {
  const { body: buy } = await preview({ ...market, symbol: 'MSFT', qty: '10' })
  const [fill] = buy.fills
  assert.equal(buy.estimated_price, fill.price)
  assert.equal(buy.cost, fill.cash)
  assert.equal(buy.estimated_value, fill.cash)
  assert.equal(Number(buy.buying_power_before).toFixed(2), Number((await account()).buying_power).toFixed(2))
  assert.deepEqual([buy.position_qty_before, buy.position_qty_after], ['0', '10'])
  await place({ ...market, symbol: 'MSFT', qty: '10' })
  await step()
  const { body: sell } = await preview({ ...market, symbol: 'MSFT', qty: '4', side: 'sell' })
  assert.deepEqual([sell.cost, sell.position_qty_before, sell.position_qty_after], ['0', '10', '6'])
  const kinds = sell.fees.map(({ kind }: { kind: string }) => kind)
  assert.deepEqual(kinds, ['sec', 'cat'])
  const { body: resting } = await preview({
    ...limit,
    symbol: 'MSFT',
    side: 'sell',
    qty: '4',
    limit_price: '9000',
  })
  assert.deepEqual([resting.fills, resting.estimated_value], [[], '36000'])
  assert.ok(Number(resting.fees[0].amount) > Number(sell.fees[0].amount))
  const { body: coin } = await preview(coins)
  assert.deepEqual([coin.fees[0].kind, coin.fees[0].asset], ['crypto', 'BTC/USD'])
})

for (const [title, body, reason] of [
  ['more than the buying power', { ...limit, qty: '1000000' }, 'insufficientBuyingPower'],
  ['more shares than held', { ...market, symbol: 'MSFT', side: 'sell', qty: '11' }, 'insufficientQuantity'],
  ['an unknown symbol', { ...market, symbol: 'NOSUCH' }, 'assetNotFound'],
  ['a price finer than a cent', { ...limit, limit_price: '100.001' }, 'subPenny'],
  ['a price with ten decimals', { ...limit, limit_price: '100.0000000001' }, 'subPenny'],
  [
    'a class that is not supported',
    { ...market, symbol: undefined, order_class: 'mleg' },
    'orderClassNotSupported',
  ],
  ['a stop beyond the market', { ...market, type: 'stop', stop_price: '1' }, 'stopBeyondMarket'],
  ['coins for a few cents', { ...coins, qty: '0.00000001' }, 'cryptoCostTooSmall'],
] as const)
  test(`${title}: the refusal that the order gets, with 200`, async () => {
    const previewed = await preview(body)
    const refused = await place(body)
    assert.equal(refused.body.reason ?? 'malformed', reason, JSON.stringify(refused.body))
    const { status, ...error } = previewed.body.refusal
    assert.deepEqual([previewed.status, status, error], [200, refused.status, refused.body])
    assert.equal(previewed.body.outcome, 'refused')
  })

test('a refusal has its calculation and the quantity that is possible', async () => {
  const { body } = await preview({ ...limit, qty: '10000000' })
  const codes = body.steps.map(({ code }: Step) => code)
  assert.deepEqual(codes, ['asked', 'tradingHours', 'market', 'buyingPower', 'insufficientBuyingPower'])
  const [{ code, numbers }] = body.alternatives
  assert.equal(code, 'quantityPossible')
  assert.equal((await preview({ ...limit, qty: numbers.qty })).body.outcome, 'waits')
})

test('a client order id that is taken is refused, and a preview takes none', async () => {
  const body = { ...limit, client_order_id: 'only-once' }
  assert.equal((await preview(body)).body.outcome, 'waits')
  assert.equal((await place(body)).status, 200)
  assert.equal((await preview(body)).body.refusal.reason, 'clientOrderIdTaken')
  assert.equal((await preview(body, otherKey)).body.outcome, 'waits')
})

test('a preview meets no fault and creates no fault rule', async () => {
  const { status } = await preview({ ...limit, client_order_id: 'quipu-fault:status-504:x' })
  assert.deepEqual([status, world.clients.faults], [200, undefined])
})

for (const body of [
  { ...market, qty: 'many' },
  { ...market, type: 'guess' },
  '{',
  '[1]',
  '',
  { symbol: 'AAPL' },
])
  test(`${JSON.stringify(body)}: the error that the order gets`, async () => {
    const refused = await place(body)
    const previewed = await preview(body)
    assert.ok(refused.status === 400 || refused.status === 422)
    assert.deepEqual([previewed.status, previewed.body], [refused.status, refused.body])
  })

test('a partner previews for its accounts; nobody previews without a key', async () => {
  const path = `POST /v1/trading/accounts/${accountId}/orders/preview`
  const headers = { 'x-quipu-world': 'lab' }
  const { status, body } = await call(server, path, { key: partnerKey, body: market, headers })
  assert.deepEqual([status, body.outcome], [200, 'filled'])
  assert.equal((await call(server, 'POST /v2/orders/preview', { body: market })).status, 401)
})
