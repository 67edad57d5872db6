import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { issueKey } from '@quipu/broker/access/issue-keys.ts'
import type { Instant } from '@quipu/core'
import { call, openTestServer } from '../testing/server.ts'
import { waitUntil } from '../testing/wait-until.ts'
import { readSse, type SseMessage } from './testing/reading.ts'

const server = await openTestServer()
after(() => server.close())
const { key, otherKey, operatorKey, partnerKey, accountId, clock } = server
const path = `/sim/v1/worlds/lab/accounts/${accountId}/snapshot`
// biome-ignore lint/suspicious/noExplicitAny: snapshots as JSON
type Json = any

const read = (query = '', by = key) => call(server, `GET ${path}${query}`, { key: by })
const snapshot = async (query = ''): Promise<Json> => {
  const { status, body } = await read(query)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const ofApi = async (target: string): Promise<Json> => (await call(server, `GET ${target}`, { key })).body
const until = (instant: string) => clock.advance((BigInt(Date.parse(instant)) * 1_000_000n) as Instant)
const advance = (seconds: number) =>
  clock.advance((clock.now() + BigInt(seconds) * 1_000_000_000n) as Instant)

async function order(side: 'buy' | 'sell', symbol: string, terms: object = {}): Promise<Json> {
  const isCoin = symbol.includes('/')
  const body = {
    symbol,
    qty: isCoin ? '0.013' : '7',
    side,
    type: 'market',
    time_in_force: isCoin ? 'gtc' : 'day',
    ...terms,
  }
  const placed = await call(server, 'POST /v2/orders', { key, body })
  assert.equal(placed.status, 200, JSON.stringify(placed.body))
  return placed.body
}

const cents = (amount: string): number => Math.round(Number(amount) * 1e9)
const CURVE = '?curve=1D&symbols=NVDA,BTC/USD'

/** Every part of a snapshot equals the operations that return it alone. */
async function assertEqualsApi(shot: Json): Promise<void> {
  const history = '/v2/account/portfolio/history?period=1D&timeframe=1Min&intraday_reporting=market_hours'
  assert.deepEqual(shot.account, await ofApi('/v2/account'))
  assert.deepEqual(shot.positions, await ofApi('/v2/positions'))
  assert.deepEqual(shot.orders, await ofApi('/v2/orders?status=open&limit=500'))
  assert.deepEqual(shot.activities, await ofApi('/v2/account/activities?page_size=50'))
  assert.deepEqual(shot.curve, await ofApi(history))
}

await order('buy', 'AAPL')
await advance(61)
await order('sell', 'MSFT', { qty: '3' })
await order('buy', 'BTC/USD')
await advance(60)
await order('buy', 'KO', { type: 'limit', limit_price: '1' })
await advance(1)

test('a snapshot is that of the other operations at one instant, and adds up to the cent', async () => {
  const shot = await snapshot(CURVE)
  await assertEqualsApi(shot)
  const { cash, long_market_value: long, short_market_value: short, equity } = shot.account
  assert.equal(cents(cash) + cents(long) + cents(short), cents(equity))
  const values = shot.positions.map(({ market_value: value }: Json) => cents(value))
  assert.equal(
    values.reduce((sum: number, value: number) => sum + value, 0),
    cents(long) + cents(short),
  )
  assert.equal(shot.event, server.world.view.seq)
  assert.equal(shot.open_orders, 1)
  // The account was opened today.
  assert.equal(cents(shot.gain_today), cents(equity) - cents('100000'))
  const names = shot.prices.map(({ symbol }: Json) => symbol).sort()
  assert.deepEqual(names, ['AAPL', 'BTC/USD', 'KO', 'MSFT', 'NVDA'])
  const held = shot.prices.find(({ symbol }: Json) => symbol === 'AAPL')
  const position = shot.positions.find(({ symbol }: Json) => symbol === 'AAPL')
  assert.deepEqual([held.last, held.previous_close], [position.current_price, position.lastday_price])
  assert.equal(shot.clock.now.slice(0, 19), shot.time.slice(0, 19))
})

test('a snapshot of an earlier event is the one that was read then', async () => {
  const shots: Json[] = []
  for (let step = 0; step < 4; step++) {
    shots.push(await snapshot(CURVE))
    await order(step % 2 ? 'buy' : 'sell', 'AAPL', { qty: '2' })
    if (step === 1) await order('buy', 'KO', { type: 'limit', limit_price: '2' })
    await advance(45)
  }
  for (const { clock: _, ...shot } of shots)
    assert.deepEqual(await snapshot(`${CURVE}&event=${shot.event}&time=${shot.time}`), shot)
  const between = new Date(Date.parse(shots[1].time) + 20_000).toISOString()
  const shot = await snapshot(`${CURVE}&time=${between}`)
  assert.equal(Date.parse(shot.time), Date.parse(between))
  assert.deepEqual(await snapshot(`${CURVE}&event=${shot.event}&time=${shot.time}`), shot)
  const { event } = shots[1]
  assert.equal((await snapshot(`?event=${event}`)).event, event)
})

test('an event that is too old or not there yet, and a time of other events, are refused by name', async () => {
  const newest = server.world.view.seq
  for (const [query, expected] of [
    [`?event=${newest + 1}`, `event: expected a number from 1 to ${newest}, received ${newest + 1}`],
    ['?event=0', /event/],
    ['?event=x', /event/],
    ['?time=2020-01-01T00:00:00Z', /^time: expected from .* received 2020-01-01T00:00:00Z$/],
    [`?event=${newest}&time=2030-01-01T00:00:00Z`, /^time: expected from .* received 2030-01-01T00:00:00Z$/],
    [`?event=${newest}&time=2020-01-01T00:00:00Z`, /^time: expected from/],
    ['?curve=2Y', /curve/],
  ] as const) {
    const { status, body } = await read(query)
    assert.ok(status === 400 || status === 422, `${query}: ${status}`)
    if (typeof expected === 'string') assert.equal(body.message, expected)
    else assert.match(body.message, expected)
  }
})

test('its account, its partner, operators and auditors may read it; other accounts get 404', async () => {
  const [partnerId] = server.world.view.partners.keys()
  const auditorKey = await issueKey(server.world, { kind: 'auditor', partnerId: partnerId! })
  for (const by of [key, partnerKey, operatorKey, auditorKey]) assert.equal((await read('', by)).status, 200)
  const stream = await readSse(server, path, auditorKey)
  assert.equal((await stream.take(1))[0]!.event, 'snapshot')
  stream.close()
  assert.equal((await read('', otherKey)).status, 404)
  const elsewhere = path.replace('lab', 'nowhere')
  for (const by of [key, partnerKey, operatorKey])
    assert.equal((await call(server, `GET ${elsewhere}`, { key: by })).status, 404)
  const unknown = path.replace(accountId, '00000000-0000-4000-8000-000000000000')
  for (const by of [key, partnerKey, operatorKey])
    assert.equal((await call(server, `GET ${unknown}`, { key: by })).status, 404)
})

/** A snapshot after the changes of a message, as a client keeps it. */
function merged(known: Json, changes: Json): Json {
  const bySymbol = (records: readonly Json[]) => new Map(records.map((one) => [one.symbol, one]))
  const positions = bySymbol(known.positions)
  for (const one of changes.positions ?? []) positions.set(one.symbol, one)
  for (const symbol of changes.positions_ended ?? []) positions.delete(symbol)
  const orders = new Map(known.orders.map((one: Json) => [one.id, one]))
  for (const one of changes.orders ?? []) orders.set(one.id, one)
  for (const id of changes.orders_ended ?? []) orders.delete(id)
  const prices = bySymbol(known.prices)
  for (const one of changes.prices ?? []) prices.set(one.symbol, one)
  return { ...known, ...changes, positions, orders, prices }
}

/** The fields of a curve, with new points put in. */
function mergedCurve(known: Json, { curve, curve_points: points }: Json): Json {
  if (curve || !points) return curve ?? known
  const kept = known.timestamp.filter((at: number) => at < points.timestamp[0]).length
  const columns = Object.entries(points).map(([name, values]) => [
    name,
    [...known[name].slice(0, kept), ...(values as Json[])],
  ])
  return { ...known, ...Object.fromEntries(columns) }
}

const sorted = (records: Iterable<Json>): readonly Json[] =>
  [...records].sort((a, b) => ((a.id ?? a.symbol) < (b.id ?? b.symbol) ? -1 : 1))

/** A client of the stream, and what it knows. */
async function follow(query: string) {
  const stream = await readSse(server, `${path}${query}`, key)
  const [first] = await stream.take(1)
  assert.equal(first!.event, 'snapshot')
  let known: Json = first!.data
  let curve: Json = known.curve
  const finals: Json[] = []
  const counts = { messages: 0, whole: 0 }
  const take = ({ event, data }: SseMessage) => {
    assert.equal(event, 'changes')
    counts.messages += 1
    if (data['curve']) counts.whole += 1
    curve = mergedCurve(curve, data)
    finals.push(...((data['orders_final'] as Json) ?? []))
    const { positions, orders, prices, ...rest } = merged(known, data)
    known = {
      ...rest,
      positions: [...positions.values()],
      orders: [...orders.values()],
      prices: [...prices.values()],
    }
  }
  return {
    counts,
    close: stream.close,
    next: async () => take((await stream.take(1))[0]!),
    /** Takes messages until one is of this instant. */
    async until(time: string): Promise<Json> {
      while (known.time < time) take((await stream.take(1))[0]!)
      return { ...known, curve, finals }
    },
  }
}

test('a stream sends the whole, then changes that add up to the snapshot at each instant', async () => {
  const client = await follow(CURVE)
  for (const [step, seconds] of [10, 50, 60, 61, 600, 1800, 5, 40, 90].entries()) {
    if (step === 2) await order('buy', 'AAPL', { qty: '3' })
    if (step === 5) await order('sell', 'AAPL', { qty: '1' })
    if (step === 6) await order('buy', 'KO', { type: 'limit', limit_price: '2.5' })
    await advance(seconds)
    const shot = await snapshot(CURVE)
    const seen = await client.until(shot.time)
    for (const name of ['account', 'gain_today', 'activities', 'curve', 'open_orders', 'event', 'time'])
      assert.deepEqual(seen[name], shot[name], `${name} after step ${step}`)
    for (const name of ['positions', 'orders', 'prices'])
      assert.deepEqual(sorted(seen[name]), sorted(shot[name]), `${name} after step ${step}`)
  }
  assert.equal(client.counts.whole, 0, 'no part of the past was sent again')
  client.close()
})

test('a stream that has nothing to send still sends a heartbeat, and the next day has another curve', async () => {
  const client = await follow(CURVE)
  await client.next()
  await advance(24 * 3600)
  const shot = await snapshot(CURVE)
  const seen = await client.until(shot.time)
  assert.deepEqual([seen.curve, seen.gain_today], [shot.curve, shot.gain_today])
  client.close()
})

test('a stream has the orders that ended, also those that opened and ended between two messages', async () => {
  await until('2026-11-04T15:00:00Z')
  const client = await follow('')
  const { id: filled } = await order('buy', 'AAPL', { qty: '1' })
  const { id: canceled } = await order('buy', 'KO', { type: 'limit', limit_price: '1.5' })
  await call(server, `DELETE /v2/orders/${canceled}`, { key })
  await advance(2)
  const { time } = await snapshot()
  const seen = await client.until(time)
  const final = new Map(seen.finals.map((one: Json) => [one.id, one.status]))
  assert.deepEqual([final.get(filled), final.get(canceled)], ['filled', 'canceled'])
  client.close()
})

test('a follower that leaves costs the server nothing: no stream, no timer', async () => {
  const streams = () => server.services.connections.eventStreams.size
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  await waitUntil('earlier streams are closed', () => streams() === 0)
  const before = timers()
  const clients = await Promise.all([follow(CURVE), follow(''), follow('')])
  await Promise.all(clients.map((client) => client.next()))
  assert.equal(streams(), 3)
  assert.ok(timers() > before)
  for (const client of clients) client.close()
  await waitUntil('the streams are closed', () => streams() === 0)
  await waitUntil('their timers are cleared', () => timers() <= before)
})

test('an event stream of an earlier event is refused', async () => {
  await assert.rejects(readSse(server, `${path}?event=1`, key), /event: expected none with an event stream/)
})
