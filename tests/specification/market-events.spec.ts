import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, callAsOperator } from '../broker.ts'
import { assertRefused, broker, get, openStream, placed, world } from './stage.ts'

/** Worlds begin on Monday, 5 January 2026, at 10:00 in New York. */
const at = (minute: number, second = 0): string =>
  `2026-01-05T15:${String(minute).padStart(2, '0')}:${String(second).padStart(2, '0')}Z`
const create = (name: string, body: object) =>
  callAsOperator(broker, 'POST', `/sim/v1/worlds/${name}/market-events`, body)

type Own = Awaited<ReturnType<typeof world>>

async function listen(own: Own, lists: object) {
  const client = await openStream('/v2/sip')
  await client.next()
  await client.request({ action: 'auth', key: own.keyId, secret: own.secretKey })
  await client.request({ action: 'subscribe', ...lists })
  return client
}

const minutes = async (own: Own, symbol: string, from: number, to: number): Promise<Body[]> =>
  (await get(own, `/v2/stocks/${symbol}/bars?timeframe=1Min&start=${at(from)}&end=${at(to)}`)).body.bars

test('a halt: trading stops and goes on, both are told, and an order waits', async () => {
  const halt = { kind: 'halt', symbol: 'AAPL', from: at(5), to: at(10), reason: 'news_pending' }
  const own = await world({ market_events: [halt] })
  assert.deepEqual(own.created.market_events, [halt])
  const client = await listen(own, { statuses: ['*'], trades: ['AAPL'] })
  await own.advance('6m')
  const order = await placed(own, {
    symbol: 'AAPL',
    qty: '1',
    side: 'buy',
    type: 'market',
    time_in_force: 'day',
  })
  await own.advance('2m')
  assert.equal((await get(own, `/v2/orders/${order.id}`)).body.filled_qty, '0')
  await own.advance('10m')
  assert.equal((await get(own, `/v2/orders/${order.id}`)).body.status, 'filled')
  const heard = (await client.rest()).flat()
  const statuses = heard.filter(({ T }: Body) => T === 's')
  assert.deepEqual(
    statuses.map(({ S, sc, t }: Body) => [S, sc, t.slice(0, 16)]),
    [
      ['AAPL', 'H', '2026-01-05T15:05'],
      ['AAPL', 'T', '2026-01-05T15:10'],
    ],
  )
  const trades = heard.filter(({ T }: Body) => T === 't').map(({ t }: Body) => `${t.slice(0, 16)}:00Z`)
  assert.ok(trades.some((t: string) => t < at(5)) && trades.some((t: string) => t >= at(10)))
  assert.ok(!trades.some((t: string) => t >= at(5) && t < at(10)))
  assert.deepEqual(await minutes(own, 'AAPL', 5, 9), [])
  await client.close()
})

test('a crash: the price falls by so much and comes back', async () => {
  const own = await world({
    market_events: [{ kind: 'crash', symbol: 'MSFT', at: at(5), depth: '0.2', minutes: 10 }],
  })
  const calm = await world({})
  await own.advance('30m')
  await calm.advance('30m')
  const low = async (who: Own) => Math.min(...(await minutes(who, 'MSFT', 5, 20)).map(({ l }) => l))
  const ratio = (await low(own)) / (await low(calm))
  assert.ok(ratio > 0.75 && ratio < 0.86, `${ratio}`)
  assert.deepEqual(
    await minutes(own, 'MSFT', 0, 4),
    await minutes(calm, 'MSFT', 0, 4),
    'what lies before is the same',
  )
  assert.deepEqual(await minutes(own, 'AAPL', 0, 20), await minutes(calm, 'AAPL', 0, 20), 'and so are others')
})

test('late trades revise a minute, which is told; from then on history has what was told last', async () => {
  const own = await world({ market_events: [{ kind: 'late', symbol: 'AAPL', share: '0.1' }] })
  const client = await listen(own, { bars: ['AAPL'], updatedBars: ['AAPL'] })
  await own.advance('20m')
  const heard = (await client.rest()).flat()
  assert.ok(heard.some(({ T }: Body) => T === 'u'))
  const last = new Map<string, Body>()
  for (const { T: _, S: __, ...bar } of heard) last.set(bar.t, bar)
  const settled = [...last.values()].filter(({ t }) => t >= at(0) && t < at(18))
  assert.deepEqual(
    settled.sort((a, b) => (a.t < b.t ? -1 : 1)),
    await minutes(own, 'AAPL', 0, 17),
  )
  await client.close()
})

test('mistakes are corrected or taken back, which those who have the trades are told', async () => {
  const own = await world({ market_events: [{ kind: 'mistakes', symbol: 'AAPL', share: '0.05' }] })
  const client = await listen(own, { trades: ['AAPL'] })
  await own.advance('10m')
  const letters = new Set((await client.rest()).flat().map(({ T }: Body) => T))
  assert.deepEqual([...letters].sort(), ['c', 't', 'x'])
  await client.close()
})

test('market events can be added while a world runs; what lies before stays as it was told', async () => {
  const own = await world()
  await own.advance('5m')
  const before = await minutes(own, 'AAPL', 0, 4)
  const { status, body } = await create(own.world, { kind: 'pause', symbol: 'AAPL', at: at(8) })
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual(body, { kind: 'pause', symbol: 'AAPL', at: at(8), minutes: 5, limit: 'down', percent: 5 })
  const client = await listen(own, { lulds: ['AAPL'], statuses: ['AAPL'] })
  await own.advance('15m')
  const letters = (await client.rest()).flat().map(({ T }: Body) => T)
  assert.ok(letters.includes('l') && letters.includes('s'), `${letters}`)
  assert.deepEqual(await minutes(own, 'AAPL', 0, 4), before)
  const { body: list } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${own.world}/market-events`)
  assert.deepEqual(list, [body])
  await client.close()
})

const refused: readonly (readonly [body: object, code: number, message: RegExp])[] = [
  [{}, 40010001, /kind/],
  [{ kind: 'rain' }, 40010001, /kind/],
  [{ kind: 'halt', symbol: 'AAPL', from: at(5) }, 40010001, /to: required for kind halt/],
  [{ kind: 'halt', symbol: 'AAPL', from: at(9), to: at(8) }, 42210001, /to: must be after from/],
  [{ kind: 'crash', at: at(5), depth: '0.95' }, 42210001, /depth: must be from 0.01 to 0.9/],
  [
    { kind: 'crash', at: '2026-01-10T15:00:00Z', depth: '0.5' },
    42210001,
    /at: must lie in a regular session/,
  ],
  [{ kind: 'gap', on: '2026-01-10', percent: '5' }, 42210001, /on: must be a trading day/],
  [{ kind: 'late', share: '2' }, 42210001, /share/],
  [{ kind: 'thin', times: '5', from: at(0) }, 42210000, /it would begin at/],
]
for (const [body, code, message] of refused)
  test(`${JSON.stringify(body)} is refused, and nothing changes`, async () => {
    const own = await world()
    assertRefused(await create(own.world, body), 422, code, message)
    assert.deepEqual(
      (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${own.world}/market-events`)).body,
      [],
    )
  })
