import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../support/broker.ts'
import {
  actionsPath,
  advanceTo,
  assertRefused,
  broker,
  buy,
  createAction,
  dividend,
  EFFECTIVE_AT,
  get,
  listActions,
  mintShares,
  newWorld,
  participant,
  postAction,
  postMint,
  split,
  TUESDAY,
  UNKNOWN_ID,
  UUID,
} from './stage.ts'

test('a scheduled action is listed and can be deleted until it is applied', async () => {
  const world = await newWorld()
  const action = await createAction(world, split(3, 2))
  assert.match(action.id, UUID)
  assert.deepEqual(action, {
    id: action.id,
    type: 'forward_split',
    symbol: 'AAPL',
    status: 'scheduled',
    ex_date: TUESDAY,
    effective_at: EFFECTIVE_AT,
    created_at: action.created_at,
    new_rate: '3',
    old_rate: '2',
  })
  assert.deepEqual(await listActions(world), [action])
  const one = `${actionsPath(world.world)}/${action.id}`
  assert.equal((await callAsOperator(broker, 'DELETE', one)).status, 204)
  assert.deepEqual(await listActions(world), [])
  assertRefused(await callAsOperator(broker, 'DELETE', one), 404, 40410000)
  const again = await createAction(world, split(3, 2))
  await advanceTo(world, EFFECTIVE_AT)
  const [applied] = await listActions(world)
  assert.deepEqual([applied.status, applied.applied_at.slice(0, 19)], ['applied', EFFECTIVE_AT.slice(0, 19)])
  assertRefused(
    await callAsOperator(broker, 'DELETE', `${actionsPath(world.world)}/${again.id}`),
    409,
    40910000,
  )
})

const plain = await newWorld()
for (const [body, status, message] of [
  [{ ...split(4, 1), type: 'party' }, 422, /type/],
  [
    { type: 'forward_split', symbol: 'AAPL', ex_date: TUESDAY, new_rate: 4 },
    422,
    /old_rate: required for type forward_split/,
  ],
  [{ ...split(4, 1), type: 'reverse_split' }, 422, /new_rate: must be less than old_rate/],
  [{ ...split(1, 4), type: 'forward_split' }, 422, /new_rate: must be more than old_rate/],
  [{ ...split(4, 1), new_rate: 0 }, 422, /new_rate must be > 0/],
  [{ ...split(4, 1), ex_date: 'tomorrow' }, 422, /ex_date/],
  [split(4, 1, '2026-01-05'), 422, /ex_date: must be a day that has not begun/],
  [split(4, 1, '2026-01-10'), 422, /ex_date: must be a trading day/],
  [split(1001, 1), 422, /new_rate: must be between a 1000th/],
  [split(900, 1), 422, /new_rate: must leave a price of at least 1/],
  [dividend('100000'), 422, /rate: must be at most half the price/],
  [dividend('1', { record_date: '2026-01-05' }), 422, /record_date: must not be before the ex-date/],
  [dividend('1', { payable_date: '2026-01-05' }), 422, /payable_date: must not be before the record date/],
  [
    { type: 'name_change', symbol: 'AAPL', ex_date: TUESDAY },
    422,
    /new_symbol: required for type name_change/,
  ],
  [
    { type: 'name_change', symbol: 'AAPL', ex_date: TUESDAY, new_symbol: 'MSFT' },
    422,
    /new_symbol: MSFT is already in use/,
  ],
  [{ type: 'delisting', symbol: 'AAPL', ex_date: TUESDAY, price: '-1' }, 422, /price: must not be less/],
  [{ type: 'delisting', symbol: 'BTC/USD', ex_date: TUESDAY }, 422, /symbol: must be the symbol of a stock/],
  [{ type: 'delisting', symbol: 'NONE', ex_date: TUESDAY }, 422, /NONE/],
] as const)
  test(`${JSON.stringify(body)}: ${status} ${message}`, async () => {
    const response = await postAction(plain, body)
    assert.equal(response.status, status, JSON.stringify(response.body))
    assert.match(response.body.message, message)
    assert.deepEqual(await listActions(plain), [])
  })

test('only an operator may create actions, and only in an existing world', async () => {
  assert.equal((await call(plain, 'POST', actionsPath(plain.world), split(4, 1))).status, 403)
  assertRefused(await callAsOperator(broker, 'POST', actionsPath('nowhere'), split(4, 1)), 404, 40410000)
  assertRefused(
    await callAsOperator(broker, 'DELETE', `${actionsPath(plain.world)}/${UNKNOWN_ID}`),
    404,
    40410000,
  )
})

test('main has corporate actions too', async () => {
  const response = await callAsOperator(broker, 'POST', actionsPath('main'), split(4, 1, '2030-01-02'))
  assert.equal(response.status, 201, JSON.stringify(response.body))
  assert.equal(
    (await callAsOperator(broker, 'DELETE', `${actionsPath('main')}/${response.body.id}`)).status,
    204,
  )
})

for (const [query, then] of [
  [`start=${TUESDAY}&end=2026-01-09`, ['cash_dividends', 'forward_splits']],
  [`start=${TUESDAY}&end=2026-01-09&types=forward_split`, ['forward_splits']],
  [`start=${TUESDAY}&end=2026-01-09&symbols=MSFT`, ['cash_dividends']],
  [`start=${TUESDAY}&end=${TUESDAY}`, ['forward_splits']],
  [`start=${TUESDAY}&end=2026-01-09&region=non_us`, []],
  ['', []],
] as const)
  test(`corporate actions by ${query || 'no filter (today)'}: ${then.join(' and ') || 'none'}`, async () => {
    const world = await newWorld()
    await createAction(world, split(4, 1))
    await createAction(world, { ...dividend('0.5', { payable_date: '2026-01-08' }), symbol: 'MSFT' })
    const { body } = await get(world, `/v1/corporate-actions?${query}`)
    assert.deepEqual(Object.keys(body.corporate_actions).sort(), then)
    for (const [record] of Object.values(body.corporate_actions) as Body[][]) {
      assert.match(record.id, UUID)
      assert.match(record.cusip, /^[0-9A-F]{8}\d$/)
    }
  })

test('the joined pages of corporate actions are the complete list', async () => {
  const world = await newWorld()
  for (const symbol of ['AAPL', 'MSFT', 'NVDA']) await createAction(world, { ...split(4, 1), symbol })
  const symbols: string[] = []
  let token = ''
  for (let page = 0; page < 3; page++) {
    const { body } = await get(world, `/v1/corporate-actions?start=${TUESDAY}&limit=1${token}`)
    symbols.push(...body.corporate_actions.forward_splits.map(({ symbol }: Body) => symbol))
    assert.equal(body.next_page_token === null, page === 2)
    token = `&page_token=${body.next_page_token}`
  }
  assert.deepEqual(symbols.toSorted(), ['AAPL', 'MSFT', 'NVDA'])
  assertRefused(await get(world, `/v1/corporate-actions?start=${TUESDAY}&page_token=x`), 400, 40010001)
})

test('splits and dividends are announced as soon as they are scheduled', async () => {
  const world = await newWorld()
  const action = await createAction(world, split(4, 1))
  const paid = { ...dividend('0.5', { payable_date: '2026-01-20' }), symbol: 'MSFT' }
  await createAction(world, paid)
  await createAction(world, { type: 'delisting', symbol: 'F', ex_date: TUESDAY })
  const announced = async (query: string): Promise<string[]> => {
    const { body } = await get(world, `/v2/corporate_actions/announcements?${query}`)
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
  const { body } = await get(world, `/v2/corporate_actions/announcements/${action.id}`)
  assert.deepEqual(
    [body.ca_type, body.ex_date, body.declaration_date, body.old_rate, body.new_rate, body.cash],
    ['split', TUESDAY, '2026-01-05', '1', '4', '0'],
  )
})

const DELISTING = { type: 'delisting', symbol: 'AAPL', ex_date: TUESDAY }

test('a stock with tokens cannot be delisted, but it can be split', async () => {
  const world = await participant()
  const { id } = await createAction(world, DELISTING)
  assertRefused(await postMint(world), 400, 40010000, /AAPL is about to be delisted/)
  await callAsOperator(broker, 'DELETE', `${actionsPath(world.world)}/${id}`)
  await mintShares(world)
  await world.advance('1m')
  assertRefused(await postAction(world, DELISTING), 409, 40910000, /AAPL has tokens or pending mints/)
  assert.equal((await postAction(world, split(4, 1))).status, 201)
})

test('a dividend: recorded on the ex-date, paid on the pay date', async () => {
  const world = await newWorld({ hours: 'nyse' })
  await buy(world, '10')
  await world.advance('1m')
  await createAction(world, dividend('0.25', { record_date: TUESDAY, payable_date: '2026-01-08' }))
  await advanceTo(world, '2026-01-06T15:00:00Z')
  const before = (await get(world, '/v2/account')).body.cash
  await advanceTo(world, '2026-01-08T05:00:00Z')
  const after = (await get(world, '/v2/account')).body.cash
  assert.equal((Number(after) - Number(before)).toFixed(2), '2.50')
  const [row] = (await get(world, '/v2/account/activities/DIV')).body
  const { activity_type, activity_sub_type, symbol, net_amount, per_share_amount, date } = row
  assert.deepEqual(
    [activity_type, activity_sub_type, symbol, net_amount, per_share_amount, date, row.qty],
    ['DIV', 'CDIV', 'AAPL', '2.5', '0.25', '2026-01-08', '10'],
  )
  assert.equal(row.description, 'Cash dividend of AAPL, 0.25 a share for 10 shares')
})

const descriptions = {
  SPLIT: 'Forward split of AAPL, from 10 to 40 shares',
  NC: 'Symbol change from AAPL to PEAR',
  REORG: 'Delisting of AAPL, worthless',
}

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
    const world = await newWorld({ hours: 'nyse' })
    await buy(world, '10')
    await world.advance('1m')
    const { id } = await createAction(world, body)
    await advanceTo(world, EFFECTIVE_AT)
    const activities = (await get(world, `/v2/account/activities/${type}`)).body
    assert.deepEqual(
      activities.map((row: Body) => [row.activity_sub_type, row.symbol, row.qty, row.net_amount]),
      rows,
    )
    for (const row of activities)
      assert.deepEqual([row.date, row.group_id, row.description], [TUESDAY, id, descriptions[type]])
  })
