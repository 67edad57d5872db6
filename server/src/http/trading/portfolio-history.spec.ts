import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Instant } from '@quipu/core'
import { call, OPEN_MONDAY, openTestServer, type TestServer } from '../testing/server.ts'

let server: TestServer
const get = (query: string, key = server.key) =>
  call(server, `GET /v2/account/portfolio/history${query}`, { key })
const until = (instant: string) => server.clock.advance((BigInt(Date.parse(instant)) * 1_000_000n) as Instant)
const seconds = (instant: string): number => Date.parse(instant) / 1000

async function order(side: 'buy' | 'sell', symbol: string, qty: string): Promise<void> {
  const isCoin = symbol.includes('/')
  const body = { symbol, qty, side, type: 'market', time_in_force: isCoin ? 'gtc' : 'day' }
  const response = await call(server, 'POST /v2/orders', { key: server.key, body })
  assert.equal(response.status, 200, response.body.message)
  await server.clock.advance((server.clock.now() + 1_000_000_000n) as Instant)
}

const account = async () => (await call(server, 'GET /v2/account', { key: server.key })).body
const closing = new Map<string, number>()

/** One week with long, short and coin positions and days without trades, until noon of the next Monday. */
before(async () => {
  server = await openTestServer()
  assert.equal(OPEN_MONDAY, BigInt(Date.parse('2026-11-02T15:00:00Z')) * 1_000_000n)
  await order('buy', 'AAPL', '100')
  await until('2026-11-02T18:00:00Z')
  await order('sell', 'MSFT', '10')
  await noteClose('2026-11-02')
  await until('2026-11-03T16:00:00Z')
  await order('sell', 'AAPL', '40')
  await order('buy', 'BTC/USD', '0.1')
  await noteClose('2026-11-03')
  await noteClose('2026-11-04')
  await noteClose('2026-11-05')
  await noteClose('2026-11-06')
  await until('2026-11-09T17:00:00Z')
})
after(() => server.close())

async function noteClose(date: string): Promise<void> {
  await until(`${date}T21:00:01Z`)
  closing.set(date, Number((await account()).last_equity))
}

/** A tolerance, because the last trade and the close of the bar may differ. */
const near = (a: number, b: number, by: number): boolean => Math.abs(a - b) <= by

test('the equity of past days is that of their close, and of the current day that of now', async () => {
  const { status, body } = await get('?period=2W&timeframe=1D')
  assert.equal(status, 200)
  assert.equal(body.timeframe, '1D')
  const days = body.timestamp.map((second: number) =>
    new Date((second - 7_200) * 1000).toISOString().slice(0, 10),
  )
  assert.deepEqual(days.slice(-6), [
    '2026-11-02',
    '2026-11-03',
    '2026-11-04',
    '2026-11-05',
    '2026-11-06',
    '2026-11-09',
  ])
  assert.equal(body.timestamp.at(-1), seconds('2026-11-10T01:00:00Z'))
  const equity = new Map<string, number>(days.map((day: string, row: number) => [day, body.equity[row]]))
  for (const [date, worth] of closing)
    assert.ok(near(equity.get(date)!, worth, 15), `${date}: ${equity.get(date)} for ${worth}`)
  assert.equal(equity.get('2026-11-09'), Math.round(Number((await account()).equity) * 100) / 100)
  assert.equal(days[0], '2026-11-02', 'the account did not exist before')
  assert.equal(body.base_value_asof, undefined)
  assert.equal(body.base_value, 100_000)
})

test('gains count from the previous close', async () => {
  const { body } = await get('?start=2026-11-04&timeframe=1D')
  assert.equal(body.base_value_asof, '2026-11-03')
  assert.ok(near(body.base_value, closing.get('2026-11-03')!, 15))
  for (const [row, worth] of body.equity.entries()) {
    assert.ok(near(body.profit_loss[row], worth - body.base_value, 0.011))
    assert.ok(near(body.profit_loss_pct[row], worth / body.base_value - 1, 1e-6))
  }
})

test('a day has the same equity in every period, also in concurrent requests', async () => {
  const days = (body: { timestamp: number[]; equity: number[] }) =>
    new Map(body.timestamp.map((second, row) => [second, body.equity[row]]))
  const queries = ['?period=60A', '?period=2W&timeframe=1D', '?period=1D&timeframe=1D']
  const [long, weeks, day] = await Promise.all(queries.map(async (query) => days((await get(query)).body)))
  assert.equal(long!.size, 6)
  for (const [second, worth] of [...weeks!, ...day!]) assert.equal(long!.get(second), worth)
  for (const [date, worth] of closing) {
    const equity = weeks!.get(seconds(`${date}T20:00:00-05:00`))!
    assert.ok(near(equity, worth, 15), `${date}: ${equity} for ${worth}`)
  }
})

test('minutes equal a calculation from bars and fills', async () => {
  const { body } = await get('?start=2026-11-02T14:30:00Z&end=2026-11-02T21:00:00Z&timeframe=1Min')
  assert.equal(body.timestamp.length, 360)
  const fills = (await call(server, 'GET /v2/account/activities/FILL?direction=asc', { key: server.key }))
    .body
  const fees = (await call(server, 'GET /v2/account/activities/FEE?date=2026-11-02', { key: server.key }))
    .body
  const close = Date.parse('2026-11-02T21:00:00Z')
  const bars = await Promise.all(['AAPL', 'MSFT'].map((symbol) => barsOf(symbol)))
  for (const [row, second] of body.timestamp.entries()) {
    const end = (second + 60) * 1000
    let worth = 100_000
    // The close posts the fees of the day, which count in its last minute.
    if (end === close) for (const { net_amount: fee } of fees) worth += Number(fee)
    for (const [index, symbol] of ['AAPL', 'MSFT'].entries()) {
      let held = 0
      for (const { symbol: of, side, qty, price, transaction_time: at } of fills) {
        if (of !== symbol || Date.parse(at) >= end) continue
        const sign = side === 'buy' ? 1 : -1
        held += sign * Number(qty)
        worth -= (sign * Math.round(Number(qty) * Number(price) * 100)) / 100
      }
      const bar = bars[index]!.findLast(({ t }) => Date.parse(t) < end)
      worth += held * (bar?.c ?? 0)
    }
    assert.ok(
      near(body.equity[row], worth, 0.011),
      `${new Date(second * 1000).toISOString()}: ${body.equity[row]} for ${worth}`,
    )
  }
})

async function barsOf(symbol: string): Promise<readonly { t: string; c: number }[]> {
  const query = 'timeframe=1Min&start=2026-11-01&end=2026-11-02T21:00:00Z&limit=10000'
  const { body } = await call(server, `GET /v2/stocks/${symbol}/bars?${query}`, { key: server.key })
  return body.bars
}

for (const [query, timeframe, points] of [
  ['', '1D', undefined],
  ['?period=1D', '1Min', 151],
  ['?period=1D&timeframe=5Min', '5Min', 31],
  ['?period=1D&timeframe=15Min', '15Min', 11],
  ['?period=1D&timeframe=1H', '1H', 3],
  ['?period=1D&timeframe=1H&intraday_reporting=extended_hours', '1H', 9],
  ['?period=1D&timeframe=1H&extended_hours=true', '1H', 9],
  ['?period=1D&timeframe=1H&intraday_reporting=continuous', '1H', 25],
  ['?period=1W', '15Min', undefined],
  ['?period=3D&timeframe=15Min', '15Min', 63],
  ['?period=1M', '1D', undefined],
  ['?period=1A&timeframe=1D', '1D', undefined],
  ['?date_end=2026-11-06&period=1D&timeframe=1H', '1H', 7],
  ['?date_start=2026-11-05&date_end=2026-11-06&timeframe=1H', '1H', 14],
  ['?end=2026-11-06T18:00:00Z&period=1D&timeframe=1H', '1H', 4],
  ['?start=2026-11-05T14:30:00Z&period=1D&timeframe=1H', '1H', 7],
  ['?start=2026-11-07T00:00:00Z&end=2026-11-08T00:00:00Z&timeframe=1H', '1H', 0],
  ['?period=1M&timeframe=15Min', '15Min', undefined],
] as const)
  test(`${query || 'no query'}: ${timeframe}${points === undefined ? '' : `, ${points} points`}`, async () => {
    const { status, body } = await get(query)
    assert.equal(status, 200, body.message)
    assert.equal(body.timeframe, timeframe)
    if (points !== undefined) assert.equal(body.timestamp.length, points)
    const { timestamp, equity, profit_loss, profit_loss_pct } = body
    for (const list of [equity, profit_loss, profit_loss_pct]) assert.equal(list.length, timestamp.length)
    assert.deepEqual(
      timestamp,
      timestamp.toSorted((a: number, b: number) => a - b),
    )
    assert.ok(timestamp.length > 0 || points === 0)
  })

test('gains of intraday frames restart each day, unless pnl_reset=no_reset', async () => {
  const query = '?period=3D&timeframe=1H'
  const [reset, all] = [(await get(query)).body, (await get(`${query}&pnl_reset=no_reset`)).body]
  assert.deepEqual(reset.equity, all.equity)
  assert.equal(reset.base_value_asof, '2026-11-04')
  assert.equal(all.base_value, reset.base_value)
  const base = new Map([
    ['05', '04'],
    ['06', '05'],
    ['09', '06'],
  ])
  for (const [row, worth] of reset.equity.entries()) {
    const day = new Date(reset.timestamp[row] * 1000).toISOString().slice(8, 10)
    const before = closing.get(`2026-11-${base.get(day)}`)!
    assert.ok(near(reset.profit_loss[row], worth - before, 15))
    assert.ok(near(all.profit_loss[row], worth - all.base_value, 0.011))
  }
})

test('continuous reporting has the prices of coins on Sunday', async () => {
  const { body } = await get(
    '?start=2026-11-08T00:00:00Z&end=2026-11-08T12:00:00Z&timeframe=15Min&intraday_reporting=continuous',
  )
  assert.equal(body.timestamp.length, 49)
  assert.ok(new Set(body.equity).size > 20, 'the price of a coin moves')
  assert.equal(body.base_value_asof, '2026-11-06')
})

test('cashflow has the flows by activity type', async () => {
  const { body } = await get('?period=2W&timeframe=1D&cashflow_types=ALL')
  const opened = body.timestamp.indexOf(seconds('2026-11-03T01:00:00Z'))
  assert.equal(body.cashflow.JNLC[opened], 100_000)
  assert.equal(
    body.cashflow.JNLC.reduce((sum: number, one: number) => sum + one, 0),
    100_000,
  )
  assert.equal(body.cashflow.FILL, undefined)
  assert.ok(body.cashflow.FEE.some((one: number) => one < 0))
  const named = (await get('?period=2W&timeframe=1D&cashflow_types=DIV,JNLC')).body.cashflow
  assert.deepEqual(Object.keys(named), ['DIV', 'JNLC'])
  assert.ok(named.DIV.every((one: number) => one === 0))
  const families = (await get('?period=2W&timeframe=1D&cashflow_types=JNL,TRANS,JNLC')).body.cashflow
  const { JNLC } = body.cashflow
  assert.deepEqual(families, { JNL: JNLC, TRANS: JNLC.map(() => 0), JNLC }, 'under the requested type')
  assert.equal((await get('?cashflow_types=NONE')).body.cashflow, undefined)
})

test('another account has its own history', async () => {
  const { body } = await get('?period=1W&timeframe=1D', server.otherKey)
  assert.deepEqual([...new Set(body.equity)], [100_000])
  assert.deepEqual([...new Set(body.profit_loss)], [0])
})

for (const [title, query] of [
  ['three of start, end and period', '?start=2026-11-02&end=2026-11-03&period=1D'],
  ['three with date_end', '?start=2026-11-02&date_end=2026-11-03&period=1D'],
  ['three with date_start', '?date_start=2026-11-02&date_end=2026-11-03&period=1D'],
  ['a start after the end', '?start=2026-11-05&end=2026-11-03'],
  ['an unknown period', '?period=1Y'],
  ['a period of zero days', '?period=0D'],
  ['an unknown timeframe', '?timeframe=2Min'],
  ['minutes of more than thirty days', '?period=2M&timeframe=1Min'],
  ['hours of more than thirty days', '?start=2026-09-01&timeframe=1H'],
  ['an unknown reporting', '?intraday_reporting=night'],
  ['an unknown reset', '?pnl_reset=weekly'],
  ['an unknown type', '?cashflow_types=WHAT'],
] as const)
  test(`${title} is refused: ${query}`, async () => {
    const { status, body } = await get(query)
    assert.deepEqual([status, body.code], [422, 40010001], JSON.stringify(body))
  })

test('the longest period works', async () => {
  const { status, body } = await get('?period=9999A')
  assert.equal(status, 200)
  assert.equal(body.timestamp.length, 6)
})
