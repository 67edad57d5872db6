import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused, callWithHeaders, get, newWorld } from './stage.ts'

const world = await newWorld()
const latest = (path: string) => get(world, `/v2/stocks/${path}`)

test('the latest price of a symbol is the price of its latest trade', async () => {
  const { status, body } = await latest('AAPL/trades/latest')
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), ['symbol', 'trade'])
  assert.equal(body.symbol, 'AAPL')
  const { t, p, s, x, c, i, z } = body.trade
  assert.ok(t > '2026-01-05T14:59' && t <= '2026-01-05T15:00:00Z', t)
  assert.ok(p > 0 && Math.abs(p * 100 - Math.round(p * 100)) < 1e-6, 'whole cents')
  assert.ok(Number.isInteger(s) && s > 0)
  assert.ok(Number.isInteger(i))
  assert.deepEqual([x, c, z], ['Q', ['@'], 'C'])
})

test('the latest trade is within the range of its minute bar', async () => {
  const { trade } = (await latest('AAPL/trades/latest')).body
  const { bars } = (await latest('AAPL/bars?timeframe=1Min&start=2026-01-05T14:59:00Z')).body
  const minute = bars.find(({ t }: { t: string }) => t.slice(0, 16) === trade.t.slice(0, 16))
  assert.ok(minute.l <= trade.p && trade.p <= minute.h)
})

test('the latest trade changes only when the clock advances', async () => {
  const moving = await newWorld()
  const price = async () => (await get(moving, '/v2/stocks/AAPL/trades/latest')).body.trade
  const first = await price()
  assert.deepEqual(await price(), first)
  await moving.advance('1m')
  assert.ok((await price()).t > first.t)
})

test('several symbols: the same trade as for each symbol; unknown symbols are omitted', async () => {
  const { status, body } = await latest('trades/latest?symbols=MSFT,AAPL,ZZZZ')
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body.trades).sort(), ['AAPL', 'MSFT'])
  for (const symbol of ['AAPL', 'MSFT'])
    assert.deepEqual(body.trades[symbol], (await latest(`${symbol}/trades/latest`)).body.trade)
})

test('before the first trade there is no price: 200 without a trade', async () => {
  const first = await newWorld({ start: '1970-01-01T00:00:00Z' })
  const { status, body } = await get(first, '/v2/stocks/AAPL/trades/latest')
  assert.deepEqual([status, body], [200, { symbol: 'AAPL' }])
  assert.deepEqual((await get(first, '/v2/stocks/trades/latest?symbols=AAPL')).body, { trades: {} })
})

test('the latest quote has a bid below its ask, and sizes in shares', async () => {
  const { body } = await latest('AAPL/quotes/latest')
  const { bp, ap, bs, as } = body.quote
  assert.ok(bp > 0 && bp < ap && bs > 0 && as > 0)
  assert.ok(Number.isInteger(bs) && Number.isInteger(as))
  const { quotes } = (await latest('quotes/latest?symbols=AAPL')).body
  assert.deepEqual(quotes.AAPL, body.quote)
})

test('the latest bar is the newest finished minute', async () => {
  const { bar } = (await latest('AAPL/bars/latest')).body
  assert.equal(bar.t, '2026-01-05T14:59:00Z')
  assert.deepEqual((await latest('bars/latest?symbols=AAPL')).body.bars.AAPL, bar)
})

test('feed and currency are accepted; the response has the currency', async () => {
  const { body } = await latest('AAPL/trades/latest?feed=iex&currency=USD')
  assert.deepEqual([body.currency, body.trade.x], ['USD', 'Q'])
})

for (const [title, path, status, code, message] of [
  ['an unknown symbol', 'ZZZZ/trades/latest', 404, 40410000, 'symbol not found: ZZZZ'],
  ['the quote of an unknown symbol', 'ZZZZ/quotes/latest', 404, 40410000, 'symbol not found: ZZZZ'],
  ['the bar of an unknown symbol', 'ZZZZ/bars/latest', 404, 40410000, 'symbol not found: ZZZZ'],
  ['an invalid symbol', 'a!/trades/latest', 400, 40010001, /^invalid symbol\(s\): a! /],
  [
    'no symbols',
    'trades/latest',
    400,
    40010001,
    "Invalid format for parameter symbols: query parameter 'symbols' is required",
  ],
  ['an unknown feed', 'AAPL/trades/latest?feed=abc', 400, 40010001, /^feed\b/],
  [
    'another currency',
    'AAPL/trades/latest?currency=EUR',
    400,
    40010001,
    'currency EUR is not supported; prices are in USD',
  ],
] as const)
  test(`${title}: ${status}`, async () => assertRefused(await latest(path), status, code, message))

test('a world with few symbols has no prices of other symbols', async () => {
  const small = await newWorld({ symbols: ['AAPL'] })
  assert.equal((await get(small, '/v2/stocks/AAPL/trades/latest')).status, 200)
  assertRefused(await get(small, '/v2/stocks/MSFT/trades/latest'), 404, 40410000)
})

test('without credentials: 401', async () =>
  assertRefused(
    await callWithHeaders('GET', '/v2/stocks/AAPL/trades/latest'),
    401,
    40110000,
    'unauthorized.',
  ))
