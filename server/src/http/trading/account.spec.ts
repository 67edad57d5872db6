import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AnyShape, operations, type Problem } from '@quipu/contract'
import type { Instant } from '@quipu/core'
import { call, openTestServer, type TestServer } from '../testing/server.ts'

let server: TestServer
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const get = (path: string) => call(server, `GET ${path}`, { key: server.key })

/** The violations of the contract in a response. */
function problemsOf(shape: AnyShape, body: unknown): readonly Problem[] {
  const problems: Problem[] = []
  shape.parse(body, '', problems)
  return problems
}

test('a new account has the full record, with fourfold buying power', async () => {
  const { status, body } = await get('/v2/account')
  assert.equal(status, 200)
  assert.deepEqual(problemsOf(operations.getAccount.output, body), [])
  const { cash, equity, buying_power, regt_buying_power, multiplier, account_number, balance_asof } = body
  assert.deepEqual([cash, equity, buying_power, regt_buying_power], ['100000', '100000', '400000', '200000'])
  assert.deepEqual([multiplier, balance_asof], ['4', '2026-10-30'])
  assert.match(account_number, /^PA[0-9A-F]{10}$/)
})

test('an open order holds money, a fill becomes a position, and the API returns both', async () => {
  const order = { symbol: 'AAPL', side: 'buy', time_in_force: 'day' }
  const placed = await call(server, 'POST /v2/orders', {
    key: server.key,
    body: { ...order, type: 'limit', limit_price: '100', qty: '2' },
  })
  assert.equal((await get('/v2/account')).body.buying_power, '399800')
  await call(server, 'POST /v2/orders', { key: server.key, body: { ...order, type: 'market', qty: '1.5' } })
  await server.clock.advance((server.clock.now() + 1_000_000_000n) as Instant)
  const { body: positions } = await get('/v2/positions')
  assert.deepEqual(problemsOf(operations.listPositions.output, positions), [])
  const [position] = positions
  assert.deepEqual(
    [position.symbol, position.qty, position.qty_available, position.side],
    ['AAPL', '1.5', '1.5', 'long'],
  )
  for (const name of ['AAPL', position.asset_id]) {
    assert.deepEqual((await get(`/v2/positions/${name}`)).body, position)
  }
  const { body: account } = await get('/v2/account')
  assert.equal(account.long_market_value, position.market_value)
  const worth = Number(account.cash) + Number(position.market_value)
  assert.ok(Math.abs(Number(account.equity) - worth) < 1e-6)
  assert.ok(
    Math.abs(Number(position.unrealized_pl) - (Number(position.market_value) - Number(position.cost_basis))) <
      1e-9,
  )
  // All shares were bought today, so the intraday gain equals the total gain.
  assert.equal(position.unrealized_intraday_pl, position.unrealized_pl)
  await call(server, `DELETE /v2/orders/${placed.body.id}`, { key: server.key })

  await call(server, 'POST /v2/orders', {
    key: server.key,
    body: { ...order, side: 'sell', type: 'limit', limit_price: '9999', qty: '1' },
  })
  assert.equal((await get('/v2/positions/AAPL')).body.qty_available, '0.5')
})

test('on the next day the intraday gain counts from the previous close', async () => {
  await server.clock.advance((server.clock.now() + 86_400_000_000_000n) as Instant)
  const { body } = await get('/v2/positions/AAPL')
  const gain = 1.5 * (Number(body.current_price) - Number(body.lastday_price))
  assert.ok(Math.abs(Number(body.unrealized_intraday_pl) - gain) < 1e-6)
  const change = Number(body.current_price) / Number(body.lastday_price) - 1
  assert.ok(Math.abs(Number(body.change_today) - change) < 1e-6)
  assert.equal((await get('/v2/account')).body.balance_asof, '2026-11-02')
})

const missing: readonly (readonly [string, string])[] = [
  ['/v2/positions/MSFT', 'position does not exist'],
  ['/v2/positions/BTC/USD', 'position does not exist'],
  ['/v2/positions/BTC%2FUSD', 'position does not exist'],
  ['/v2/assets/NOPE', 'asset not found for NOPE'],
  ['/v2/assets/NOPE/USD', 'asset not found for NOPE/USD'],
]
for (const [path, message] of missing)
  test(`GET ${path}: 404 ${message}`, async () => {
    const { status, body } = await get(path)
    assert.deepEqual([status, body.code, body.message], [404, 40410000, message])
  })

test('assets are listed by exchange and symbol, and filtered', async () => {
  const { body: all } = await get('/v2/assets')
  assert.deepEqual(problemsOf(operations.listAssets.output, all), [])
  const sortKeys = all.map(({ exchange, symbol }: Record<string, string>) => `${exchange} ${symbol}`)
  assert.deepEqual(sortKeys, [...sortKeys].sort())
  assert.equal((await get('/v2/assets?status=inactive')).body.length, 0)
  const { body: pairs } = await get('/v2/assets?asset_class=crypto')
  assert.equal(pairs.length, 8)
  assert.deepEqual(
    (await get('/v2/assets/BTC/USD')).body,
    pairs.find(({ symbol }: Record<string, string>) => symbol === 'BTC/USD'),
  )
  assert.equal((await get('/v2/assets?asset_class=all')).body.length, all.length + pairs.length)
  assert.ok(
    (await get('/v2/assets?exchange=NYSE')).body.every(
      ({ exchange }: Record<string, string>) => exchange === 'NYSE',
    ),
  )
  assert.deepEqual((await get('/v2/assets?attributes=ipo,has_options')).body, [])
  const { body: one } = await get('/v2/assets/AAPL')
  assert.deepEqual((await get(`/v2/assets/${one.id}`)).body, one)
})

const times: readonly (readonly [string, string, boolean, string, string])[] = [
  // clock set to            timestamp begins       open   next open                    next close
  [
    '2026-11-05T15:00:00Z',
    '2026-11-05T10:00:00',
    true,
    '2026-11-06T09:30:00-05:00',
    '2026-11-05T16:00:00-05:00',
  ],
  [
    '2026-11-05T21:00:00Z',
    '2026-11-05T16:00:00',
    false,
    '2026-11-06T09:30:00-05:00',
    '2026-11-06T16:00:00-05:00',
  ],
  [
    '2026-11-07T12:00:00Z',
    '2026-11-07T07:00:00',
    false,
    '2026-11-09T09:30:00-05:00',
    '2026-11-09T16:00:00-05:00',
  ],
]
for (const [set, shown, open, nextOpen, nextClose] of times)
  test(`the clock at ${set}`, async () => {
    await server.clock.advance((BigInt(Date.parse(set)) * 1_000_000n) as Instant)
    const { body } = await get('/v2/clock')
    assert.ok(body.timestamp.startsWith(shown) && body.timestamp.endsWith('-05:00'), body.timestamp)
    assert.deepEqual([body.is_open, body.next_open, body.next_close], [open, nextOpen, nextClose])
  })
