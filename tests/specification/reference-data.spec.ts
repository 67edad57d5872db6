import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused, callWithHeaders, get, newWorld } from './stage.ts'

const world = await newWorld()
const now = '2026-01-05T15:00:00Z'
const option = 'AAPL261218C00250000'

/** Data that Quipu does not have: empty responses of the documented shape. */
const empty: readonly (readonly [path: string, body: object])[] = [
  [`/v1beta1/options/bars?symbols=${option}&timeframe=1Day`, { bars: {}, next_page_token: null }],
  [`/v1beta1/options/trades?symbols=${option}`, { trades: {}, next_page_token: null }],
  [`/v1beta1/options/trades/latest?symbols=${option}&feed=indicative`, { trades: {} }],
  [`/v1beta1/options/quotes/latest?symbols=${option}`, { quotes: {} }],
  [`/v1beta1/options/snapshots?symbols=${option}&limit=1000`, { snapshots: {}, next_page_token: null }],
  [
    '/v1beta1/options/snapshots/AAPL?type=call&strike_price_gte=200.5&expiration_date=2026-12-18',
    { snapshots: {}, next_page_token: null },
  ],
  ['/v1beta1/options/meta/conditions/trade', {}],
  ['/v1beta1/options/meta/exchanges', {}],
  ['/v1beta1/news?symbols=AAPL&limit=50&include_content=true', { news: [], next_page_token: null }],
  ['/v1beta1/news', { news: [], next_page_token: null }],
  [
    '/v1/corporate-actions?symbols=AAPL&types=cash_dividend',
    { corporate_actions: {}, next_page_token: null },
  ],
  ['/v1beta1/corporate-actions', { corporate_actions: {}, next_page_token: null }],
  ['/v1beta1/forex/latest/rates?currency_pairs=USDJPY,EURUSD', { rates: {} }],
  ['/v1beta1/forex/rates?currency_pairs=USDJPY&timeframe=5Sec', { rates: {}, next_page_token: null }],
  ['/v1beta1/indices/latest/values?symbols=SPX', { values: {} }],
  ['/v1beta1/indices/values?symbols=SPX', { values: {}, next_page_token: null }],
  ['/v1beta1/fixed_income/latest/prices?isins=US912810TM09', { prices: {} }],
  ['/v1beta1/fixed_income/latest/quotes?isins=US912810TM09&trade_size=100', { quotes: {} }],
]

for (const [path, body] of empty) {
  test(`empty: ${path}`, async () => {
    const response = await get(world, path)
    assert.deepEqual([response.status, response.body], [200, body])
    assertRefused(await callWithHeaders('GET', path), 401, 40110000)
  })
}

// 404, because the Go client dereferences nil when a 200 has no entry for a symbol.
for (const list of ['bars', 'trades', 'quotes', 'orderbooks', 'pricing'])
  test(`the latest ${list} of perpetuals are not supported: 404`, async () =>
    assertRefused(
      await get(world, `/v1beta1/crypto-perps/global/latest/${list}?symbols=BTC-PERP`),
      404,
      40410000,
      'endpoint not found',
    ))

const wrong: readonly (readonly [path: string, message: RegExp])[] = [
  ['/v1beta1/options/bars?symbols=AAPL&timeframe=1Day', /symbols/],
  ['/v1beta1/options/bars?timeframe=1Day', /symbols/],
  [`/v1beta1/options/snapshots?symbols=${option}&limit=1001`, /limit/],
  ['/v1beta1/options/meta/conditions/bar', /ticktype/],
  ['/v1beta1/news?limit=51', /limit/],
  ['/v1beta1/screener/stocks/most-actives?top=101', /top/],
  ['/v1beta1/screener/bonds/movers', /market_type/],
  ['/v1/corporate-actions?types=party', /types/],
  ['/v1beta1/forex/latest/rates?currency_pairs=yen', /currency_pairs/],
  ['/v1beta1/fixed_income/latest/prices?isins=1', /isins/],
  ['/v2/stocks/meta/conditions/trade', /tape/],
  ['/v2/stocks/meta/conditions/bar?tape=A', /ticktype/],
]

for (const [path, message] of wrong) {
  test(`400 with the name of the parameter: ${path}`, async () => {
    assertRefused(await get(world, path), 400, 40010001, message)
  })
}

test('a logo is an empty picture; placeholder=false returns 404', async () => {
  const auth = { 'APCA-API-KEY-ID': world.keyId, 'APCA-API-SECRET-KEY': world.secretKey }
  const response = await fetch(`${world.url}/v1beta1/logos/AAPL`, { headers: auth })
  assert.equal(response.headers.get('content-type'), 'image/png')
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG')
  assertRefused(
    await get(world, '/v1beta1/logos/AAPL?placeholder=false'),
    404,
    40410000,
    'logo not found: AAPL',
  )
})

test('condition codes by tape, and exchange codes', async () => {
  const trade = async (tape: string) =>
    (await get(world, `/v2/stocks/meta/conditions/trade?tape=${tape}`)).body
  assert.equal((await trade('C'))['@'], 'Regular Sale')
  assert.equal((await trade('A'))[' '], 'Regular Sale')
  assert.equal((await trade('B'))['@'], undefined)
  const quotes = (await get(world, '/v2/stocks/meta/conditions/quote?tape=C')).body
  assert.match(quotes.R, /Regular/)
  const exchanges = (await get(world, '/v2/stocks/meta/exchanges')).body
  assert.deepEqual([exchanges.V, exchanges.N], ['IEX', 'New York Stock Exchange'])
})

const isAscending = (values: readonly number[]): boolean =>
  values.every((value, index) => index === 0 || value >= values[index - 1]!)

test('the most active stocks have the daily bars with the most volume or trades', async () => {
  for (const [by, field] of [
    ['volume', 'volume'],
    ['trades', 'trade_count'],
  ] as const) {
    const { status, body } = await get(world, `/v1beta1/screener/stocks/most-actives?by=${by}&top=20`)
    assert.deepEqual([status, body.most_actives.length, body.last_updated], [200, 20, now])
    const amounts = body.most_actives.map((active: Record<string, number>) => active[field]!)
    assert.ok(isAscending(amounts.toReversed()), JSON.stringify(amounts))
    const [{ symbol, volume, trade_count: trades }] = body.most_actives
    const bars = await get(world, `/v2/stocks/bars?symbols=${symbol}&timeframe=1Day&start=2026-01-05`)
    const [bar] = bars.body.bars[symbol]
    assert.deepEqual([volume, trades], [bar.v, bar.n])
  }
})

for (const [type, first, daily, count] of [
  ['stocks', '2026-01-02', '/v2/stocks/bars', 10],
  ['crypto', '2026-01-04T00:00:00Z', '/v1beta3/crypto/us/bars', 2],
] as const)
  test(`movers of ${type} are measured against the previous close`, async () => {
    const { body } = await get(world, `/v1beta1/screener/${type}/movers?top=${count}`)
    assert.deepEqual([body.market_type, body.last_updated], [type, now])
    assert.ok(body.gainers.length <= count && body.losers.length <= count)
    const percents = (movers: { percent_change: number }[]) => movers.map((mover) => mover.percent_change)
    assert.ok(isAscending(percents(body.losers)) && isAscending(percents(body.gainers).toReversed()))
    const mover = body.gainers[0] ?? body.losers[0]
    const path = `${daily}?symbols=${encodeURIComponent(mover.symbol)}&timeframe=1Day&start=${first}`
    const [before, today] = (await get(world, path)).body.bars[mover.symbol]
    assert.equal(mover.price, today.c)
    assert.ok(Math.abs(mover.change - (today.c - before.c)) < 0.000_01)
    assert.ok(Math.abs(mover.percent_change - (100 * (today.c - before.c)) / before.c) < 0.01)
  })
