import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, callAsOperator } from '../support/broker.ts'
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
