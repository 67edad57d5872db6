import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Instant, parseInstant } from '@quipu/core'
import { call, openTestServer, type TestServer } from '../testing/server.ts'
import { isSettled } from './settled.ts'

let server: TestServer
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const get = (path: string) => call(server, `GET /v2/stocks${path}`, { key: server.key })
const isAdded = async (path: string): Promise<boolean> => {
  const { pages } = server.services.market
  const { size } = pages
  assert.equal((await get(path)).status, 200)
  return pages.size > size
}

const rows: readonly (readonly [string, boolean])[] = [
  ['/bars?symbols=AAPL,MSFT&timeframe=1Min&start=2026-10-26&end=2026-10-27', true],
  ['/AAPL/bars?timeframe=1Day&start=2026-10-01&end=2026-10-20', true],
  ['/candles?symbols=AAPL&timeframe=1Hour&start=2026-10-26&end=2026-10-27', true],
  ['/bars?symbols=AAPL&timeframe=1Min&start=2026-10-26', false],
  ['/bars?symbols=AAPL&timeframe=1Min&start=2026-10-26&end=2099-01-01', false],
  ['/bars?symbols=AAPL&timeframe=12Month&start=2025-01-01&end=2026-10-26', false],
]
for (const [path, isCached] of rows)
  test(`${path} is ${isCached ? '' : 'not '}cached`, async () => assert.equal(await isAdded(path), isCached))

test('a cached page equals the first response', async () => {
  for (const path of [
    '/bars?symbols=MSFT,AAPL&timeframe=1Min&start=2026-10-22&end=2026-10-23&limit=100&currency=USD',
    '/NOPE/bars?timeframe=1Min&start=2026-10-22&end=2026-10-23',
    '/candles?symbols=AAPL&timeframe=15Min&start=2026-10-22&end=2026-10-23&sort=desc',
  ]) {
    assert.ok(await isAdded(path), path)
    const first = await get(path)
    assert.ok(!(await isAdded(path)))
    const second = await get(path)
    assert.deepEqual(second.body, first.body)
    assert.equal(second.headers.get('content-type'), 'application/json')
  }
})

test('queries that differ in one parameter have different pages', async () => {
  const base = '/bars?symbols=AAPL&timeframe=1Min&start=2026-10-21&end=2026-10-22'
  const pages = await Promise.all(
    ['', '&limit=7', '&limit=8', '&sort=desc', '&currency=USD'].map((more) => get(`${base}${more}`)),
  )
  const single = await get('/AAPL/bars?timeframe=1Min&start=2026-10-21&end=2026-10-22')
  const other = await get('/bars?symbols=MSFT&timeframe=1Min&start=2026-10-21&end=2026-10-22')
  const next = await get(`${base}&limit=7&page_token=${pages[1]!.body.next_page_token}`)
  const texts = [...pages, single, other, next].map(({ body }) => JSON.stringify(body))
  assert.equal(new Set(texts).size, texts.length)
})

const at = (text: string): Instant => {
  const read = parseInstant(text)
  assert.ok(read.ok)
  return read.value
}

const settled: readonly (readonly ['minute' | 'hour' | 'day' | 'month', number, string, boolean])[] = [
  ['minute', 1, '2026-10-30T15:44:00Z', true],
  ['minute', 1, '2026-10-30T15:44:01Z', false],
  ['minute', 30, '2026-10-30T15:44:00Z', false],
  ['hour', 1, '2026-10-30T14:45:00Z', true],
  ['hour', 1, '2026-10-30T14:46:00Z', false],
  ['day', 1, '2026-10-29T14:45:00Z', true],
  ['day', 1, '2026-10-29T15:00:00Z', false],
  ['month', 2, '2026-08-30T00:00:00Z', false],
  ['month', 2, '2026-08-01T00:00:00Z', true],
]
for (const [unit, count, to, isOver] of settled)
  test(`at 16:00 of October 30, ${count} ${unit} up to ${to} ${isOver ? 'never change' : 'may change'}`, () =>
    assert.equal(isSettled({ unit, count } as never, at(to), at('2026-10-30T16:00:00Z')), isOver))
