import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemResponse } from './error-responses.ts'
import { type OperationName, operations } from './operations.ts'
import { parseInput, type RawRequest, readQuery } from './parse.ts'

const ID = '00000000-0000-4000-8000-000000000000'

// Requests of public clients that a strict parser would refuse.

type Parsed = { readonly [field: string]: unknown } | string

/** The parsed body, otherwise the query; or the error, as `status code message`. */
function parse(name: OperationName, request: Partial<RawRequest>): Parsed {
  const operation = operations[name]
  const complete = {
    params: { order_id: ID, client_id: 'app', world: 'main', account_id: ID },
    query: { name: 'old' },
    headers: {},
    body: undefined,
    ...request,
  }
  const { input, problems } = parseInput(operation, complete)
  if (problems.length === 0) return (input.body ?? input.query) as Parsed
  const { status, body } = problemResponse(operation.family, problems)
  return `${status} ${body.code} ${body.message}`
}

const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
const limit = { ...order, type: 'limit', limit_price: '10' }
const defaults = { extended_hours: false, order_class: '' }

const rows: readonly [name: OperationName, body: object, then: Parsed][] = [
  // Empty text in an optional field counts as absent.
  [
    'placeOrder',
    {
      ...order,
      client_order_id: '',
      limit_price: '',
      stop_loss: '',
      position_intent: '',
      order_class: '',
      extended_hours: '',
    },
    { ...order, ...defaults },
  ],
  ['placeOrder', { ...limit, limit_price: '' }, '422 40010001 limit orders require a limit price'],
  ['placeOrder', { ...order, symbol: '' }, '422 40010001 symbol is required'],
  ['placeOrder', { ...order, type: '' }, '422 40010001 invalid order type'],
  ['replaceOrder', { qty: null, limit_price: '9', time_in_force: '' }, { limit_price: '9' }],
  ['patchAccountConfigurations', { trade_confirm_email: '', no_shorting: '' }, {}],
  ['updateWatchlistByName', { name: '', symbols: ['A'] }, { symbols: ['A'] }],
  ['updateOAuthClient', { developer: '', token_expires_in: '', name: 'New' }, { name: 'New' }],
  ['createKey', { kind: '', public_key: '' }, { kind: 'account' }],
  ['updateAccount', { contact: '', identity: { given_name: 'Ada' } }, { identity: { given_name: 'Ada' } }],
  // An order without time_in_force is a day order.
  ['placeOrder', { ...order, time_in_force: undefined }, { ...order, ...defaults }],
  ['placeOrder', { ...order, time_in_force: '' }, { ...order, ...defaults }],
  ['placeOrder', { ...order, time_in_force: 'fortnight' }, '422 40010001 invalid time_in_force'],
  // Only the first nine decimals of a quantity count. Python's Decimal(0.001) has 60, and Decimal(9.55) has 48.
  [
    'placeOrder',
    { ...order, qty: '0.001000000000000000020816681711721685132943093776702880859375' },
    { ...order, ...defaults, qty: '0.001' },
  ],
  [
    'createJournal',
    { entry_type: 'JNLS', from_account: ID, to_account: ID, symbol: 'A', qty: 1 / 3 },
    { entry_type: 'JNLS', from_account: ID, to_account: ID, symbol: 'A', qty: '0.333333333' },
  ],
  [
    'placeOrder',
    { ...limit, limit_price: '9.550000000000000710542735760100185871124267578125' },
    { ...limit, ...defaults, limit_price: '9.550000000000000710542735760100185871124267578125' },
  ],
  ['placeOrder', { ...order, qty: 352.7336860670194 }, { ...order, ...defaults, qty: '352.733686067' }],
  ['placeOrder', { ...order, qty: '0.0000000001' }, '422 40010001 qty must be > 0'],
  [
    'placeOrder',
    { ...order, qty: undefined, notional: 1000.123456789012 },
    { ...order, ...defaults, qty: undefined, notional: '1000.123456789' },
  ],
  [
    'placeOrder',
    { ...order, qty: undefined, notional: '0.99999999999' },
    '422 40010001 notional must be >= 1.00',
  ],
  ['replaceOrder', { qty: 3.0000000000000004 }, { qty: '3' }],
  // All decimals of a price count: the tick rule refuses them.
  [
    'placeOrder',
    { ...limit, limit_price: 283.49999999999994 },
    { ...limit, ...defaults, limit_price: '283.49999999999994' },
  ],
]

for (const [index, [name, body, then]] of rows.entries())
  test(`${index + 1}: ${name} reads ${JSON.stringify(body)}`, () =>
    assert.deepEqual(plain(parse(name, { body })), plain(then)))

/** Without undefined fields. */
const plain = (value: Parsed): unknown => JSON.parse(JSON.stringify(value))

for (const [timeframe, amount, unit] of [
  ['1min', 1, 'minute'],
  ['15MIN', 15, 'minute'],
  ['1hour', 1, 'hour'],
  ['1day', 1, 'day'],
  ['1WEEK', 1, 'week'],
  ['1month', 1, 'month'],
  ['1M', 1, 'month'],
  ['1T', 1, 'minute'],
] as const)
  test(`the timeframe ${timeframe} is ${amount} ${unit}`, () =>
    assert.deepEqual(
      Object(parse('cryptoBars', { ...us, query: readQuery(`symbols=BTC/USD&timeframe=${timeframe}`) }))
        .timeframe,
      { amount, unit },
    ))

const us = { params: { loc: 'us' } }

for (const timeframe of ['1m', '1t', '1h', '1d', '1w'])
  test(`the timeframe ${timeframe} is refused: a single letter is case-sensitive`, () =>
    assert.match(
      String(parse('cryptoBars', { ...us, query: readQuery(`symbols=BTC/USD&timeframe=${timeframe}`) })),
      /^400 40010001 invalid timeframe/,
    ))

test('the timeframe of the portfolio history is case-insensitive', () => {
  assert.equal(
    Object(parse('getPortfolioHistory', { query: readQuery('timeframe=15min') })).timeframe,
    '15Min',
  )
  assert.match(String(parse('getPortfolioHistory', { query: readQuery('timeframe=1d') })), /^422 40010001/)
})

test('an empty header does not count as absent', () => {
  const headers = { 'idempotency-key': '' }
  const { problems } = parseInput(operations.postTokenizationMint, {
    params: {},
    query: {},
    headers,
    body: {},
  })
  assert.ok(problems.some(({ field }) => field === 'idempotency-key'))
})
