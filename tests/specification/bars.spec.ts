import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '../support/broker.ts'
import { assertRefused, callWithHeaders, get, newWorld } from './stage.ts'

const world = await newWorld()
const bars = async (query: string): Promise<Body> => {
  const { status, body } = await get(world, `/v2/stocks/bars?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const times = (list: readonly Body[] = []): string[] => list.map(({ t }) => t)

const isValid = ({ t, o, h, l, c, v, n, vw }: Body): boolean =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:00Z$/.test(t) &&
  l <= Math.min(o, c) &&
  h >= Math.max(o, c) &&
  [o, h, l, c].every((price) => price > 0 && Number(price.toFixed(2)) === price) &&
  Number.isInteger(v) &&
  Number.isInteger(n) &&
  n > 0 &&
  v >= n &&
  l <= vw &&
  vw <= h

test('day bars begin at midnight in New York, one for each trading day', async () => {
  const { bars: found, next_page_token } = await bars(
    'symbols=AAPL&timeframe=1Day&start=2025-12-22&end=2026-01-05',
  )
  // Christmas and New Year are holidays; the current day has a partial bar.
  const days = ['12-22', '12-23', '12-24', '12-26', '12-29', '12-30', '12-31']
  const expected = [...days.map((day) => `2025-${day}`), '2026-01-02', '2026-01-05']
  assert.deepEqual(
    times(found.AAPL),
    expected.map((day) => `${day}T05:00:00Z`),
  )
  assert.ok(found.AAPL.every(isValid))
  assert.equal(next_page_token, null)
})

test('in summer the day begins an hour earlier in UTC', async () => {
  const { bars: found } = await bars('symbols=AAPL&timeframe=1Day&start=2025-07-01&end=2025-07-01')
  assert.deepEqual(times(found.AAPL), ['2025-07-01T04:00:00Z'])
})

test('minute bars: one for each minute with a trade, both ends of the range included', async () => {
  const { bars: found } = await bars(
    'symbols=AAPL&timeframe=1Min&start=2026-01-02T15:00:00Z&end=2026-01-02T15:30:00Z',
  )
  const expected = Array.from({ length: 31 }, (_, n) => `2026-01-02T15:${String(n).padStart(2, '0')}:00Z`)
  assert.deepEqual(times(found.AAPL), expected)
  assert.ok(found.AAPL.every(isValid))
})

test('a daily bar has the prices of the regular session and the volume from 04:00 to 20:00', async () => {
  const query = 'symbols=KO&start=2026-01-02&end=2026-01-02&limit=10000&timeframe='
  const [day] = (await bars(`${query}1Day`)).bars.KO
  const minutes: Body[] = (await bars(`${query}1Min`)).bars.KO
  const between = (from: string, to: string) => minutes.filter(({ t }) => t >= from && t < to)
  const regular = between('2026-01-02T14:30', '2026-01-02T21:00')
  const counted = between('2026-01-02T09:00', '2026-01-03T01:00')
  assert.ok(counted.length < minutes.length)
  assert.equal(day.o, regular[0].o)
  assert.equal(day.c, regular.at(-1).c)
  assert.equal(day.h, Math.max(...regular.map(({ h }) => h)))
  assert.equal(day.l, Math.min(...regular.map(({ l }) => l)))
  assert.equal(
    day.v,
    counted.reduce((sum, { v }) => sum + v, 0),
  )
  assert.equal(
    day.n,
    counted.reduce((sum, { n }) => sum + n, 0),
  )
})

const quarter = 'symbols=MSFT,AAPL,KO&timeframe=1Day&start=2025-10-01&end=2025-12-31'
for (const [title, query, limits] of [
  ['days of three symbols', quarter, [7, 64, 1000]],
  ['days, newest first', `${quarter}&sort=desc`, [7, 64, 1000]],
  ['a week of three symbols', quarter.replace('2025-10-01', '2025-12-24'), [1, 2, 5, 6]],
  [
    'minutes of two symbols',
    'symbols=MSFT,AAPL&timeframe=1Min&start=2026-01-02T14:00:00Z&end=2026-01-02T15:00:00Z',
    [7, 61, 100],
  ],
] as const)
  for (const limit of limits)
    test(`${title}, ${limit} to a page: the joined pages are the complete list`, () =>
      pagesMatch(query, limit))

async function pagesMatch(query: string, limit: number): Promise<void> {
  const complete = await bars(`${query}&limit=10000`)
  assert.equal(complete.next_page_token, null)
  const joined: Record<string, Body[]> = {}
  const sizes: number[] = []
  let token: string | null = null
  do {
    const next: string = token === null ? '' : `&page_token=${encodeURIComponent(token)}`
    const page = await bars(`${query}&limit=${limit}${next}`)
    for (const [symbol, list] of Object.entries<Body[]>(page.bars)) (joined[symbol] ??= []).push(...list)
    sizes.push(Object.values<Body[]>(page.bars).flat().length)
    token = page.next_page_token
  } while (token !== null)
  assert.deepEqual(joined, complete.bars)
  assert.deepEqual(Object.keys(joined), [...Object.keys(joined)].sort(), 'sorted by symbol')
  assert.ok(sizes.slice(0, -1).every((size) => size === limit))
  assert.ok(sizes.at(-1)! > 0 && sizes.at(-1)! <= limit)
}

test('sort=desc reverses sort=asc', async () => {
  const query = 'symbols=AAPL&timeframe=1Day&start=2025-12-01&end=2025-12-31'
  const [ascending, descending] = [await bars(query), await bars(`${query}&sort=desc`)]
  assert.deepEqual(descending.bars.AAPL, ascending.bars.AAPL.toReversed())
})

test('the path for one symbol returns the same bars', async () => {
  const query = 'timeframe=1Day&start=2025-12-22'
  const { status, body } = await get(world, `/v2/stocks/AAPL/bars?${query}`)
  const { AAPL } = (await bars(`symbols=AAPL&${query}`)).bars
  assert.deepEqual([status, body], [200, { symbol: 'AAPL', bars: AAPL, next_page_token: null }])
})

for (const [title, query] of [
  ['a date', 'start=2025-12-30&end=2025-12-31'],
  [
    'an instant as the official SDK writes it',
    'start=2025-12-30T00%3A00%3A00.000Z&end=2025-12-31T23%3A59%3A59.999Z',
  ],
  ['an instant with an offset', 'start=2025-12-30T00%3A00%3A00-05%3A00&end=2025-12-31T23%3A00%3A00-05%3A00'],
  ['a repeated symbol', 'symbols=AAPL&start=2025-12-30&end=2025-12-31'],
  ['the short form of the timeframe', 'timeframe=1D&start=2025-12-30&end=2025-12-31'],
] as const)
  test(`a range with ${title}`, async () => {
    const frame = query.includes('timeframe') ? '' : 'timeframe=1Day&'
    const { bars: found } = await bars(`symbols=AAPL&${frame}${query}`)
    assert.deepEqual(times(found.AAPL), ['2025-12-30T05:00:00Z', '2025-12-31T05:00:00Z'])
  })

for (const [title, query] of [
  ['an unknown symbol', 'symbols=ZZZZ&timeframe=1Day&start=2025-12-22'],
  ['a range before the first data', 'symbols=AAPL&timeframe=1Day&start=1950-01-01&end=1950-12-31'],
  ['a future range', 'symbols=AAPL&timeframe=1Min&start=2026-01-06&end=2026-01-07'],
  ['a holiday', 'symbols=AAPL&timeframe=1Day&start=2025-12-25&end=2025-12-25'],
] as const)
  test(`${title}: 200 with no bars`, async () =>
    assert.deepEqual(await bars(query), { bars: {}, next_page_token: null }))

test('unfinished and future minutes have no bar', async () => {
  const query = 'symbols=AAPL&timeframe=1Min&start=2026-01-05T14:57:00Z&end=2026-01-05T16:00:00Z'
  const ended = ['2026-01-05T14:57:00Z', '2026-01-05T14:58:00Z', '2026-01-05T14:59:00Z']
  assert.deepEqual(times((await bars(query)).bars.AAPL), ended)
})

const AAPL = 'symbols=AAPL&timeframe=1Day'
for (const [title, query, message] of [
  [
    'no symbols',
    'timeframe=1Day',
    "Invalid format for parameter symbols: query parameter 'symbols' is required",
  ],
  [
    'no timeframe',
    'symbols=AAPL',
    "Invalid format for parameter timeframe: query parameter 'timeframe' is required",
  ],
  ['an unsupported timeframe', 'symbols=AAPL&timeframe=2Day', /invalid timeframe/],
  [
    'a bad start',
    `${AAPL}&start=yesterday`,
    /^Invalid format for parameter start: error parsing 'yesterday'/,
  ],
  ['an end without an offset', `${AAPL}&end=2026-01-05T15:00:00`, /^Invalid format for parameter end/],
  ['an end before the start', `${AAPL}&start=2025-12-31&end=2025-12-30`, 'end should not be before start'],
  ['a limit of 0', `${AAPL}&limit=0`, /^limit\b/],
  ['a limit beyond 10000', `${AAPL}&limit=10001`, /^limit\b/],
  ['an invalid page token', `${AAPL}&page_token=abc`, 'invalid page_token'],
  ['an unknown sort', `${AAPL}&sort=up`, /^sort\b/],
  ['an invalid symbol', 'symbols=aapl!&timeframe=1Day', /^invalid symbol\(s\): aapl! /],
] as const)
  test(`bars with ${title}: 400`, async () =>
    assertRefused(await get(world, `/v2/stocks/bars?${query}`), 400, 40010001, message))

test('bars without credentials: 401', async () =>
  assertRefused(await callWithHeaders('GET', `/v2/stocks/bars?${AAPL}`), 401, 40110000, 'unauthorized.'))

const stocks = (path: string, query: string) => get(world, `/v2/stocks/${path}?${query}`)

/** Bars as columns. */
const columnsOf = (bars: readonly Body[]) => ({
  time: bars.map(({ t }) => Date.parse(t)),
  open: bars.map(({ o }) => o),
  high: bars.map(({ h }) => h),
  low: bars.map(({ l }) => l),
  close: bars.map(({ c }) => c),
  volume: bars.map(({ v }) => v),
})

for (const [title, query] of [
  ['days of a symbol', 'symbols=AAPL&timeframe=1Day&start=2025-12-01'],
  ['days of several symbols', 'symbols=AAPL,MSFT,SPY&timeframe=1Day&start=2025-12-01'],
  ['days, newest first', 'symbols=AAPL&timeframe=1Day&start=2025-12-01&sort=desc'],
  ['minutes', 'symbols=AAPL,KO&timeframe=1Min&start=2026-01-02T15:00:00Z&end=2026-01-02T15:59:00Z'],
  ['the first of several pages', 'symbols=AAPL,KO&timeframe=1Day&start=2025-12-01&limit=30'],
  ['an unknown symbol', 'symbols=ZZZZ&timeframe=1Day&start=2025-12-01'],
] as const)
  test(`candles: ${title}, the values of the bars as columns`, async () => {
    const [{ body: candles }, { body: bars }] = [await stocks('candles', query), await stocks('bars', query)]
    const expected = Object.entries<Body[]>(bars.bars).map(([symbol, list]) => [symbol, columnsOf(list)])
    assert.deepEqual(candles.candles, Object.fromEntries(expected))
    assert.equal(candles.next_page_token, bars.next_page_token)
  })

test('pages of candles continue without a gap', async () => {
  const query = 'symbols=AAPL&timeframe=1Day&start=2025-12-01&limit=5'
  const first = (await stocks('candles', query)).body
  const second = (await stocks('candles', `${query}&page_token=${first.next_page_token}`)).body
  const complete = (await stocks('candles', query.replace('limit=5', 'limit=10'))).body
  for (const column of ['time', 'open', 'high', 'low', 'close', 'volume'])
    assert.deepEqual(
      [...first.candles.AAPL[column], ...second.candles.AAPL[column]],
      complete.candles.AAPL[column],
    )
})

for (const [title, query] of [
  ['no symbols', 'timeframe=1Day'],
  ['no timeframe', 'symbols=AAPL'],
  ['an end before the start', 'symbols=AAPL&timeframe=1Day&start=2025-12-31&end=2025-12-30'],
] as const)
  test(`candles with ${title}: 400, as for bars`, async () => {
    const { body: bars } = await stocks('bars', query)
    assertRefused(await stocks('candles', query), 400, 40010001, bars.message)
  })
