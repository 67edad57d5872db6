import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '../support/broker.ts'
import { assertRefused, broker, callWithHeaders, get, newWorld, openStream } from './stage.ts'

/** Saturday, 10 January 2026, noon in UTC: crypto trades at weekends too. */
const world = await newWorld({ start: '2026-01-10T12:00:00Z' })
const data = async (path: string): Promise<Body> => {
  const { status, body } = await get(world, `/v1beta3/crypto/us/${path}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const BTC = 'BTC/USD'

test('the latest trade, quote, bar and order book of a pair are consistent', async () => {
  const { trades } = await data('latest/trades?symbols=BTC/USD')
  const { quotes } = await data('latest/quotes?symbols=BTC%2FUSD')
  const { bars } = await data('latest/bars?symbols=BTC/USD')
  const { orderbooks } = await data('latest/orderbooks?symbols=BTC/USD')
  const [trade, quote, bar, book] = [trades[BTC], quotes[BTC], bars[BTC], orderbooks[BTC]]
  assert.deepEqual(Object.keys(trade), ['t', 'p', 's', 'i', 'tks'])
  assert.ok(trade.tks === 'B' || trade.tks === 'S')
  assert.deepEqual(Object.keys(quote), ['t', 'bp', 'bs', 'ap', 'as'])
  assert.ok(quote.bp < quote.ap && quote.bp <= trade.p && trade.p <= quote.ap)
  assert.deepEqual(Object.keys(bar), ['t', 'o', 'h', 'l', 'c', 'v', 'n', 'vw'])
  assert.deepEqual(
    [book.b[0], book.a[0]],
    [
      { p: quote.bp, s: quote.bs },
      { p: quote.ap, s: quote.as },
    ],
  )
  for (const [side, sign] of [
    [book.b, -1],
    [book.a, 1],
  ] as const)
    for (let level = 1; level < side.length; level++)
      assert.ok((side[level].p - side[level - 1].p) * sign > 0)
})

test('minute bars have no gaps, and daily bars begin at midnight in UTC', async () => {
  const { bars } = await data(
    'bars?symbols=BTC/USD&timeframe=1Min&start=2026-01-10T03:00:00Z&end=2026-01-10T03:59:00Z',
  )
  assert.equal(bars[BTC].length, 60)
  for (const [index, { t, o, h, l, c, v, n, vw }] of bars[BTC].entries()) {
    assert.equal(t, `2026-01-10T03:${String(index).padStart(2, '0')}:00Z`)
    assert.ok(l <= o && o <= h && l <= c && c <= h && v >= 0 && n > 0 === v > 0 && n > 0 === vw > 0)
  }
  const days = (await data('bars?symbols=BTC/USD&timeframe=1Day&start=2026-01-05&end=2026-01-10')).bars[BTC]
  assert.ok(days.every(({ t }: Body) => t.endsWith('T00:00:00Z')))
  assert.ok(
    days.some(({ t }: Body) => t === '2026-01-10T00:00:00Z'),
    'the current day',
  )
})

test('candles are the bars as columns', async () => {
  const query = 'symbols=BTC/USD,ETH/USD&timeframe=1Hour&start=2026-01-09T00:00:00Z&end=2026-01-09T23:00:00Z'
  const { bars } = await data(`bars?${query}`)
  const { candles } = await data(`candles?${query}`)
  for (const pair of [BTC, 'ETH/USD']) {
    assert.deepEqual(
      candles[pair].time,
      bars[pair].map(({ t }: Body) => Date.parse(t)),
    )
    assert.deepEqual(
      candles[pair].volume,
      bars[pair].map(({ v }: Body) => v),
    )
  }
})

for (const kind of ['trades', 'quotes'])
  test(`pages of ${kind} joined are the complete list`, async () => {
    const query = `${kind}?symbols=BTC/USD,ETH/USD&start=2026-01-10T11:59:30Z`
    for (const sort of ['asc', 'desc']) {
      const complete = (await data(`${query}&sort=${sort}&limit=10000`))[kind]
      const joined: Record<string, Body[]> = {}
      let token: string | null = ''
      while (token !== null) {
        const page: Body = await data(`${query}&sort=${sort}&limit=3${token && `&page_token=${token}`}`)
        for (const [pair, list] of Object.entries<Body[]>(page[kind]))
          joined[pair] = [...(joined[pair] ?? []), ...list]
        token = page.next_page_token
      }
      assert.deepEqual(joined, complete)
    }
  })

test('snapshots are in a snapshots object', async () => {
  const { snapshots } = await data('snapshots?symbols=BTC/USD,NO/USD')
  assert.deepEqual(Object.keys(snapshots), [BTC])
  const keys = ['latestTrade', 'latestQuote', 'minuteBar', 'dailyBar', 'prevDailyBar']
  assert.deepEqual(Object.keys(snapshots[BTC]), keys)
  assert.equal(snapshots[BTC].dailyBar.t, '2026-01-10T00:00:00Z')
})

test('a symbol that is not a pair is refused, and stock data has no crypto', async () => {
  const base = '/v1beta3/crypto/us/latest/trades'
  assertRefused(await get(world, `${base}?symbols=BTCUSD`), 400, 40010001, /invalid symbol\(s\): BTCUSD/)
  assertRefused(await get(world, base), 400, 40010001, /query parameter 'symbols' is required/)
  assertRefused(await get(world, '/v1beta3/crypto/moon/latest/trades?symbols=BTC/USD'), 400, 40010001, /loc/)
  assert.deepEqual(
    (await get(world, '/v2/stocks/trades/latest?symbols=BTC/USD,AAPL')).body.trades[BTC],
    undefined,
  )
})

test('without a credential crypto data is that of main; a wrong credential is refused', async () => {
  const path = '/v1beta3/crypto/us/latest/quotes?symbols=BTC/USD'
  const { status, body, headers } = await callWithHeaders('GET', path)
  assert.deepEqual([status, Object.keys(body.quotes), headers.get('x-quipu-world')], [200, [BTC], 'main'])
  const wrong = { 'APCA-API-KEY-ID': broker.keyId, 'APCA-API-SECRET-KEY': 'wrong' }
  assertRefused(await callWithHeaders('GET', path, wrong), 401, 40110000)
  assert.equal((await get(world, path)).headers.get('x-quipu-world'), world.world)
})

test('the stream sends trades, quotes, bars and order books of a pair', async () => {
  const live = await newWorld({ start: '2026-01-10T12:00:00Z' })
  const client = await openStream('/v1beta3/crypto/us')
  await client.next()
  await client.request({ action: 'auth', key: live.keyId, secret: live.secretKey })
  const lists = { trades: [BTC], quotes: ['*'], bars: [BTC], dailyBars: [BTC], orderbooks: [BTC] }
  const [ack] = await client.request({ action: 'subscribe', ...lists })
  assert.deepEqual(ack, {
    T: 'subscription',
    trades: [BTC],
    quotes: ['*'],
    orderbooks: [BTC],
    bars: [BTC],
    updatedBars: [],
    dailyBars: [BTC],
  })
  await live.advance('1m')
  const received = (await client.rest()).flat()
  const ofType = (letter: string) => received.filter(({ T }: Body) => T === letter)
  for (const letter of ['t', 'q', 'b', 'd', 'o']) assert.ok(ofType(letter).length > 0, letter)
  assert.ok(
    ofType('q').some(({ S }: Body) => S !== BTC),
    'all pairs',
  )
  assert.ok(
    ofType('q').every(({ S }: Body) => S.includes('/')),
    'no stocks',
  )
  const [bar] = ofType('b')
  const rest = (
    await get(live, '/v1beta3/crypto/us/bars?symbols=BTC/USD&timeframe=1Min&start=2026-01-10T12:00:00Z')
  ).body
  const { T: _, S: symbol, ...fields } = bar
  assert.deepEqual({ [symbol]: [fields] }, rest.bars)
  const [first, ...changes] = ofType('o')
  assert.equal(first.r, true)
  const book = { b: new Map(), a: new Map() } as Record<'a' | 'b', Map<number, number>>
  for (const message of [first, ...changes])
    for (const side of ['a', 'b'] as const)
      for (const { p, s } of message[side]) s === 0 ? book[side].delete(p) : book[side].set(p, s)
  const now = (await get(live, '/v1beta3/crypto/us/latest/orderbooks?symbols=BTC/USD')).body.orderbooks[BTC]
  assert.deepEqual(
    [...book.a].sort(([a], [b]) => a - b),
    now.a.map(({ p, s }: Body) => [p, s]),
  )
  assert.deepEqual(
    [...book.b].sort(([a], [b]) => b - a),
    now.b.map(({ p, s }: Body) => [p, s]),
  )
  await client.close()
})

/** 01:30 in UTC on 4 May 2026: in New York it is still 3 May. */
const daysWorld = await newWorld({ start: '2026-05-04T01:30:00Z' })

async function times(list: string, query: string): Promise<readonly string[]> {
  const { status, body } = await get(daysWorld, `/v1beta3/crypto/us/${list}?symbols=BTC/USD&${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return (body[list]['BTC/USD'] ?? []).map(({ t }: Body) => t)
}

test('a date names a UTC day on crypto paths', async () => {
  assert.deepEqual(await times('bars', 'start=2026-05-02&end=2026-05-02&timeframe=1Day'), [
    '2026-05-02T00:00:00Z',
  ])
  const hours = await times('bars', 'start=2026-05-02&end=2026-05-02&timeframe=1Hour')
  assert.deepEqual(
    [hours.length, hours[0], hours.at(-1)],
    [24, '2026-05-02T00:00:00Z', '2026-05-02T23:00:00Z'],
  )
  for (const list of ['trades', 'quotes']) {
    const [first] = await times(list, 'start=2026-05-02&end=2026-05-02&limit=1')
    const [last] = await times(list, 'start=2026-05-02&end=2026-05-02&limit=1&sort=desc')
    assert.deepEqual([first?.slice(0, 13), last?.slice(0, 13)], ['2026-05-02T00', '2026-05-02T23'], list)
  }
})

test('without a start a list begins with the current UTC day', async () => {
  assert.deepEqual(await times('bars', 'timeframe=1Hour'), ['2026-05-04T00:00:00Z', '2026-05-04T01:00:00Z'])
  assert.deepEqual(await times('bars', 'timeframe=1Day'), ['2026-05-04T00:00:00Z'])
})

test('the daily candles for ccxt begin with the requested day', async () => {
  // The query of fetchOHLCV('BTC/USD', '1d', Date.UTC(2026, 3, 30), 3) in ccxt.
  const { status, body } = await get(
    daysWorld,
    '/v1beta3/crypto/us/bars?symbols=BTC%2FUSD&limit=3&start=2026-04-30&timeframe=1D',
  )
  assert.equal(status, 200)
  assert.deepEqual(
    body.bars['BTC/USD'].map(({ t }: Body) => t),
    ['2026-04-30T00:00:00Z', '2026-05-01T00:00:00Z', '2026-05-02T00:00:00Z'],
  )
})

test('a date names a New York day on stock paths', async () => {
  const { body } = await get(
    daysWorld,
    '/v2/stocks/bars?symbols=AAPL&start=2026-05-01&end=2026-05-01&timeframe=1Day',
  )
  assert.deepEqual(
    body.bars.AAPL.map(({ t }: Body) => t),
    ['2026-05-01T04:00:00Z'],
  )
})
