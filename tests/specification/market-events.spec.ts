import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, callAsOperator } from '../broker.ts'
import { assertRefused, broker, get, newWorld, openStream, placeOrder, type World } from './stage.ts'

/** Worlds begin on Monday, 5 January 2026, at 10:00 in New York. */
const at = (minute: number, second = 0): string =>
  `2026-01-05T15:${String(minute).padStart(2, '0')}:${String(second).padStart(2, '0')}Z`
const create = (name: string, body: object) =>
  callAsOperator(broker, 'POST', `/sim/v1/worlds/${name}/market-events`, body)

const list = async (world: World): Promise<Body[]> =>
  (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/market-events`)).body
const remove = (world: World, id: string) =>
  callAsOperator(broker, 'DELETE', `/sim/v1/worlds/${world.world}/market-events/${id}`)

async function listen(world: World, lists: object) {
  const client = await openStream('/v2/sip')
  await client.next()
  await client.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await client.request({ action: 'subscribe', ...lists })
  return client
}

const minutes = async (world: World, symbol: string, from: number, to: number): Promise<Body[]> =>
  (await get(world, `/v2/stocks/${symbol}/bars?timeframe=1Min&start=${at(from)}&end=${at(to)}`)).body.bars

test('a halt stops and resumes trading, sends both statuses, and delays an order', async () => {
  const halt = { kind: 'halt', symbol: 'AAPL', from: at(5), to: at(10), reason: 'news_pending' }
  const world = await newWorld({ market_events: [halt] })
  assert.deepEqual(world.created.market_events, [{ id: '1', status: 'pending', ...halt }])
  const client = await listen(world, { statuses: ['*'], trades: ['AAPL'] })
  await world.advance('6m')
  const order = await placeOrder(world, {
    symbol: 'AAPL',
    qty: '1',
    side: 'buy',
    type: 'market',
    time_in_force: 'day',
  })
  await world.advance('2m')
  assert.equal((await get(world, `/v2/orders/${order.id}`)).body.filled_qty, '0')
  await world.advance('10m')
  assert.equal((await get(world, `/v2/orders/${order.id}`)).body.status, 'filled')
  const received = (await client.rest()).flat()
  const statuses = received.filter(({ T }: Body) => T === 's')
  assert.deepEqual(
    statuses.map(({ S, sc, t }: Body) => [S, sc, t.slice(0, 16)]),
    [
      ['AAPL', 'H', '2026-01-05T15:05'],
      ['AAPL', 'T', '2026-01-05T15:10'],
    ],
  )
  const trades = received.filter(({ T }: Body) => T === 't').map(({ t }: Body) => `${t.slice(0, 16)}:00Z`)
  assert.ok(trades.some((t: string) => t < at(5)) && trades.some((t: string) => t >= at(10)))
  assert.ok(!trades.some((t: string) => t >= at(5) && t < at(10)))
  assert.deepEqual(await minutes(world, 'AAPL', 5, 9), [])
  await client.close()
})

test('a crash: the price falls by the depth and recovers', async () => {
  const world = await newWorld({
    market_events: [{ kind: 'crash', symbol: 'MSFT', at: at(5), depth: '0.2', minutes: 10 }],
  })
  const unchanged = await newWorld({})
  await world.advance('30m')
  await unchanged.advance('30m')
  const low = async (world: World) => Math.min(...(await minutes(world, 'MSFT', 5, 20)).map(({ l }) => l))
  const ratio = (await low(world)) / (await low(unchanged))
  assert.ok(ratio > 0.75 && ratio < 0.86, `${ratio}`)
  assert.deepEqual(
    await minutes(world, 'MSFT', 0, 4),
    await minutes(unchanged, 'MSFT', 0, 4),
    'earlier prices are unchanged',
  )
  assert.deepEqual(
    await minutes(world, 'AAPL', 0, 20),
    await minutes(unchanged, 'AAPL', 0, 20),
    'other symbols are unchanged',
  )
})

test('late trades revise a minute bar; the update is sent, and the history has the revised bar', async () => {
  const world = await newWorld({ market_events: [{ kind: 'late', symbol: 'AAPL', share: '0.1' }] })
  const client = await listen(world, { bars: ['AAPL'], updatedBars: ['AAPL'] })
  await world.advance('20m')
  const received = (await client.rest()).flat()
  assert.ok(received.some(({ T }: Body) => T === 'u'))
  const last = new Map<string, Body>()
  for (const { T: _, S: __, ...bar } of received) last.set(bar.t, bar)
  const settled = [...last.values()].filter(({ t }) => t >= at(0) && t < at(18))
  assert.deepEqual(
    settled.sort((a, b) => (a.t < b.t ? -1 : 1)),
    await minutes(world, 'AAPL', 0, 17),
  )
  await client.close()
})

test('wrong trades are corrected or canceled, and subscribers of trades receive both', async () => {
  const world = await newWorld({ market_events: [{ kind: 'mistakes', symbol: 'AAPL', share: '0.05' }] })
  const client = await listen(world, { trades: ['AAPL'] })
  await world.advance('10m')
  const letters = new Set((await client.rest()).flat().map(({ T }: Body) => T))
  assert.deepEqual([...letters].sort(), ['c', 't', 'x'])
  await client.close()
})

test('a market event can be added to a running world and does not change earlier prices', async () => {
  const world = await newWorld()
  await world.advance('5m')
  const before = await minutes(world, 'AAPL', 0, 4)
  const { status, body } = await create(world.world, { kind: 'pause', symbol: 'AAPL', at: at(8) })
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual(body, {
    id: '1',
    status: 'pending',
    kind: 'pause',
    symbol: 'AAPL',
    at: at(8),
    minutes: 5,
    limit: 'down',
    percent: 5,
  })
  const client = await listen(world, { lulds: ['AAPL'], statuses: ['AAPL'] })
  await world.advance('15m')
  const letters = (await client.rest()).flat().map(({ T }: Body) => T)
  assert.ok(letters.includes('l') && letters.includes('s'), `${letters}`)
  assert.deepEqual(await minutes(world, 'AAPL', 0, 4), before)
  assert.deepEqual(await list(world), [{ ...body, status: 'done' }])
  await client.close()
})

test('a market event is removed until a minute before it begins; the market is then as without it', async () => {
  const crash = { kind: 'crash', symbol: 'MSFT', depth: '0.2', minutes: 10 }
  const world = await newWorld({ market_events: [{ ...crash, at: at(5) }] })
  const unchanged = await newWorld({})
  await create(world.world, { ...crash, at: at(20) })
  assert.equal((await remove(world, '1')).status, 204)
  assertRefused(await remove(world, '1'), 404, 40410000, 'no market event 1')
  for (const id of ['0', '3', 'x', '1.0']) assertRefused(await remove(world, id), 404, 40410000)
  const { body: details } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}`)
  assert.deepEqual(details.market_events, await list(world))
  assert.deepEqual(
    details.market_events.map(({ id }: Body) => id),
    ['2'],
  )
  await world.advance('19m30s')
  await unchanged.advance('19m30s')
  assert.deepEqual(await minutes(world, 'MSFT', 0, 18), await minutes(unchanged, 'MSFT', 0, 18))
  assertRefused(await remove(world, '2'), 409, 40910000, /market event 2 begins at 2026-01-05T15:20:00Z/)
  const statuses: string[] = []
  for (const by of ['29s', '1s', '9m59s', '1s']) {
    await world.advance(by)
    statuses.push((await list(world))[0].status)
  }
  assert.deepEqual(statuses, ['pending', 'active', 'active', 'done'])
  assertRefused(await remove(world, '2'), 409, 40910000)
})

for (const [what, event, filled] of [
  ['a halt', { kind: 'halt', symbol: 'AAPL', from: '2026-01-05T20:50:00Z', to: '2026-01-05T21:30:00Z' }, '0'],
  ['a pause', { kind: 'pause', symbol: 'AAPL', at: '2026-01-05T20:50:00Z', minutes: 20 }, '1'],
  [
    'a halt until the close',
    { kind: 'halt', symbol: 'AAPL', from: '2026-01-05T20:50:00Z', to: '2026-01-05T21:00:00Z' },
    '1',
  ],
] as const)
  test(`the close in ${what}: a closing order fills ${filled}`, async () => {
    const world = await newWorld({ market_events: [event] })
    const order = await placeOrder(world, {
      symbol: 'AAPL',
      qty: '1',
      side: 'buy',
      type: 'market',
      time_in_force: 'cls',
    })
    await world.advance('7h')
    const { body: ended } = await get(world, `/v2/orders/${order.id}`)
    assert.equal(ended.filled_qty, filled)
    const closing = async (of: World): Promise<Body[]> =>
      (await get(of, '/v2/stocks/AAPL/auctions?start=2026-01-05')).body.auctions[0].c
    const prints = await closing(world)
    if (filled === '0') assert.deepEqual([ended.status, prints], ['expired', []])
    else {
      // The auction is the one without the stop: its price, and its volume.
      const calm = await newWorld()
      await calm.advance('7h')
      assert.deepEqual(prints, await closing(calm))
      assert.deepEqual([String(prints[0].p), prints[0].t], [ended.filled_avg_price, '2026-01-05T21:00:00Z'])
      assert.ok(prints[0].s > 1000, `${prints[0].s}`)
    }
  })

test('a pause that reaches the close lasts until the close, and only the auction trades in it', async () => {
  const from = '2026-01-05T20:50:00Z'
  const world = await newWorld({ market_events: [{ kind: 'pause', symbol: 'AAPL', at: from, minutes: 20 }] })
  await world.advance('5h55m')
  const inPause = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'limit', time_in_force: 'day' }
  const order = await placeOrder(world, { ...inPause, limit_price: '900' })
  await world.advance('1h5m')
  assert.equal((await get(world, `/v2/orders/${order.id}`)).body.filled_qty, '0')
  const { halts } = (await get(world, '/v2/stocks/halts?symbols=AAPL')).body
  const reason = 'volatility'
  const ended = { kind: 'pause', status: 'ended', from, to: '2026-01-05T21:00:00Z', reason }
  assert.deepEqual(halts, { AAPL: [ended] })
  const tradesOf = async (start: string, end: string): Promise<Body[]> =>
    (await get(world, `/v2/stocks/AAPL/trades?start=${start}&end=${end}&limit=1000`)).body.trades
  const trades = await tradesOf(from, '2026-01-05T20:59:59.999999Z')
  const auctions = (await get(world, '/v2/stocks/AAPL/auctions?start=2026-01-05')).body.auctions
  assert.deepEqual(
    trades.map(({ p, s }) => [p, s]),
    [[auctions[0].c[0].p, auctions[0].c[0].s]],
  )
  const quotes = (await get(world, `/v2/stocks/AAPL/quotes?start=${from}&end=2026-01-05T20:59:59.999999Z`))
    .body
  assert.deepEqual(quotes.quotes, [])
  assert.ok((await tradesOf('2026-01-05T21:00:00Z', '2026-01-05T21:05:00Z')).length > 0)
  const days = '/v2/stocks/AAPL/bars?timeframe=1Day&start=2026-01-05&end=2026-01-05'
  assert.equal((await get(world, days)).body.bars[0].c, auctions[0].c[0].p)
})

for (const [what, event] of [
  ['a halt', { kind: 'halt', symbol: 'AAPL', from: '2026-01-06T14:20:00Z', to: '2026-01-06T14:30:20Z' }],
  ['a long halt', { kind: 'halt', symbol: 'AAPL', from: '2026-01-06T14:20:00Z', to: '2026-01-06T14:45:00Z' }],
  ['a pause', { kind: 'pause', symbol: 'AAPL', at: '2026-01-06T14:29:00Z', minutes: 5 }],
  ['a halt until the open', { kind: 'halt', symbol: 'AAPL', from: at(50), to: '2026-01-06T14:30:00Z' }],
] as const)
  test(`the open in ${what}: an opening order and the opening print agree`, async () => {
    const world = await newWorld({ market_events: [event] })
    await world.advance('20h')
    const buy = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'opg' }
    const order = await placeOrder(world, buy)
    await world.advance('5h')
    const { body: ended } = await get(world, `/v2/orders/${order.id}`)
    const [day] = (await get(world, '/v2/stocks/AAPL/auctions?start=2026-01-06')).body.auctions
    const official = day.o.filter(({ c }: Body) => c === 'Q').map(({ p }: Body) => String(p))
    const isHeld = what === 'a halt until the open'
    assert.deepEqual([ended.status, official.length], isHeld ? ['filled', 1] : ['expired', 0])
    if (isHeld) assert.equal(official[0], ended.filled_avg_price)
  })

test('a halt holds after the symbol has another name, and its statuses have that name', async () => {
  const day = '2026-01-07'
  const halt = { kind: 'halt', symbol: 'KO', from: `${day}T20:50:00Z`, to: `${day}T21:20:00Z` }
  const world = await newWorld({ hours: 'nyse', market_events: [halt] })
  await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/corporate-actions`, {
    type: 'name_change',
    symbol: 'KO',
    new_symbol: 'KOX',
    ex_date: '2026-01-06',
  })
  const to = (time: string) =>
    callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/clock/advance`, { to: `${day}T${time}Z` })
  await to('15:00:00')
  const order = { symbol: 'KOX', qty: '1', side: 'buy', type: 'market' }
  const atClose = await placeOrder(world, { ...order, time_in_force: 'cls' })
  const client = await listen(world, { statuses: ['*'] })
  await to('20:55:00')
  const inHalt = await placeOrder(world, { ...order, time_in_force: 'day' })
  await to('20:56:00')
  assert.equal((await get(world, `/v2/orders/${inHalt.id}`)).body.filled_qty, '0')
  await to('21:30:00')
  assert.equal((await get(world, `/v2/orders/${atClose.id}`)).body.status, 'expired')
  assert.deepEqual((await get(world, `/v2/stocks/KOX/auctions?start=${day}`)).body.auctions[0].c, [])
  const statuses = (await client.rest()).flat().map(({ S, sc, t }: Body) => [S, sc, t.slice(11, 16)])
  assert.deepEqual(statuses, [
    ['KOX', '2', '20:50'],
    ['KOX', '3', '21:20'],
  ])
  const { halts } = (await get(world, '/v2/stocks/halts?symbols=KO,KOX')).body
  assert.deepEqual(
    Object.entries<Body[]>(halts).map(([symbol, list]) => [symbol, list.length]),
    [
      ['KO', 1],
      ['KOX', 1],
    ],
  )
  await client.close()
})

test('an account reads the current and past halts of symbols, and none of the future', async () => {
  const halt = (symbol: string, from: number, to: number) => ({
    kind: 'halt',
    symbol,
    from: at(from),
    to: at(to),
    reason: 'operational',
  })
  const pause = { kind: 'pause', symbol: 'AAPL', at: at(30), minutes: 5 }
  const world = await newWorld({
    market_events: [pause, halt('AAPL', 5, 10), halt('BTC/USD', 5, 10), halt('AAPL', 50, 55)],
  })
  const halts = async (query: string) => (await get(world, `/v2/stocks/halts?symbols=${query}`)).body.halts
  assert.deepEqual(await halts('AAPL,MSFT'), {})
  await world.advance('6m')
  const first = { kind: 'halt', from: at(5), reason: 'operational' }
  assert.deepEqual(await halts('AAPL,MSFT,BTC/USD'), {
    AAPL: [{ ...first, status: 'active', to: null }],
    'BTC/USD': [{ ...first, status: 'active', to: null }],
  })
  await world.advance('24m30s')
  const paused = { kind: 'pause', status: 'active', from: at(30), to: null, reason: 'volatility' }
  const ended = { ...first, status: 'ended', to: at(10) }
  assert.deepEqual(await halts('AAPL'), { AAPL: [paused, ended] })
  assert.deepEqual(await halts('AAPL&limit=1'), { AAPL: [paused] })
  assert.deepEqual(await halts(`AAPL&end=${at(29)}`), { AAPL: [ended] })
  assert.deepEqual(await halts(`AAPL&start=${at(10)}`), { AAPL: [paused] })
  for (const query of ['', 'symbols=AAPL&start=x', `symbols=AAPL&start=${at(9)}&end=${at(8)}`])
    assert.equal((await get(world, `/v2/stocks/halts?${query}`)).status, 400)
})

test('a removal is an event: forks and resets know it', async () => {
  const halt = { kind: 'halt', symbol: 'AAPL', from: at(5), to: at(10) }
  const world = await newWorld({ market_events: [halt] })
  await remove(world, '1')
  const { body: fork } = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/fork`, {})
  assert.deepEqual(fork.market_events, [])
  const { body: reset } = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/reset`)
  assert.equal(reset.market_events.length, 1)
})

const refused: readonly (readonly [body: object, code: number, message: RegExp])[] = [
  [{}, 40010001, /kind/],
  [{ kind: 'rain' }, 40010001, /kind/],
  [{ kind: 'halt', symbol: 'AAPL', from: at(5) }, 40010001, /to: required for kind halt/],
  [{ kind: 'halt', symbol: 'AAPL', from: at(9), to: at(8) }, 42210001, /to: must be after from/],
  [{ kind: 'crash', at: at(5), depth: '0.95' }, 42210001, /depth: must be from 0.01 to 0.9/],
  [{ kind: 'crash', at: '2026-01-10T15:00:00Z', depth: '0.5' }, 42210001, /at: must be in a regular session/],
  [{ kind: 'gap', on: '2026-01-10', percent: '5' }, 42210001, /on: must be a trading day/],
  [{ kind: 'late', share: '2' }, 42210001, /share/],
  [{ kind: 'thin', times: '5', from: at(0) }, 42210000, /would start at/],
]
for (const [body, code, message] of refused)
  test(`${JSON.stringify(body)} is refused, and nothing changes`, async () => {
    const world = await newWorld()
    assertRefused(await create(world.world, body), 422, code, message)
    assert.deepEqual(
      (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/market-events`)).body,
      [],
    )
  })
