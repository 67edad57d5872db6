import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Body, call, callAsOperator } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { assertRefused, broker, type Caller, get, newWorld, type World } from './stage.ts'

/** Monday 2 November 2026, 10:00 in New York, with NYSE hours. */
let world: World
before(async () => {
  world = await newWorld({ start: '2026-11-02T15:00:00Z', hours: 'nyse' })
})

type Day = Record<'date' | 'open' | 'close' | 'session_open' | 'session_close' | 'settlement_date', string>

const days: readonly [query: string, expected: string[]][] = [
  [
    'start=2025-01-02&end=2025-01-03',
    ['2025-01-02 09:30 16:00 0400 2000 2025-01-03', '2025-01-03 09:30 16:00 0400 2000 2025-01-06'],
  ],
  // A short day, after a holiday and before a weekend.
  [
    'start=2026-11-26&end=2026-11-30',
    ['2026-11-27 09:30 13:00 0400 1700 2026-11-30', '2026-11-30 09:30 16:00 0400 2000 2026-12-01'],
  ],
  ['start=2026-11-28&end=2026-11-29', []],
  // Date formats of the SDKs.
  [
    'start=2026-11-27T00:00:00.000Z&end=2026-11-27T00:00:00.000Z',
    ['2026-11-27 09:30 13:00 0400 1700 2026-11-30'],
  ],
  ['start=2026-11-27T00:00:00+00:00&end=2026-11-27', ['2026-11-27 09:30 13:00 0400 1700 2026-11-30']],
  ['start=2026-11-27T23:30:00-05:00&end=2026-11-27', ['2026-11-27 09:30 13:00 0400 1700 2026-11-30']],
  // Selected by settlement date.
  ['start=2026-11-30&end=2026-11-30&date_type=SETTLEMENT', ['2026-11-27 09:30 13:00 0400 1700 2026-11-30']],
  ['start=2026-11-27&end=2026-11-27&date_type=SETTLEMENT', ['2026-11-25 09:30 16:00 0400 2000 2026-11-27']],
  ['start=2026-11-28&end=2026-11-29&date_type=SETTLEMENT', []],
  ['start=2001-09-17&end=2001-09-17&date_type=SETTLEMENT', ['2001-09-10 09:30 16:00 0400 2000 2001-09-17']],
  // The ends of the calendar.
  ['end=1970-01-02', ['1970-01-02 09:30 16:00 0400 2000 1970-01-05']],
  ['start=1900-01-01&end=1970-01-01', []],
  ['start=2050-12-30', ['2050-12-30 09:30 16:00 0400 2000 2051-01-03']],
  ['start=2051-01-01', []],
  ['start=9999-12-31', []],
  ['end=1000-01-01', []],
]

for (const [query, expected] of days)
  test(`GET /v2/calendar?${query}: ${expected.length} days`, async () => {
    const { status, body } = await get(world, `/v2/calendar?${query.replace('+00:00', '%2B00:00')}`)
    assert.equal(status, 200)
    const lines = body.map((day: Day) =>
      [day.date, day.open, day.close, day.session_open, day.session_close, day.settlement_date].join(' '),
    )
    assert.deepEqual(lines, expected)
  })

test('without bounds the calendar has every trading day from 1970 to 2050', async () => {
  const { body } = await get(world, '/v2/calendar')
  assert.deepEqual([body.length, body[0].date, body.at(-1).date], [20_397, '1970-01-02', '2050-12-30'])
})

const refused: readonly [path: string, status: number, message: RegExp][] = [
  ['/v2/calendar?start=tomorrow', 422, /^start: expected a date/],
  ['/v2/calendar?end=2026-02-30', 422, /^end: expected a date/],
  ['/v2/calendar?start=2026-11-02&end=2026-11-01', 422, /^end should not be before start$/],
  ['/v2/calendar?date_type=OTHER', 422, /^date_type: expected one of TRADING, SETTLEMENT/],
  ['/v3/calendar/NOWHERE', 400, /^market: expected one of BMO, /],
  ['/v3/calendar/XETRA', 400, /^market XETRA has no calendar; supported: NYSE, XNYS/],
  ['/v3/calendar/SIFMA', 400, /^market SIFMA has no calendar/],
  ['/v3/calendar/NYSE?start=tomorrow', 400, /^start: expected a date/],
  ['/v3/calendar/NYSE?start=2026-11-02&end=2026-11-01', 400, /^end should not be before start$/],
  ['/v3/calendar/NYSE?timezone=Mars', 400, /^timezone: expected one of UTC/],
  ['/v3/clock?markets=NYSE,NOWHERE', 400, /^markets\[1\]: expected one of BMO/],
  ['/v3/clock?markets=LSE', 400, /^market LSE has no calendar/],
  ['/v3/clock?time=noon', 400, /^time: expected an RFC 3339 timestamp/],
  ['/v3/clock?time=1969-12-31T00:00:00Z', 400, /^time: expected an instant from 1970 to 2050$/],
  ['/v3/clock?time=2051-01-01T00:00:00Z', 400, /^time: expected an instant from 1970 to 2050$/],
]

for (const [path, status, message] of refused)
  test(`GET ${path}: ${status}`, async () => assertRefused(await get(world, path), status, 40010001, message))

test('the calendar of a market has the hours of every phase', async () => {
  const { body } = await get(world, '/v3/calendar/XNYS?start=2026-11-26&end=2026-11-27')
  assert.deepEqual(body, {
    market: {
      mic: 'XNYS',
      acronym: 'NYSE',
      name: 'New York Stock Exchange',
      timezone: 'America/New_York',
    },
    calendar: [
      {
        date: '2026-11-27',
        pre_start: '2026-11-27T04:00:00-05:00',
        pre_end: '2026-11-27T09:30:00-05:00',
        core_start: '2026-11-27T09:30:00-05:00',
        core_end: '2026-11-27T13:00:00-05:00',
        post_start: '2026-11-27T13:00:00-05:00',
        post_end: '2026-11-27T17:00:00-05:00',
        settlement_date: '2026-11-30',
      },
    ],
  })
})

test('the calendar of a market spans one week from today; timezone=UTC returns UTC times', async () => {
  const { body } = await get(world, '/v3/calendar/OPRA?timezone=UTC')
  assert.deepEqual(
    body.calendar.map(({ date }: Day) => date),
    ['2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05', '2026-11-06', '2026-11-09'],
  )
  assert.deepEqual(body.calendar[0], {
    date: '2026-11-02',
    core_start: '2026-11-02T14:30:00Z',
    core_end: '2026-11-02T21:00:00Z',
    settlement_date: '2026-11-03',
  })
})

test('the acronym and the MIC of a market return the same calendar', async () => {
  for (const [acronym, mic] of [
    ['NYSE', 'XNYS'],
    ['NASDAQ', 'XNAS'],
    ['IEX', 'IEXG'],
    ['OTC', 'OTCM'],
    ['BOATS', 'OCEA'],
  ] as const) {
    const { body } = await get(world, `/v3/calendar/${acronym}`)
    assert.deepEqual([body.market.acronym, body.market.mic], [acronym, mic])
    assert.deepEqual((await get(world, `/v3/calendar/${mic}`)).body, body)
  }
})

test('the clocks of markets report the phase at any time', async () => {
  const { body } = await get(world, '/v3/clock?markets=NASDAQ,OPRA,BOATS&time=2026-11-02T22:00:00Z')
  assert.deepEqual(
    body.clocks.map((clock: Record<string, unknown>) => [
      (clock['market'] as Record<string, string>)['acronym'],
      clock['timestamp'],
      clock['phase'],
      clock['phase_until'],
      clock['next_market_open'],
      clock['next_market_close'],
      clock['is_market_day'],
    ]),
    [
      [
        'NASDAQ',
        '2026-11-02T17:00:00-05:00',
        'post',
        '2026-11-02T20:00:00-05:00',
        '2026-11-03T09:30:00-05:00',
        '2026-11-03T16:00:00-05:00',
        true,
      ],
      [
        'OPRA',
        '2026-11-02T17:00:00-05:00',
        'closed',
        '2026-11-03T09:30:00-05:00',
        '2026-11-03T09:30:00-05:00',
        '2026-11-03T16:00:00-05:00',
        true,
      ],
      [
        'BOATS',
        '2026-11-02T17:00:00-05:00',
        'closed',
        '2026-11-02T20:00:00-05:00',
        '2026-11-02T20:00:00-05:00',
        '2026-11-03T04:00:00-05:00',
        true,
      ],
    ],
  )
})

test('without a market the clock is the current clock of the NYSE', async () => {
  const { body } = await get(world, '/v3/clock')
  const [clock] = body.clocks
  assert.equal(body.clocks.length, 1)
  assert.match(clock.timestamp, /^2026-11-02T10:00:00(\.\d+)?-05:00$/)
  assert.deepEqual([clock.market.mic, clock.phase], ['XNYS', 'core'])
})

test('a world with hours=always is open on a Sunday; next open and close follow New York', async () => {
  const sunday = await newWorld({ start: '2026-11-01T17:00:00Z', hours: 'always' })
  const { body: clock } = await get(sunday, '/v2/clock')
  assert.deepEqual(
    [clock.is_open, clock.next_open, clock.next_close],
    [true, '2026-11-03T09:30:00-05:00', '2026-11-02T16:00:00-05:00'],
  )
  const [nyse] = (await get(sunday, '/v3/clock?markets=NYSE')).body.clocks
  assert.deepEqual(
    [nyse.phase, nyse.phase_until, nyse.is_market_day, nyse.next_market_open],
    ['core', '2026-11-02T16:00:00-05:00', true, '2026-11-03T09:30:00-05:00'],
  )
  const { body } = await get(sunday, '/v2/calendar?start=2026-11-01&end=2026-11-01')
  assert.deepEqual(body, [])
})

const END = '2050-12-31T23:59:59Z'

const clock = (world: string, action: string, body: Body) =>
  callAsOperator(broker, 'POST', `/sim/v1/worlds/${world}/clock/${action}`, body)
const stateOf = async ({ world }: Pick<World, 'world'>): Promise<Body> =>
  (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}`)).body

async function assertUsable(world: Caller): Promise<void> {
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'gtc' }
  assert.equal((await call(world, 'POST', '/v2/orders', order)).status, 200)
  for (const path of [
    '/v2/account',
    '/v2/clock',
    '/v3/clock?markets=NYSE',
    '/v2/positions',
    '/v2/calendar?start=2050-12-01',
  ])
    assert.equal((await call(world, 'GET', path)).status, 200, path)
  assert.equal((await fetch(`${broker.url}/readyz`)).status, 200)
}

test('an advance beyond the end of the calendar is refused and changes nothing', async () => {
  const world = await newWorld({ start: '2045-01-03T15:00:00Z' })
  const before = await stateOf(world)
  for (const target of [{ to: '2054-12-01T00:00:00Z' }, { to: '2051-01-01T00:00:00Z' }, { by: '3650d' }]) {
    const { status, body } = await clock(world.world, 'advance', target)
    assert.deepEqual([status, body.reason], [422, 'clockEndReached'], JSON.stringify(target))
    assert.match(body.message, /2050-12-31T23:59:59Z/)
  }
  assert.deepEqual(await stateOf(world), before)
  await assertUsable(world)
})

test('at the end of the calendar a world can be used and forked, but its clock cannot advance', async () => {
  const world = await newWorld({ start: '2049-12-31T15:00:00Z' })
  await assertUsable(world)
  assert.equal((await clock(world.world, 'advance', { to: END })).status, 200)
  await assertUsable(world)
  for (const target of [{ by: '1s' }, { until: 'next_open' }, { until: 'next_close' }])
    assert.equal((await clock(world.world, 'advance', target)).status, 422, JSON.stringify(target))
  const run = await clock(world.world, 'run', { speed: '1' })
  assert.deepEqual([run.status, run.body.reason], [422, 'clockEndReached'])
  const forked = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/fork`, {})
  assert.equal(forked.status, 201)
  const [account] = forked.body.accounts
  await assertUsable({ url: broker.url, keyId: account.key_id, secretKey: account.secret_key })
  assert.equal((await clock(forked.body.world, 'advance', { by: '1s' })).status, 422)
  const audit = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/audit`)
  assert.equal(audit.body.sound, true)
})

test('a running clock stops at the end of the calendar', async () => {
  const world = await newWorld({ start: '2049-12-31T15:00:00Z' })
  await clock(world.world, 'advance', { to: '2050-12-31T20:00:00Z' })
  assert.equal((await clock(world.world, 'run', { speed: '100000' })).status, 200)
  await waitUntil('the clock has stopped', async () => (await stateOf(world)).frozen)
  assert.equal((await stateOf(world)).now, END)
  await assertUsable(world)
})
