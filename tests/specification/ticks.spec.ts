import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '../support/broker.ts'
import { assertRefused, callWithHeaders, get, newWorld, openStream } from './stage.ts'

/** Monday, 5 January 2026, 10:00 in New York. */
const world = await newWorld()
const data = async (path: string) => {
  const { status, body } = await get(world, `/v2/stocks/${path}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const minute = 'start=2026-01-05T14:40:00Z&end=2026-01-05T14:40:59.999999999Z'

for (const kind of ['trades', 'quotes'] as const) {
  const single = async (more: string) => await data(`AAPL/${kind}?${more}`)

  test(`${kind} of a symbol, sorted by time, within the range`, async () => {
    const body = await single(`${minute}&limit=10000`)
    assert.deepEqual([body.symbol, body.next_page_token], ['AAPL', null])
    const times = body[kind].map(({ t }: { t: string }) => t)
    assert.ok(times.length > 20)
    assert.ok(times.every((t: string) => t.startsWith('2026-01-05T14:40:')))
    assert.deepEqual([...times].sort(byInstant), times)
  })

  test(`${kind} of several symbols: sorted by symbol; unknown symbols are omitted`, async () => {
    const body = await data(`${kind}?symbols=MSFT,AAPL,ZZZZ&${minute}&limit=10000`)
    assert.deepEqual(Object.keys(body[kind]), ['AAPL', 'MSFT'])
    assert.deepEqual(body[kind].AAPL, (await single(`${minute}&limit=10000`))[kind])
  })

  for (const [sort, limit] of [
    ['asc', 1],
    ['asc', 7],
    ['desc', 1],
    ['desc', 13],
    ['desc', 1000],
  ] as const) {
    test(`pages of ${limit} ${kind}, ${sort}, joined are the complete list`, async () => {
      const short = 'start=2026-01-05T14:40:00Z&end=2026-01-05T14:40:05Z'
      const query = `${kind}?symbols=AAPL,MSFT&${short}&sort=${sort}`
      const complete = await data(`${query}&limit=10000`)
      const joined: Record<string, unknown[]> = {}
      let token: string | null = ''
      while (token !== null) {
        const page: Body = await data(`${query}&limit=${limit}${token && `&page_token=${token}`}`)
        const sizes = Object.values<unknown[]>(page[kind]).map((list) => list.length)
        assert.ok(sizes.reduce((a, b) => a + b, 0) <= limit)
        for (const [symbol, list] of Object.entries<unknown[]>(page[kind]))
          joined[symbol] = [...(joined[symbol] ?? []), ...list]
        token = page.next_page_token
      }
      assert.deepEqual(joined, complete[kind])
      const other = await data(`${kind}?symbols=AAPL,MSFT&${short}&limit=10000`)
      const reversed = [...other[kind].AAPL].reverse()
      assert.deepEqual(sort === 'asc' ? other[kind].AAPL : reversed, complete[kind].AAPL)
    })
  }

  test(`${kind}: no future data`, async () => {
    const body = await data(`${kind}?symbols=AAPL&start=2026-01-05T14:59:59Z&end=2026-02-01`)
    for (const { t } of body[kind].AAPL ?? []) assert.ok(byInstant(t, '2026-01-05T15:00:00Z') <= 0)
    assert.deepEqual(await single('start=2026-02-01'), { symbol: 'AAPL', [kind]: [], next_page_token: null })
  })

  const wrong = [
    [`${kind}`, /query parameter 'symbols' is required/],
    [`${kind}?symbols=a%20b`, /invalid symbol\(s\)/],
    [`AAPL/${kind}?limit=0`, /limit/],
    [`AAPL/${kind}?limit=10001`, /limit/],
    [`AAPL/${kind}?start=yesterday`, /Invalid format for parameter start: error parsing 'yesterday'/],
    [`AAPL/${kind}?start=2026-01-05T14:40:00`, /Invalid format for parameter start/],
    [`AAPL/${kind}?start=2026-01-05&end=2026-01-04`, /end should not be before start/],
    [`AAPL/${kind}?page_token=none`, /invalid page_token/],
    [`AAPL/${kind}?sort=up`, /sort/],
    [`AAPL/${kind}?feed=moon`, /feed/],
    [`AAPL/${kind}?currency=EUR`, /currency EUR is not supported/],
  ] as const
  for (const [path, message] of wrong)
    test(`400: ${path}`, async () => {
      assertRefused(await get(world, `/v2/stocks/${path}`), 400, 40010001, message)
    })
}

test('a page token is valid only for its data kind and symbols', async () => {
  const { next_page_token: token } = await data(`AAPL/trades?${minute}&limit=1`)
  for (const path of [`AAPL/quotes?${minute}`, `MSFT/trades?${minute}`, `AAPL/bars?timeframe=1Min&${minute}`])
    assertRefused(
      await get(world, `/v2/stocks/${path}&page_token=${token}`),
      400,
      40010001,
      'invalid page_token',
    )
})

test('the trades of a minute match its bar', async () => {
  const { trades } = await data(`AAPL/trades?${minute}&limit=10000`)
  const { bars } = await data('AAPL/bars?timeframe=1Min&start=2026-01-05T14:40:00Z&end=2026-01-05T14:40:00Z')
  const [bar] = bars
  const prices = trades.map(({ p }: { p: number }) => p)
  assert.deepEqual(
    [bar.o, bar.h, bar.l, bar.c],
    [prices[0], Math.max(...prices), Math.min(...prices), prices.at(-1)],
  )
  assert.equal(bar.n, trades.length)
  assert.equal(
    bar.v,
    trades.reduce((sum: number, { s }: { s: number }) => sum + s, 0),
  )
})

test('each trade is at the bid or the ask of the quote at its time, and there are more quotes than trades', async () => {
  const { trades } = await data(`AAPL/trades?${minute}&limit=100`)
  const { quotes } = await data(`AAPL/quotes?${minute}&limit=1000`)
  type Quote = { readonly t: string; readonly bp: number; readonly ap: number }
  const last = quotes.at(-1).t
  const covered = trades.filter(({ t }: { t: string }) => t <= last)
  for (const trade of covered) {
    const { bp, ap } = quotes.find(({ t }: Quote) => t === trade.t)
    assert.ok(trade.p === bp || trade.p === ap)
  }
  assert.ok(
    covered.length > 50 && quotes.length > 3 * covered.length,
    `${quotes.length} of ${covered.length}`,
  )
})

test('a snapshot has the latest trade, quote and bars', async () => {
  const body = await data('AAPL/snapshot')
  assert.equal(body.symbol, 'AAPL')
  assert.deepEqual(body.latestTrade, (await data('AAPL/trades/latest')).trade)
  assert.deepEqual(body.latestQuote, (await data('AAPL/quotes/latest')).quote)
  assert.deepEqual(body.minuteBar, (await data('AAPL/bars/latest')).bar)
  const { bars } = await data('AAPL/bars?timeframe=1Day&start=2026-01-01')
  assert.deepEqual([body.prevDailyBar, body.dailyBar], bars)
})

test('snapshots of several symbols are an object by symbol; unknown symbols are null', async () => {
  const body = await data('snapshots?symbols=AAPL,ZZZZ')
  const { symbol, ...snapshot } = await data('AAPL/snapshot')
  assert.deepEqual(body, { [symbol]: snapshot, ZZZZ: null })
  assertRefused(await get(world, '/v2/stocks/ZZZZ/snapshot'), 404, 40410000, 'symbol not found: ZZZZ')
})

test('before the open the daily bar is that of the previous day', async () => {
  const early = await newWorld({ start: '2026-01-06T12:00:00Z' })
  const { dailyBar, prevDailyBar } = (await get(early, '/v2/stocks/AAPL/snapshot')).body
  assert.deepEqual([dailyBar.t, prevDailyBar.t], ['2026-01-05T05:00:00Z', '2026-01-02T05:00:00Z'])
})

test('the delayed feed is 15 minutes behind', async () => {
  const { trade } = await data('AAPL/trades/latest?feed=delayed_sip')
  assert.ok(trade.t > '2026-01-05T14:44' && trade.t < '2026-01-05T14:45:00.1')
})

test('auctions: the open and close prices of each day', async () => {
  const { auctions } = await data('AAPL/auctions?start=2026-01-02&end=2026-01-05&feed=sip')
  assert.deepEqual(
    auctions.map(({ d }: { d: string }) => d),
    ['2026-01-02', '2026-01-05'],
  )
  const { bars } = await data('AAPL/bars?timeframe=1Day&start=2026-01-02&end=2026-01-02')
  const [friday, monday] = auctions
  assert.ok(friday.o.length > 0 && friday.o.every(({ p }: { p: number }) => p === bars[0].o))
  assert.ok(friday.c.length > 0 && friday.c.every(({ p }: { p: number }) => p === bars[0].c))
  assert.ok(monday.o.length > 0)
  assert.deepEqual(monday.c, [])
  assertRefused(await get(world, '/v2/stocks/AAPL/auctions?feed=iex'), 400, 40010001, /feed/)
})

test('pages of auctions joined are the complete list', async () => {
  const query = 'auctions?symbols=AAPL,MSFT&start=2025-12-01&end=2025-12-31'
  for (const sort of ['asc', 'desc']) {
    const complete = await data(`${query}&sort=${sort}`)
    const days: string[] = []
    let token: string | null = ''
    while (token !== null) {
      const page: Body = await data(`${query}&sort=${sort}&limit=4${token && `&page_token=${token}`}`)
      for (const [symbol, list] of Object.entries<{ d: string }[]>(page.auctions))
        days.push(...list.map(({ d }) => `${symbol} ${d}`))
      token = page.next_page_token
    }
    const all = Object.entries<{ d: string }[]>(complete.auctions)
    assert.deepEqual(
      days,
      all.flatMap(([symbol, list]) => list.map(({ d }) => `${symbol} ${d}`)),
    )
  }
})

test('ticks without a key: 401', async () => {
  assertRefused(await callWithHeaders('GET', '/v2/stocks/trades?symbols=AAPL'), 401, 40110000)
})

/** Timestamps have no trailing zeros, so their text does not sort by time. */
function byInstant(a: string, b: string): number {
  const [left, right] = [a, b].map((t) => t.replace(/(?:\.(\d+))?Z$/, (_, f = '') => `.${f.padEnd(9, '0')}`))
  return left! < right! ? -1 : left! > right! ? 1 : 0
}

for (const feed of ['boats', 'otc', 'overnight'])
  test(`the feed ${feed} has no data, and never those of another feed`, async () => {
    const range = 'start=2026-01-02T14:30:00Z&end=2026-01-02T15:00:00Z&limit=2'
    const many = async (path: string) =>
      (await get(world, `/v2/stocks/${path}symbols=AAPL&feed=${feed}`)).body
    if (feed !== 'overnight') {
      for (const [list, query] of [
        ['bars', `timeframe=1Min&${range}&`],
        ['trades', `${range}&`],
        ['quotes', `${range}&`],
      ] as const) {
        // The second time from the cache.
        for (const _ of [1, 2]) assert.deepEqual((await many(`${list}?${query}`))[list], {})
        assert.ok((await get(world, `/v2/stocks/${list}?${query}symbols=AAPL`)).body[list].AAPL.length > 0)
      }
      const single = await get(world, `/v2/stocks/AAPL/trades?${range}&feed=${feed}`)
      assert.deepEqual([single.status, single.body.trades ?? []], [200, []])
    } else assert.equal((await get(world, `/v2/stocks/AAPL/bars?timeframe=1Min&feed=${feed}`)).status, 400)
    for (const list of ['trades', 'quotes', 'bars'])
      assert.deepEqual((await many(`${list}/latest?`))[list], {}, list)
    assert.deepEqual(await many('snapshots?'), { AAPL: null })
    const { status, body } = await get(world, `/v2/stocks/AAPL/snapshot?feed=${feed}`)
    assert.deepEqual([status, body], [200, { symbol: 'AAPL' }])
  })

test('each of the last ten minutes before the close has an imbalance with the auction price', async () => {
  const world = await newWorld({ start: '2026-01-05T20:45:00Z' })
  const client = await openStream('/v2/sip')
  await client.next()
  await client.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await client.request({ action: 'subscribe', imbalances: ['AAPL'] })
  await world.advance('20m')
  const received = (await client.rest()).flat()
  assert.deepEqual(
    received.map(({ t }: Body) => t),
    Array.from({ length: 10 }, (_, minute) => `2026-01-05T20:5${minute}:00Z`),
  )
  for (const message of received) {
    assert.deepEqual(Object.keys(message), ['T', 'S', 'p', 'z', 't'])
    assert.deepEqual([message.T, message.S, message.z], ['i', 'AAPL', 'C'])
    const path = `/v2/stocks/AAPL/trades?start=2026-01-05T20:45:00Z&end=${message.t}&sort=desc&limit=1`
    assert.equal(message.p, (await get(world, path)).body.trades[0].p)
  }
  await client.close()
})
