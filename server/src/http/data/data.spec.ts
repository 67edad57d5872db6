import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type OperationName, operations, type Problem } from '@quipu/contract'
import { call, openTestServer, type TestServer } from '../testing/server.ts'

let server: TestServer
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const get = (path: string) => call(server, `GET /v2/stocks${path}`, { key: server.key })

const shapes: readonly (readonly [OperationName, string])[] = [
  ['stockLatestTradeSingle', '/AAPL/trades/latest'],
  ['stockLatestTrades', '/trades/latest?symbols=AAPL,MSFT,NOPE'],
  ['stockLatestQuoteSingle', '/AAPL/quotes/latest?feed=iex'],
  ['stockLatestQuotes', '/quotes/latest?symbols=AAPL&symbols=MSFT'],
  ['stockLatestBarSingle', '/AAPL/bars/latest?currency=USD'],
  ['stockLatestBars', '/bars/latest?symbols=AAPL%2CMSFT'],
  ['stockBars', '/bars?symbols=MSFT,AAPL&timeframe=1Day&start=2026-10-26'],
  ['stockBarSingle', '/AAPL/bars?timeframe=1Min&limit=5'],
  ['stockCandles', '/candles?symbols=AAPL&timeframe=1Hour&start=2026-10-30T00:00:00%2B00:00'],
]
for (const [name, path] of shapes)
  test(`${name} returns the shape of the contract, without NOPE`, async () => {
    const { status, body, headers } = await get(path)
    assert.equal(status, 200)
    const problems: Problem[] = []
    const { output } = operations[name] as {
      output: { parse(value: unknown, path: string, problems: Problem[]): unknown }
    }
    output.parse(body, '', problems)
    assert.deepEqual(problems, [])
    assert.ok(!JSON.stringify(body).includes('NOPE'))
    assert.ok(JSON.stringify(body).includes('AAPL'))
    assert.equal(body.currency, path.includes('currency') ? 'USD' : undefined)
    assert.equal(headers.get('x-quipu-world'), 'lab')
    assert.ok(Number(headers.get('x-quipu-seq')) > 0)
  })

const refused: readonly (readonly [string, number, RegExp])[] = [
  ['/NOPE/trades/latest', 404, /^symbol not found: NOPE$/],
  ['/NOPE/quotes/latest', 404, /^symbol not found: NOPE$/],
  ['/NOPE/bars/latest', 404, /^symbol not found: NOPE$/],
  ['/AAPL/trades/latest?currency=EUR', 400, /^currency EUR is not supported/],
  ['/trades/latest', 400, /query parameter 'symbols' is required/],
  ['/bars?symbols=AAPL', 400, /query parameter 'timeframe' is required/],
  ['/bars?symbols=AAPL&timeframe=1Minute', 400, /^invalid timeframe/],
  ['/bars?symbols=a!b&timeframe=1Day', 400, /^invalid symbol\(s\): a!b/],
  ['/bars?symbols=AAPL&timeframe=1Day&limit=10001', 400, /^limit: /],
  [
    '/bars?symbols=AAPL&timeframe=1Day&start=x',
    400,
    /^Invalid format for parameter start: error parsing 'x'/,
  ],
  ['/bars?symbols=AAPL&timeframe=1Day&start=2026-10-27T00:00:00', 400, /parameter start/],
  [
    '/bars?symbols=AAPL&timeframe=1Day&start=2026-10-27&end=2026-10-20',
    400,
    /^end should not be before start$/,
  ],
  ['/bars?symbols=AAPL&timeframe=1Day&page_token=x', 400, /^invalid page_token$/],
]
for (const [path, status, message] of refused)
  test(`GET /v2/stocks${path}: ${status}`, async () => {
    const { status: received, body } = await get(path)
    assert.equal(received, status)
    assert.match(body.message, message)
    assert.ok(Number.isInteger(body.code))
  })

test('bars of unknown symbols are an empty map, and of a single one an empty list', async () => {
  assert.deepEqual((await get('/bars?symbols=NOPE&timeframe=1Day')).body, { bars: {}, next_page_token: null })
  assert.deepEqual((await get('/NOPE/bars?timeframe=1Day')).body, {
    symbol: 'NOPE',
    bars: [],
    next_page_token: null,
  })
})

type Bars = Record<string, { t: string }[]>

/** All pages of a query as one list of symbol and time, and the length of each page. */
async function pages(query: string): Promise<{ points: string[]; lengths: number[] }> {
  const points: string[] = []
  const lengths: number[] = []
  for (let token: string | null = ''; token !== null; ) {
    const { body }: { body: { bars: Bars; next_page_token: string | null } } = await get(
      `/bars?${query}${token === '' ? '' : `&page_token=${encodeURIComponent(token)}`}`,
    )
    const page = Object.entries(body.bars).flatMap(([symbol, bars]) => bars.map(({ t }) => `${symbol} ${t}`))
    points.push(...page)
    lengths.push(page.length)
    token = body.next_page_token
  }
  return { points, lengths }
}

for (const sort of ['asc', 'desc'] as const)
  for (const limit of [1, 3, 5, 7, 10, 11])
    test(`pages of ${limit}, ${sort}: each item once, symbol after symbol`, async () => {
      const query = `symbols=MSFT,AAPL,NOPE&timeframe=1Day&start=2026-10-26&end=2026-10-30&sort=${sort}`
      const all = await pages(`${query}&limit=1000`)
      assert.equal(all.points.length, 10)
      const paged = await pages(`${query}&limit=${limit}`)
      assert.deepEqual(paged.points, all.points)
      assert.equal(paged.lengths.length, Math.ceil(10 / limit))
      const days = all.points.slice(0, 5).map((point) => point.slice(5, 15))
      assert.deepEqual(days, sort === 'asc' ? [...days].sort() : [...days].sort().reverse())
      assert.ok(all.points[0]!.startsWith('AAPL') && all.points[9]!.startsWith('MSFT'))
    })

test('a page token is valid only for its own query', async () => {
  const path = '/bars?symbols=AAPL,MSFT&timeframe=1Day&start=2026-10-26&limit=1'
  const { next_page_token: token } = (await get(path)).body
  assert.equal((await get(`${path}&page_token=${token}`)).status, 200)
  const others = [
    `/bars?symbols=MSFT&timeframe=1Day&start=2026-10-26&page_token=${token}`,
    `/bars?symbols=AAPL&timeframe=1Min&start=2026-10-26&page_token=${token}`,
  ]
  for (const other of others) assert.equal((await get(other)).status, 400)
})

test('a date as end includes that day in New York', async () => {
  const day = (await get('/AAPL/bars?timeframe=1Day&start=2026-10-27&end=2026-10-27')).body.bars
  assert.deepEqual(
    day.map(({ t }: { t: string }) => t),
    ['2026-10-27T04:00:00Z'],
  )
  const { bars } = (await get('/AAPL/bars?timeframe=1Hour&start=2026-10-27&end=2026-10-27')).body
  assert.equal(bars.at(-1).t, '2026-10-27T23:00:00Z')
})

test('candles have the values of bars in columns', async () => {
  const query = 'symbols=AAPL&timeframe=1Day&start=2026-10-26&end=2026-10-30'
  const { bars } = (await get(`/bars?${query}`)).body
  const { candles } = (await get(`/candles?${query}`)).body
  const { time, open, high, low, close, volume } = candles.AAPL
  const rows = bars.AAPL.map(({ t, o, h, l, c, v }: Record<string, string>) => [
    Date.parse(t!),
    o,
    h,
    l,
    c,
    v,
  ])
  assert.deepEqual(
    time.map((_: number, i: number) => [time[i], open[i], high[i], low[i], close[i], volume[i]]),
    rows,
  )
})

test('a future start returns no bars', async () => {
  assert.deepEqual((await get('/AAPL/bars?timeframe=1Day&start=2030-01-01')).body.bars, [])
})

test('the log hints at an unknown symbol with the nearest known one', async (t) => {
  const fresh = await openTestServer()
  t.after(() => fresh.close())
  await call(fresh, 'GET /v2/stocks/bars?symbols=APPL&timeframe=1Day', { key: fresh.key })
  fresh.services.log.flush()
  assert.match(fresh.lines.join(''), /unknown symbol .*APPL.*did you mean AAPL\?/)
})
