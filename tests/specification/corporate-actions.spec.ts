import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../broker.ts'
import { assertRefused, broker, get, NOBODY, openStream, placed, UUID, world } from './stage.ts'

type Own = Awaited<ReturnType<typeof world>>

/** Worlds begin on Monday, 5 January 2026, at 10:00 in New York. */
const TUESDAY = '2026-01-06'
const MOMENT = '2026-01-06T05:00:00Z'
const OPEN = '2026-01-06T14:30:00Z'

const path = (name: string): string => `/sim/v1/worlds/${name}/corporate-actions`
const act = (own: Own, body: object) => callAsOperator(broker, 'POST', path(own.world), body)
const list = async (own: Own): Promise<Body[]> => (await callAsOperator(broker, 'GET', path(own.world))).body

const split = (newRate: number, oldRate: number, exDate = TUESDAY) => ({
  type: newRate > oldRate ? 'forward_split' : 'reverse_split',
  symbol: 'AAPL',
  ex_date: exDate,
  new_rate: newRate,
  old_rate: oldRate,
})
const dividend = (rate: string, dates: object = {}) => ({
  type: 'cash_dividend',
  symbol: 'AAPL',
  ex_date: TUESDAY,
  rate,
  ...dates,
})

async function made(own: Own, body: object): Promise<Body> {
  const answer = await act(own, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

const until = (own: Own, to: string) =>
  callAsOperator(broker, 'POST', `/sim/v1/worlds/${own.world}/clock/advance`, { to })

const buy = (own: Own, qty: string, more: object = {}) =>
  placed(own, { symbol: 'AAPL', qty, side: 'buy', type: 'market', time_in_force: 'day', ...more })

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
  await updates.ask({ action: 'authenticate', data: { key_id: own.keyId, secret_key: own.secretKey } })
  await updates.ask({ action: 'listen', data: { streams: ['trade_updates'] } })

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

test('a dividend: owed on the ex-date, paid on the pay date', async () => {
  const own = await world({ hours: 'nyse' })
  await buy(own, '10')
  await own.advance('1m')
  await made(own, dividend('0.25', { record_date: TUESDAY, payable_date: '2026-01-08' }))
  await until(own, '2026-01-06T15:00:00Z')
  const before = (await get(own, '/v2/account')).body.cash
  await until(own, '2026-01-08T05:00:00Z')
  const after = (await get(own, '/v2/account')).body.cash
  assert.equal((Number(after) - Number(before)).toFixed(2), '2.50')
  const [row] = (await get(own, '/v2/account/activities/DIV')).body
  assert.deepEqual(
    [row.activity_type, row.activity_sub_type, row.symbol, row.net_amount, row.per_share_amount, row.date],
    ['DIV', 'CDIV', 'AAPL', '2.5', '0.25', '2026-01-08'],
  )
})

for (const [body, type, rows] of [
  [split(4, 1), 'SPLIT', [['FSPLIT', 'AAPL', '30', '0']]],
  [
    { type: 'name_change', symbol: 'AAPL', ex_date: TUESDAY, new_symbol: 'PEAR' },
    'NC',
    [
      ['SNC', 'PEAR', '10', '0'],
      ['SNC', 'AAPL', '-10', '0'],
    ],
  ],
  [{ type: 'delisting', symbol: 'AAPL', ex_date: TUESDAY }, 'REORG', [['WRM', 'AAPL', '-10', '0']]],
] as const)
  test(`${body.type} of 10 shares: an activity ${type}`, async () => {
    const own = await world({ hours: 'nyse' })
    await buy(own, '10')
    await own.advance('1m')
    const { id } = await made(own, body)
    await until(own, MOMENT)
    const told = (await get(own, `/v2/account/activities/${type}`)).body
    assert.deepEqual(
      told.map((row: Body) => [row.activity_sub_type, row.symbol, row.qty, row.net_amount]),
      rows,
    )
    for (const row of told) assert.deepEqual([row.date, row.group_id], [TUESDAY, id])
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
  await made(own, { type: 'name_change', symbol: 'AAPL', ex_date: TUESDAY, new_symbol: 'PEAR' })
  assert.equal((await get(own, '/v2/assets/PEAR')).status, 404)
  const tape = await openStream('/v2/sip')
  await tape.next()
  await tape.ask({ action: 'auth', key: own.keyId, secret: own.secretKey })
  await tape.ask({ action: 'subscribe', trades: ['AAPL', 'PEAR'] })
  await until(own, '2026-01-06T00:58:00Z')
  await tape.rest()
  await own.advance('3m')
  assert.ok((await tape.rest()).flat().every(({ S }: Body) => S === 'AAPL'))
  await until(own, OPEN)
  await own.advance('1m')
  const heard = (await tape.rest()).flat()
  assert.ok(heard.length > 0 && heard.every(({ S }: Body) => S === 'PEAR'))
  await tape.close()
  assert.equal((await get(own, '/v2/positions/PEAR')).body.qty, '10')
  assertRefused(await get(own, '/v2/positions/AAPL'), 404, 40410000)
  assert.equal((await get(own, `/v2/orders/${rest.id}`)).body.symbol, 'PEAR')
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

test('what is planned is listed, and can be taken back until it happens', async () => {
  const own = await world()
  const action = await made(own, split(3, 2))
  assert.match(action.id, UUID)
  assert.deepEqual(action, {
    id: action.id,
    type: 'forward_split',
    symbol: 'AAPL',
    status: 'scheduled',
    ex_date: TUESDAY,
    effective_at: MOMENT,
    created_at: action.created_at,
    new_rate: '3',
    old_rate: '2',
  })
  assert.deepEqual(await list(own), [action])
  const one = `${path(own.world)}/${action.id}`
  assert.equal((await callAsOperator(broker, 'DELETE', one)).status, 204)
  assert.deepEqual(await list(own), [])
  assertRefused(await callAsOperator(broker, 'DELETE', one), 404, 40410000)
  const again = await made(own, split(3, 2))
  await until(own, MOMENT)
  const [applied] = await list(own)
  assert.deepEqual([applied.status, applied.applied_at.slice(0, 19)], ['applied', MOMENT.slice(0, 19)])
  assertRefused(await callAsOperator(broker, 'DELETE', `${path(own.world)}/${again.id}`), 409, 40910000)
})

const plain = await world()
for (const [body, status, message] of [
  [{ ...split(4, 1), type: 'party' }, 422, /type/],
  [{ type: 'forward_split', symbol: 'AAPL', ex_date: TUESDAY, new_rate: 4 }, 422, /old_rate: expected/],
  [{ ...split(4, 1), type: 'reverse_split' }, 422, /new_rate: must be less than old_rate/],
  [{ ...split(1, 4), type: 'forward_split' }, 422, /new_rate: must be more than old_rate/],
  [{ ...split(4, 1), new_rate: 0 }, 422, /new_rate must be > 0/],
  [{ ...split(4, 1), ex_date: 'tomorrow' }, 422, /ex_date/],
  [split(4, 1, '2026-01-05'), 422, /ex_date: must be a day that has not begun/],
  [split(4, 1, '2026-01-10'), 422, /ex_date: must be a trading day/],
  [split(1001, 1), 422, /new_rate: must be at most 1000 times/],
  [split(900, 1), 422, /new_rate: must leave a price of at least 1/],
  [dividend('100000'), 422, /rate: must be at most half the price/],
  [dividend('1', { record_date: '2026-01-05' }), 422, /record_date: must not be before the ex-date/],
  [dividend('1', { payable_date: '2026-01-05' }), 422, /payable_date: must not be before the record date/],
  [{ type: 'name_change', symbol: 'AAPL', ex_date: TUESDAY }, 422, /new_symbol: expected/],
  [
    { type: 'name_change', symbol: 'AAPL', ex_date: TUESDAY, new_symbol: 'MSFT' },
    422,
    /new_symbol: MSFT is taken/,
  ],
  [{ type: 'delisting', symbol: 'AAPL', ex_date: TUESDAY, price: '-1' }, 422, /price: must not be less/],
  [{ type: 'delisting', symbol: 'BTC/USD', ex_date: TUESDAY }, 422, /symbol: must be of a stock/],
  [{ type: 'delisting', symbol: 'NONE', ex_date: TUESDAY }, 422, /NONE/],
] as const)
  test(`${JSON.stringify(body)}: ${status} ${message}`, async () => {
    const answer = await act(plain, body)
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    assert.match(answer.body.message, message)
    assert.deepEqual(await list(plain), [])
  })

test('only operators, and only where there is such a world', async () => {
  assert.equal((await call(plain, 'POST', path(plain.world), split(4, 1))).status, 403)
  assertRefused(await callAsOperator(broker, 'POST', path('nowhere'), split(4, 1)), 404, 40410000)
  assertRefused(await callAsOperator(broker, 'DELETE', `${path(plain.world)}/${NOBODY}`), 404, 40410000)
})

test('main has them too', async () => {
  const answer = await callAsOperator(broker, 'POST', path('main'), split(4, 1, '2030-01-02'))
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  assert.equal((await callAsOperator(broker, 'DELETE', `${path('main')}/${answer.body.id}`)).status, 204)
})

for (const [query, then] of [
  [`start=${TUESDAY}&end=2026-01-09`, ['cash_dividends', 'forward_splits']],
  [`start=${TUESDAY}&end=2026-01-09&types=forward_split`, ['forward_splits']],
  [`start=${TUESDAY}&end=2026-01-09&symbols=MSFT`, ['cash_dividends']],
  [`start=${TUESDAY}&end=${TUESDAY}`, ['forward_splits']],
  [`start=${TUESDAY}&end=2026-01-09&region=non_us`, []],
  ['', []],
] as const)
  test(`corporate actions by ${query || 'nothing: those of today'}: ${then.join(' and ') || 'none'}`, async () => {
    const own = await world()
    await made(own, split(4, 1))
    await made(own, { ...dividend('0.5', { payable_date: '2026-01-08' }), symbol: 'MSFT' })
    const { body } = await get(own, `/v1/corporate-actions?${query}`)
    assert.deepEqual(Object.keys(body.corporate_actions).sort(), then)
    for (const [record] of Object.values(body.corporate_actions) as Body[][]) {
      assert.match(record.id, UUID)
      assert.match(record.cusip, /^[0-9A-F]{8}\d$/)
    }
  })

test('pages of corporate actions have no gap and no overlap', async () => {
  const own = await world()
  for (const symbol of ['AAPL', 'MSFT', 'NVDA']) await made(own, { ...split(4, 1), symbol })
  const seen: string[] = []
  let token = ''
  for (let page = 0; page < 3; page++) {
    const { body } = await get(own, `/v1/corporate-actions?start=${TUESDAY}&limit=1${token}`)
    seen.push(...body.corporate_actions.forward_splits.map(({ symbol }: Body) => symbol))
    assert.equal(body.next_page_token === null, page === 2)
    token = `&page_token=${body.next_page_token}`
  }
  assert.deepEqual(seen.toSorted(), ['AAPL', 'MSFT', 'NVDA'])
  assertRefused(await get(own, `/v1/corporate-actions?start=${TUESDAY}&page_token=x`), 400, 40010001)
})

test('splits and dividends are announced from when they are planned', async () => {
  const own = await world()
  const action = await made(own, split(4, 1))
  const paid = { ...dividend('0.5', { payable_date: '2026-01-20' }), symbol: 'MSFT' }
  await made(own, paid)
  await made(own, { type: 'delisting', symbol: 'F', ex_date: TUESDAY })
  const announced = async (query: string): Promise<string[]> => {
    const { body } = await get(own, `/v2/corporate_actions/announcements?${query}`)
    return body.map((row: Body) => `${row.ca_type} ${row.ca_sub_type} ${row.initiating_symbol}`)
  }
  const january = 'since=2026-01-01&until=2026-01-10'
  assert.deepEqual((await announced(`ca_types=split,Dividend&${january}`)).toSorted(), [
    'dividend cash MSFT',
    'split stock_split AAPL',
  ])
  assert.deepEqual(await announced(`ca_types=split&${january}&symbol=MSFT`), [])
  assert.deepEqual(await announced(`ca_types=dividend&${january}&date_type=payable_date`), [])
  assert.deepEqual(await announced('ca_types=merger&since=2026-01-01&until=2026-01-10'), [])
  const { body } = await get(own, `/v2/corporate_actions/announcements/${action.id}`)
  assert.deepEqual(
    [body.ca_type, body.ex_date, body.declaration_date, body.old_rate, body.new_rate, body.cash],
    ['split', TUESDAY, '2026-01-05', '1', '4', '0'],
  )
})
