import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../support/broker.ts'
import {
  advanceTo,
  assertRefused,
  broker,
  buy,
  createAction,
  dividend,
  EFFECTIVE_AT,
  get,
  listActions,
  newWorld,
  OPEN,
  openStream,
  placeOrder,
  split,
  TUESDAY,
  type World,
} from './stage.ts'

const fields = ['symbol', 'side', 'type', 'qty', 'limit_price', 'stop_price', 'status']
const value = (orders: readonly Body[]): unknown[][] =>
  orders.map((order) => fields.map((field) => order[field]))

test('a split adjusts an open bracket and the position', async () => {
  const world = await newWorld({ hours: 'nyse' })
  const price = Number((await get(world, '/v2/stocks/AAPL/trades/latest')).body.trade.p)
  const [profit, loss] = [Math.ceil(price * 1.2), Math.floor(price * 0.8)]
  await buy(world, '10', {
    time_in_force: 'gtc',
    order_class: 'bracket',
    take_profit: { limit_price: String(profit) },
    stop_loss: { stop_price: String(loss) },
  })
  const rest = await buy(world, '5', { type: 'limit', limit_price: String(loss + 1), time_in_force: 'gtc' })
  const updates = await openStream('/stream')
  await updates.request({
    action: 'authenticate',
    data: { key_id: world.keyId, secret_key: world.secretKey },
  })
  await updates.request({ action: 'listen', data: { streams: ['trade_updates'] } })

  await createAction(world, split(4, 1))
  await advanceTo(world, '2026-01-06T04:59:59Z')
  const before = (await get(world, '/v2/account')).body
  await advanceTo(world, EFFECTIVE_AT)

  const shown = (await get(world, '/v2/orders?status=open&nested=false&direction=asc')).body
  const by = (kind: string, side: string) =>
    value(shown.filter(({ type, side: of }: Body) => type === kind && of === side))[0]
  const quarter = (price: number) => String(price / 4)
  assert.deepEqual(by('limit', 'sell'), ['AAPL', 'sell', 'limit', '40', quarter(profit), null, 'new'])
  assert.deepEqual(by('stop', 'sell'), ['AAPL', 'sell', 'stop', '40', null, quarter(loss), 'held'])
  assert.deepEqual(by('limit', 'buy'), ['AAPL', 'buy', 'limit', '20', quarter(loss + 1), null, 'new'])

  const position = (await get(world, '/v2/positions/AAPL')).body
  assert.deepEqual([position.qty, position.qty_available], ['40', '0'])
  // Yesterday's close is adjusted for the split.
  assert.ok(Math.abs(Number(position.change_today)) < 0.1, position.change_today)
  const after = (await get(world, '/v2/account')).body
  assert.equal(after.cash, before.cash)
  // The adjusted price has nine decimals, so the rounding is less than a cent.
  assert.ok(Math.abs(Number(after.equity) - Number(before.equity)) < 0.01, `${before.equity} ${after.equity}`)
  const received = (await updates.rest()).filter(({ stream }: Body) => stream === 'trade_updates')
  assert.deepEqual(
    received.map(({ data }: Body) => data.event),
    ['restated', 'restated', 'restated'],
  )
  assert.equal((await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/audit`)).body.sound, true)
  await call(world, 'DELETE', `/v2/orders/${rest.id}`)
  await updates.close()
})

test('a split changes later prices only; bars are adjusted on request', async () => {
  const world = await newWorld({ hours: 'nyse' })
  const unchanged = await newWorld({ hours: 'nyse' })
  const action = await createAction(world, split(4, 1))
  for (const each of [world, unchanged]) await advanceTo(each, '2026-01-09T22:00:00Z')
  const days = async (caller: World, more = ''): Promise<Body[]> =>
    (await get(caller, `/v2/stocks/AAPL/bars?timeframe=1Day&start=2026-01-02&end=2026-01-08${more}`)).body
      .bars
  const [raw, plain, adjusted] = [
    await days(world),
    await days(unchanged),
    await days(world, '&adjustment=split'),
  ]
  const at = raw.findIndex(({ t }) => t.startsWith(TUESDAY))
  assert.deepEqual(raw.slice(0, at), plain.slice(0, at))
  assert.ok(raw[at].o < plain[at].o / 3.8 && raw[at].v > 3.8 * plain[at].v)
  for (const [index, bar] of adjusted.entries()) {
    const [factor, was] = [index < at ? 4 : 1, raw[index]]
    assert.deepEqual([bar.t, bar.n, bar.v], [was.t, was.n, was.v * factor])
    for (const field of ['o', 'h', 'l', 'c']) assert.ok(Math.abs(bar[field] - was[field] / factor) < 0.0001)
  }
  assert.deepEqual(await days(world, '&adjustment=all'), adjusted)
  assert.deepEqual(await days(world, '&adjustment=dividend,spin-off'), raw)
  assert.deepEqual(await days(world, '&adjustment=raw'), raw)
  const columns = (
    await get(
      world,
      '/v2/stocks/candles?symbols=AAPL&timeframe=1Day&start=2026-01-02&end=2026-01-08&adjustment=split',
    )
  ).body.candles.AAPL
  assert.deepEqual(
    columns.close,
    adjusted.map(({ c }) => c),
  )
  assert.deepEqual(
    (await get(world, `/v1/corporate-actions?ids=${action.id}`)).body.corporate_actions.forward_splits[0]
      .new_rate,
    4,
  )
})

test('a fork has the scheduled actions of its parent and the same results', async () => {
  const world = await newWorld({ hours: 'nyse' })
  await buy(world, '10')
  await createAction(world, split(4, 1))
  const fork = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/fork`, {})
  assert.equal(fork.status, 201, JSON.stringify(fork.body))
  const [account] = fork.body.accounts
  const twin = { ...world, world: fork.body.world, keyId: account.key_id, secretKey: account.secret_key }
  for (const each of [world, twin]) await advanceTo(each, OPEN)
  assert.equal((await listActions(twin))[0].status, 'applied')
  const [mine, theirs] = [await get(world, '/v2/positions/AAPL'), await get(twin, '/v2/positions/AAPL')]
  assert.deepEqual([theirs.body.qty, theirs.body], ['40', mine.body])
  const audit = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${twin.world}/audit`)
  assert.deepEqual([audit.body.sound, audit.body.problems], [true, []])
})

test('the same requests give the same journal hash', async () => {
  const hashes = new Set<string>()
  for (const world of [await newWorld({ hours: 'nyse' }), await newWorld({ hours: 'nyse' })]) {
    await buy(world, '10')
    await createAction(world, split(1, 3))
    await createAction(world, { ...dividend('0.5'), symbol: 'MSFT' })
    await advanceTo(world, OPEN)
    const { body } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world.world}/journal`)
    hashes.add(body.hash)
  }
  assert.equal(hashes.size, 1)
})

test('a symbol change: positions, orders and the tape continue under the new symbol', async () => {
  const world = await newWorld({ hours: 'nyse' })
  await buy(world, '10')
  const rest = await buy(world, '5', { type: 'limit', limit_price: '10', time_in_force: 'gtc' })
  await world.advance('1m')
  const { body: list } = await call(world, 'POST', '/v2/watchlists', {
    name: 'mine',
    symbols: ['KO', 'AAPL'],
  })
  await createAction(world, { type: 'name_change', symbol: 'AAPL', ex_date: TUESDAY, new_symbol: 'PEAR' })
  assert.equal((await get(world, '/v2/assets/PEAR')).status, 404)
  await advanceTo(world, '2026-01-06T00:58:00Z')
  const tape = await openStream('/v2/sip')
  await tape.next()
  await tape.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await tape.request({ action: 'subscribe', trades: ['AAPL', 'PEAR'] })
  await world.advance('3m')
  assert.ok((await tape.rest()).flat().every(({ S }: Body) => S === 'AAPL'))
  // One hour of the early session has enough trades; a longer stream takes seconds.
  await advanceTo(world, '2026-01-06T10:00:00Z')
  const received = (await tape.rest()).flat()
  assert.ok(received.length > 0 && received.every(({ S }: Body) => S === 'PEAR'))
  await tape.close()
  await advanceTo(world, OPEN)
  await world.advance('1m')
  assert.equal((await get(world, '/v2/positions/PEAR')).body.qty, '10')
  assertRefused(await get(world, '/v2/positions/AAPL'), 404, 40410000)
  assert.equal((await get(world, `/v2/orders/${rest.id}`)).body.symbol, 'PEAR')
  const { body: watched } = await get(world, `/v2/watchlists/${list.id}`)
  assert.deepEqual(
    watched.assets.map(({ symbol }: Body) => symbol),
    ['KO', 'PEAR'],
  )
  assert.equal((await get(world, '/v2/assets/AAPL')).body.status, 'inactive')
  const asset = (await get(world, '/v2/assets/PEAR')).body
  assert.deepEqual([asset.status, asset.tradable], ['active', true])
  assert.ok((await get(world, '/v2/stocks/PEAR/trades/latest')).body.trade.t > OPEN)
  assert.ok((await get(world, '/v2/stocks/AAPL/trades/latest')).body.trade.t < EFFECTIVE_AT)
  const dates = async (symbol: string, more = ''): Promise<readonly string[]> => {
    const query = `symbols=${symbol}&timeframe=1Day&start=2025-12-31&end=${TUESDAY}${more}`
    const { body } = await get(world, `/v2/stocks/bars?${query}`)
    return body.bars[symbol]?.map(({ t }: Body) => t.slice(0, 10)) ?? []
  }
  const allDates = ['2025-12-31', '2026-01-02', '2026-01-05', TUESDAY]
  assert.deepEqual(await dates('PEAR'), allDates)
  assert.deepEqual(await dates('PEAR', '&asof=-'), allDates.slice(3))
  assert.deepEqual(await dates('PEAR', '&asof=2026-01-05'), allDates.slice(3))
  assert.deepEqual(await dates('AAPL'), allDates.slice(0, 3))
  assert.deepEqual(await dates('AAPL', '&asof=2026-01-05'), allDates)
  await call(world, 'DELETE', `/v2/orders/${rest.id}`)
  const sold = await placeOrder(world, {
    symbol: 'PEAR',
    qty: '10',
    side: 'sell',
    type: 'market',
    time_in_force: 'day',
  })
  await world.advance('1m')
  assert.equal((await get(world, `/v2/orders/${sold.id}`)).body.status, 'filled')
  const refused = await call(world, 'POST', '/v2/orders', {
    symbol: 'AAPL',
    qty: '1',
    side: 'buy',
    type: 'market',
    time_in_force: 'day',
  })
  assert.equal(refused.status, 422)
})

test('a delisting cancels orders and pays out positions', async () => {
  const world = await newWorld({ hours: 'nyse' })
  await buy(world, '10')
  const rest = await buy(world, '5', { type: 'limit', limit_price: '10', time_in_force: 'gtc' })
  await world.advance('1m')
  await createAction(world, { type: 'delisting', symbol: 'AAPL', ex_date: TUESDAY, price: '12.5' })
  await advanceTo(world, '2026-01-06T04:59:59Z')
  const before = Number((await get(world, '/v2/account')).body.cash)
  await advanceTo(world, EFFECTIVE_AT)
  assert.equal(Number((await get(world, '/v2/account')).body.cash) - before, 125)
  assert.deepEqual((await get(world, '/v2/positions')).body, [])
  assert.equal((await get(world, `/v2/orders/${rest.id}`)).body.status, 'canceled')
  const { corporate_actions: actions } = (await get(world, `/v1beta1/corporate-actions?start=${TUESDAY}`))
    .body
  assert.deepEqual([actions.redemptions.length, actions.redemptions[0].rate], [1, 12.5])
})

test('live data across a split matches the history', async () => {
  const world = await newWorld({ hours: 'always' })
  await createAction(world, split(4, 1))
  await advanceTo(world, '2026-01-06T04:57:00Z')
  const tape = await openStream('/v2/sip')
  await tape.next()
  await tape.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await tape.request({ action: 'subscribe', bars: ['AAPL'], trades: ['AAPL'] })
  await advanceTo(world, '2026-01-06T05:03:00Z')
  const received = (await tape.rest()).flat()
  await tape.close()
  const span = 'start=2026-01-06T04:57:00Z&end=2026-01-06T05:02:59.999999Z&limit=10000'
  const { bars } = (await get(world, `/v2/stocks/AAPL/bars?timeframe=1Min&${span}`)).body
  const { trades } = (await get(world, `/v2/stocks/AAPL/trades?${span}`)).body
  const ofKind = (kind: string) =>
    received.flatMap(({ T, S: _, ...rest }: Body) => (T === kind ? [rest] : []))
  assert.deepEqual(ofKind('b'), bars)
  assert.deepEqual(
    ofKind('t').map(({ p, s, t }: Body) => [p, s, t]),
    trades.map(({ p, s, t }: Body) => [p, s, t]),
  )
  const before = trades.findLast(({ t }: Body) => Date.parse(t) < Date.parse(EFFECTIVE_AT))
  const after = trades.find(({ t }: Body) => Date.parse(t) >= Date.parse(EFFECTIVE_AT))
  assert.ok(Math.abs((4 * after.p) / before.p - 1) < 0.02, `${before.p} ${after.p}`)
})

test('a split makes no jump in the portfolio history', async () => {
  const world = await newWorld({ hours: 'nyse' })
  await buy(world, '100')
  await world.advance('1m')
  await createAction(world, split(4, 1))
  await advanceTo(world, '2026-01-07T15:00:00Z')
  for (const query of [
    'start=2026-01-05T20:00:00Z&end=2026-01-06T20:00:00Z&timeframe=1H&intraday_reporting=continuous',
    'period=1W&timeframe=1D',
  ]) {
    const { body } = await get(world, `/v2/account/portfolio/history?${query}`)
    const equity = body.equity.filter((each: number) => each > 0)
    assert.ok(equity.length > 1)
    for (const each of equity) assert.ok(Math.abs(each / 100_000 - 1) < 0.05, JSON.stringify(equity))
  }
})
