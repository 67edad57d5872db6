import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, callAsOperator } from '../support/broker.ts'
import { broker, get, newWorld, openStream, placeOrder, type World } from './stage.ts'

/** Worlds begin on Monday, 5 January 2026, at 10:00 in New York. */
const at = (minute: number): string => `2026-01-05T15:${String(minute).padStart(2, '0')}:00Z`

async function listen(world: World, lists: object) {
  const client = await openStream('/v2/sip')
  await client.next()
  await client.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await client.request({ action: 'subscribe', ...lists })
  return client
}

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
