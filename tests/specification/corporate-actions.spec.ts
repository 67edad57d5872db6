import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../broker.ts'
import { buy, dividend, list, MOMENT, made, OPEN, type Own, split, TUESDAY, until } from './corporate.ts'
import { assertRefused, broker, get, openStream, placed, world } from './stage.ts'

const value = (orders: readonly Body[]): unknown[] =>
  orders.map((order) => [
    order.symbol,
    order.side,
    order.type,
    order.qty,
    order.limit_price,
    order.stop_price,
    order.status,
  ])

test('a split on an open bracket', async () => {
  const own = await world({ hours: 'nyse' })
  const price = Number((await get(own, '/v2/stocks/AAPL/trades/latest')).body.trade.p)
  const [profit, loss] = [Math.ceil(price * 1.2), Math.floor(price * 0.8)]
  await buy(own, '10', {
    time_in_force: 'gtc',
    order_class: 'bracket',
    take_profit: { limit_price: String(profit) },
    stop_loss: { stop_price: String(loss) },
  })
  const rest = await buy(own, '5', { type: 'limit', limit_price: String(loss + 1), time_in_force: 'gtc' })
  const updates = await openStream('/stream')
  await updates.request({ action: 'authenticate', data: { key_id: own.keyId, secret_key: own.secretKey } })
  await updates.request({ action: 'listen', data: { streams: ['trade_updates'] } })

  await made(own, split(4, 1))
  await until(own, '2026-01-06T04:59:59Z')
  const before = (await get(own, '/v2/account')).body
  await until(own, MOMENT)

  const shown = (await get(own, '/v2/orders?status=open&nested=false&direction=asc')).body
  const by = (kind: string, side: string) =>
    value(shown.filter(({ type, side: of }: Body) => type === kind && of === side))[0]
  const quarter = (whole: number) => String(whole / 4)
  // symbol, side, type, quantity, limit, stop, status
  assert.deepEqual(by('limit', 'sell'), ['AAPL', 'sell', 'limit', '40', quarter(profit), null, 'new'])
  assert.deepEqual(by('stop', 'sell'), ['AAPL', 'sell', 'stop', '40', null, quarter(loss), 'held'])
  assert.deepEqual(by('limit', 'buy'), ['AAPL', 'buy', 'limit', '20', quarter(loss + 1), null, 'new'])

  const position = (await get(own, '/v2/positions/AAPL')).body
  assert.deepEqual([position.qty, position.qty_available], ['40', '0'])
  // Yesterday's close is told in today's shares.
  assert.ok(Math.abs(Number(position.change_today)) < 0.1, position.change_today)
  const after = (await get(own, '/v2/account')).body
  assert.equal(after.cash, before.cash)
  // The last trade is divided, and its price has nine places: no more than a cent can be lost.
  assert.ok(Math.abs(Number(after.equity) - Number(before.equity)) < 0.01, `${before.equity} ${after.equity}`)
  const told = (await updates.rest()).filter(({ stream }: Body) => stream === 'trade_updates')
  assert.deepEqual(
    told.map(({ data }: Body) => data.event),
    ['restated', 'restated', 'restated'],
  )
  assert.equal((await callAsOperator(broker, 'GET', `/sim/v1/worlds/${own.world}/audit`)).body.sound, true)
  await call(own, 'DELETE', `/v2/orders/${rest.id}`)
  await updates.close()
})

test('the tape after a split is another, and what came before stays; bars are adjusted when asked', async () => {
  const own = await world({ hours: 'nyse' })
  const calm = await world({ hours: 'nyse' })
  const action = await made(own, split(4, 1))
  for (const each of [own, calm]) await until(each, '2026-01-09T22:00:00Z')
  const days = async (who: Own, more = ''): Promise<Body[]> =>
    (await get(who, `/v2/stocks/AAPL/bars?timeframe=1Day&start=2026-01-02&end=2026-01-08${more}`)).body.bars
  const [raw, plain, adjusted] = [await days(own), await days(calm), await days(own, '&adjustment=split')]
  const at = raw.findIndex(({ t }) => t.startsWith(TUESDAY))
  assert.deepEqual(raw.slice(0, at), plain.slice(0, at))
  assert.ok(raw[at].o < plain[at].o / 3.8 && raw[at].v > 3.8 * plain[at].v)
  for (const [index, bar] of adjusted.entries()) {
    const [factor, was] = [index < at ? 4 : 1, raw[index]]
    assert.deepEqual([bar.t, bar.n, bar.v], [was.t, was.n, was.v * factor])
    for (const field of ['o', 'h', 'l', 'c']) assert.ok(Math.abs(bar[field] - was[field] / factor) < 0.0001)
  }
  assert.deepEqual(await days(own, '&adjustment=all'), adjusted)
  assert.deepEqual(await days(own, '&adjustment=dividend,spin-off'), raw)
  assert.deepEqual(await days(own, '&adjustment=raw'), raw)
  const columns = (
    await get(
      own,
      '/v2/stocks/candles?symbols=AAPL&timeframe=1Day&start=2026-01-02&end=2026-01-08&adjustment=split',
    )
  ).body.candles.AAPL
  assert.deepEqual(
    columns.close,
    adjusted.map(({ c }) => c),
  )
  assert.deepEqual(
    (await get(own, `/v1/corporate-actions?ids=${action.id}`)).body.corporate_actions.forward_splits[0]
      .new_rate,
    4,
  )
})

test('a fork takes along what lies ahead, and goes on as its parent does', async () => {
  const own = await world({ hours: 'nyse' })
  await buy(own, '10')
  await made(own, split(4, 1))
  const fork = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${own.world}/fork`, {})
  assert.equal(fork.status, 201, JSON.stringify(fork.body))
  const [account] = fork.body.accounts
  const twin = { ...own, world: fork.body.world, keyId: account.key_id, secretKey: account.secret_key }
  for (const each of [own, twin]) await until(each, OPEN)
  assert.equal((await list(twin))[0].status, 'applied')
  const [mine, theirs] = [await get(own, '/v2/positions/AAPL'), await get(twin, '/v2/positions/AAPL')]
  assert.deepEqual([theirs.body.qty, theirs.body], ['40', mine.body])
  const audit = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${twin.world}/audit`)
  assert.deepEqual([audit.body.sound, audit.body.problems], [true, []])
})

test('the same calls lead to the same journal', async () => {
  const hashes = new Set<string>()
  for (const own of [await world({ hours: 'nyse' }), await world({ hours: 'nyse' })]) {
    await buy(own, '10')
    await made(own, split(1, 3))
    await made(own, { ...dividend('0.5'), symbol: 'MSFT' })
    await until(own, OPEN)
    const { body } = await callAsOperator(broker, 'GET', `/sim/v1/worlds/${own.world}/journal`)
    hashes.add(body.hash)
  }
  assert.equal(hashes.size, 1)
})

test('a symbol change: positions, orders and the tape go on under the new name', async () => {
  const own = await world({ hours: 'nyse' })
  await buy(own, '10')
  const rest = await buy(own, '5', { type: 'limit', limit_price: '10', time_in_force: 'gtc' })
  await own.advance('1m')
  const { body: list } = await call(own, 'POST', '/v2/watchlists', { name: 'mine', symbols: ['KO', 'AAPL'] })
  await made(own, { type: 'name_change', symbol: 'AAPL', ex_date: TUESDAY, new_symbol: 'PEAR' })
  assert.equal((await get(own, '/v2/assets/PEAR')).status, 404)
  await until(own, '2026-01-06T00:58:00Z')
  const tape = await openStream('/v2/sip')
  await tape.next()
  await tape.request({ action: 'auth', key: own.keyId, secret: own.secretKey })
  await tape.request({ action: 'subscribe', trades: ['AAPL', 'PEAR'] })
  await own.advance('3m')
  assert.ok((await tape.rest()).flat().every(({ S }: Body) => S === 'AAPL'))
  // The first hour of the early session has trades enough; a stream of the whole session costs seconds.
  await until(own, '2026-01-06T10:00:00Z')
  const heard = (await tape.rest()).flat()
  assert.ok(heard.length > 0 && heard.every(({ S }: Body) => S === 'PEAR'))
  await tape.close()
  await until(own, OPEN)
  await own.advance('1m')
  assert.equal((await get(own, '/v2/positions/PEAR')).body.qty, '10')
  assertRefused(await get(own, '/v2/positions/AAPL'), 404, 40410000)
  assert.equal((await get(own, `/v2/orders/${rest.id}`)).body.symbol, 'PEAR')
  const { body: watched } = await get(own, `/v2/watchlists/${list.id}`)
  assert.deepEqual(
    watched.assets.map(({ symbol }: Body) => symbol),
    ['KO', 'PEAR'],
  )
  assert.equal((await get(own, '/v2/assets/AAPL')).body.status, 'inactive')
  const asset = (await get(own, '/v2/assets/PEAR')).body
  assert.deepEqual([asset.status, asset.tradable], ['active', true])
  assert.ok((await get(own, '/v2/stocks/PEAR/trades/latest')).body.trade.t > OPEN)
  assert.ok((await get(own, '/v2/stocks/AAPL/trades/latest')).body.trade.t < MOMENT)
  const dates = async (symbol: string, more = ''): Promise<readonly string[]> => {
    const query = `symbols=${symbol}&timeframe=1Day&start=2025-12-31&end=${TUESDAY}${more}`
    const { body } = await get(own, `/v2/stocks/bars?${query}`)
    return body.bars[symbol]?.map(({ t }: Body) => t.slice(0, 10)) ?? []
  }
  const whole = ['2025-12-31', '2026-01-02', '2026-01-05', TUESDAY]
  assert.deepEqual(await dates('PEAR'), whole)
  assert.deepEqual(await dates('PEAR', '&asof=-'), whole.slice(3))
  assert.deepEqual(await dates('PEAR', '&asof=2026-01-05'), whole.slice(3))
  assert.deepEqual(await dates('AAPL'), whole.slice(0, 3))
  assert.deepEqual(await dates('AAPL', '&asof=2026-01-05'), whole)
  await call(own, 'DELETE', `/v2/orders/${rest.id}`)
  const sold = await placed(own, {
    symbol: 'PEAR',
    qty: '10',
    side: 'sell',
    type: 'market',
    time_in_force: 'day',
  })
  await own.advance('1m')
  assert.equal((await get(own, `/v2/orders/${sold.id}`)).body.status, 'filled')
  const refused = await call(own, 'POST', '/v2/orders', {
    symbol: 'AAPL',
    qty: '1',
    side: 'buy',
    type: 'market',
    time_in_force: 'day',
  })
  assert.equal(refused.status, 422)
})

test('a delisting: orders are canceled and positions paid out', async () => {
  const own = await world({ hours: 'nyse' })
  await buy(own, '10')
  const rest = await buy(own, '5', { type: 'limit', limit_price: '10', time_in_force: 'gtc' })
  await own.advance('1m')
  await made(own, { type: 'delisting', symbol: 'AAPL', ex_date: TUESDAY, price: '12.5' })
  await until(own, '2026-01-06T04:59:59Z')
  const before = Number((await get(own, '/v2/account')).body.cash)
  await until(own, MOMENT)
  assert.equal(Number((await get(own, '/v2/account')).body.cash) - before, 125)
  assert.deepEqual((await get(own, '/v2/positions')).body, [])
  assert.equal((await get(own, `/v2/orders/${rest.id}`)).body.status, 'canceled')
  const { corporate_actions: told } = (await get(own, `/v1beta1/corporate-actions?start=${TUESDAY}`)).body
  assert.deepEqual([told.redemptions.length, told.redemptions[0].rate], [1, 12.5])
})

test('what is told live across the moment is what history has', async () => {
  const own = await world({ hours: 'always' })
  await made(own, split(4, 1))
  await until(own, '2026-01-06T04:57:00Z')
  const tape = await openStream('/v2/sip')
  await tape.next()
  await tape.request({ action: 'auth', key: own.keyId, secret: own.secretKey })
  await tape.request({ action: 'subscribe', bars: ['AAPL'], trades: ['AAPL'] })
  await until(own, '2026-01-06T05:03:00Z')
  const heard = (await tape.rest()).flat()
  await tape.close()
  const span = 'start=2026-01-06T04:57:00Z&end=2026-01-06T05:02:59.999999Z&limit=10000'
  const { bars } = (await get(own, `/v2/stocks/AAPL/bars?timeframe=1Min&${span}`)).body
  const { trades } = (await get(own, `/v2/stocks/AAPL/trades?${span}`)).body
  const told = (kind: string) => heard.flatMap(({ T, S: _, ...rest }: Body) => (T === kind ? [rest] : []))
  assert.deepEqual(told('b'), bars)
  assert.deepEqual(
    told('t').map(({ p, s, t }: Body) => [p, s, t]),
    trades.map(({ p, s, t }: Body) => [p, s, t]),
  )
  const before = trades.findLast(({ t }: Body) => Date.parse(t) < Date.parse(MOMENT))
  const after = trades.find(({ t }: Body) => Date.parse(t) >= Date.parse(MOMENT))
  assert.ok(Math.abs((4 * after.p) / before.p - 1) < 0.02, `${before.p} ${after.p}`)
})

test('the history of a portfolio has no leap across a split', async () => {
  const own = await world({ hours: 'nyse' })
  await buy(own, '100')
  await own.advance('1m')
  await made(own, split(4, 1))
  await until(own, '2026-01-07T15:00:00Z')
  for (const query of [
    'start=2026-01-05T20:00:00Z&end=2026-01-06T20:00:00Z&timeframe=1H&intraday_reporting=continuous',
    'period=1W&timeframe=1D',
  ]) {
    const { body } = await get(own, `/v2/account/portfolio/history?${query}`)
    const equity = body.equity.filter((each: number) => each > 0)
    assert.ok(equity.length > 1)
    for (const each of equity) assert.ok(Math.abs(each / 100_000 - 1) < 0.05, JSON.stringify(equity))
  }
})
