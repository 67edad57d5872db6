import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../broker.ts'
import { act, dividend, list, MOMENT, made, path, split, TUESDAY, until } from './corporate.ts'
import { mint, minted, participant } from './minting.ts'
import { assertRefused, broker, get, NOBODY, UUID, world } from './stage.ts'

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
  [split(1001, 1), 422, /new_rate: must be between a 1000th/],
  [split(900, 1), 422, /new_rate: must leave a price of at least 1/],
  [dividend('100000'), 422, /rate: must be at most half the price/],
  [dividend('1', { record_date: '2026-01-05' }), 422, /record_date: must not be before the ex-date/],
  [dividend('1', { payable_date: '2026-01-05' }), 422, /payable_date: must not be before the record date/],
  [{ type: 'name_change', symbol: 'AAPL', ex_date: TUESDAY }, 422, /new_symbol: expected/],
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

const DELISTING = { type: 'delisting', symbol: 'AAPL', ex_date: TUESDAY }

test('tokens keep their shares: none is delisted from under them, and splits go along', async () => {
  const own = await participant()
  const { id } = await made(own, DELISTING)
  assertRefused(await mint(own), 400, 40010000, /AAPL is about to be delisted/)
  await callAsOperator(broker, 'DELETE', `${path(own.world)}/${id}`)
  await minted(own)
  await own.advance('1m')
  assertRefused(await act(own, DELISTING), 409, 40910000, /there are tokens of AAPL/)
  assert.equal((await act(own, split(4, 1))).status, 201)
})
