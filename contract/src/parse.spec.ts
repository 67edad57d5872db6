import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemResponse } from './error-responses.ts'
import type { Operation } from './operation.ts'
import { type OperationName, operations } from './operations.ts'
import { parseInput, type RawRequest, readQuery } from './parse.ts'

const queries: readonly [text: string, then: Record<string, unknown>][] = [
  ['', {}],
  ['a=1&b=2', { a: '1', b: '2' }],
  ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
  ['a=', {}],
  ['a', {}],
  ['&&a=1&', { a: '1' }],
  ['a=x+y', { a: 'x y' }],
  ['a=x%2By', { a: 'x+y' }],
  ['symbols=A%2CB', { symbols: 'A,B' }],
  ['a=%zz', { a: '%zz' }],
  ['a=b=c', { a: 'b=c' }],
  ['__proto__=1', {}],
  ['constructor=1', { constructor: '1' }],
]

for (const [text, then] of queries) {
  test(`the query ${JSON.stringify(text)} is parsed`, () => assert.deepEqual(readQuery(text), then))
}

const nothing: RawRequest = { params: {}, query: {}, headers: {}, body: undefined }

/** The error for a request, as `status code message`. */
function errorOf(name: OperationName, request: Partial<RawRequest>): string {
  const operation = operations[name]
  const { problems } = parseInput(operation, { ...nothing, ...request })
  if (problems.length === 0) return 'fine'
  const { status, body } = problemResponse(operation.family, problems)
  return `${status} ${body.code} ${body.message}`
}

const order = { symbol: 'AAPL', qty: 1, side: 'buy', type: 'market', time_in_force: 'day' }
const limit = { ...order, type: 'limit' }

const bodies: readonly [body: unknown, then: string][] = [
  [order, 'fine'],
  [{ ...order, qty: '1.0', extended_hours: null, colour: 'red' }, 'fine'],
  [undefined, '422 40010001 invalid order type'],
  [[], '422 40010001 body: expected a record, received a list'],
  [{ ...order, side: 'long' }, '422 40010001 invalid side'],
  [{ ...order, side: undefined }, '422 40010001 invalid side'],
  [{ ...order, symbol: undefined }, '422 40010001 symbol is required'],
  [{ ...order, type: 'lmt' }, '422 40010001 invalid order type'],
  [{ ...order, order_class: 'pair' }, '422 40010001 invalid order_class'],
  [{ ...order, qty: undefined }, '422 40010001 qty or notional is required'],
  [{ ...order, notional: 5 }, '422 40010001 only one of qty or notional is accepted'],
  [{ ...order, qty: 0 }, '422 40010001 qty must be > 0'],
  [{ ...order, qty: -1 }, '422 40010001 qty must be > 0'],
  [{ ...order, qty: undefined, notional: '0.99' }, '422 40010001 notional must be >= 1.00'],
  [{ ...order, limit_price: 5 }, '422 40010001 market orders require no stop or limit price'],
  [limit, '422 40010001 limit orders require a limit price'],
  [{ ...limit, limit_price: '12,5' }, '422 40010001 limit_price: expected a decimal, received "12,5"'],
  [{ ...limit, limit_price: 0 }, '422 40010001 limit price must be > 0'],
  [{ ...limit, limit_price: 5, stop_price: 4 }, '422 40010001 limit orders must not have stop_price'],
  [{ ...order, type: 'stop' }, '422 40010001 stop orders require a stop price'],
  [
    { ...order, type: 'stop_limit', stop_price: 5 },
    '422 40010001 stop limit orders require both stop and limit price',
  ],
  [
    { ...order, type: 'trailing_stop' },
    '422 40010001 trailing stop orders must specify one of trail_price or trail_percent',
  ],
  [
    { ...order, type: 'trailing_stop', trail_percent: 0.05 },
    '422 40010001 trail_percent must be greater than or equal to 0.1',
  ],
  [{ ...order, order_class: 'mleg' }, '422 40010001 symbol is not allowed for mleg order'],
  [{ ...order, client_order_id: '' }, 'fine'],
  [{ ...order, client_order_id: 'x'.repeat(128) }, 'fine'],
  [
    { ...order, client_order_id: 'x'.repeat(129) },
    '422 40010001 client_order_id must be no more than 128 characters',
  ],
  [{ ...order, client_order_id: 5 }, '422 40010001 client_order_id: expected text, received 5'],
  [{ ...order, client_order_id: ['a'] }, '422 40010001 client_order_id: expected text, received a list'],
  [{ ...order, client_order_id: '\u{1f600}' }, 'fine'],
  [
    { ...order, client_order_id: 'a\ud83d' },
    '422 40010001 client_order_id: expected text without half a surrogate pair, received "a\\ud83d"',
  ],
  [
    { ...order, legs: [{}, { symbol: '\udc00' }] },
    '422 40010001 legs[1].symbol: expected text without half a surrogate pair, received "\\udc00"',
  ],
  [
    { ...order, unknown: { nested: { field: ['\ud800'] } } },
    '422 40010001 unknown.nested.field[0]: expected text without half a surrogate pair, received "\\ud800"',
  ],
  [
    { ...order, '\ud800': 1 },
    '422 40010001 body: expected text without half a surrogate pair, received "\\ud800"',
  ],
]

for (const [index, [body, then]] of bodies.entries()) {
  test(`order body ${index + 1} returns ${then}`, () => assert.equal(errorOf('placeOrder', { body }), then))
}

const queryOf = (query: string): Partial<RawRequest> => ({ query: readQuery(query) })
const required = `query parameter 'symbols' is required`

const calls: readonly [name: OperationName, request: Partial<RawRequest>, then: string][] = [
  [
    'listOrders',
    queryOf('nested=True&after=2026-01-01T00:00:00+00:00&asset_class=us_equity&asset_class=crypto'),
    'fine',
  ],
  [
    'listOrders',
    queryOf('limit=501'),
    '422 40010001 limit: expected a whole number from 1 to 500, received "501"',
  ],
  [
    'listOrders',
    queryOf(`after_order_id=${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}&after=2026-01-01`),
    '422 40010001 before_order_id and after_order_id exclude after and until',
  ],
  ['getOrderByClientOrderId', queryOf('client_order_id='), '422 40010001 client_order_id is required'],
  [
    'getOrderByClientOrderId',
    queryOf('client_order_id=a&client_order_id=b'),
    '422 40010001 client_order_id: expected text of 1 to 128 characters, received a list',
  ],
  ['getOrder', { params: { order_id: 'x' } }, '422 40010001 order_id is missing'],
  [
    'stockBars',
    queryOf('symbols=AAPL,MSFT&timeframe=1Day&start=2026-01-02&adjustment=split,dividend'),
    'fine',
  ],
  ['stockBars', queryOf('symbols=A&timeframe=1Day&asof=-'), 'fine'],
  [
    'stockBars',
    queryOf('symbols=A&timeframe=1Day&asof=2026-02-30'),
    '400 40010001 asof: expected a date or -',
  ],
  ['stockBars', queryOf('timeframe=1Day'), `400 40010001 Invalid format for parameter symbols: ${required}`],
  [
    'stockBars',
    queryOf('symbols=aapl,MSFT&timeframe=1Day'),
    '400 40010001 invalid symbol(s): aapl does not match ^[A-Z0-9]{1,16}(?:[./-][A-Z0-9]{1,16})?$',
  ],
  [
    'stockBars',
    queryOf('symbols=A&timeframe=1Day&start=2026-01-02T00:00:00'),
    "400 40010001 Invalid format for parameter start: error parsing '2026-01-02T00:00:00' as RFC3339 or 2006-01-02 time",
  ],
  [
    'stockBars',
    queryOf('symbols=A&timeframe=1Day&limit=10001'),
    '400 40010001 limit: expected a whole number from 1 to 10000, received "10001"',
  ],
  [
    'stockLatestTradeSingle',
    { params: { symbol: 'a b' } },
    '400 40010001 invalid symbol(s): a b does not match ^[A-Z0-9]{1,16}(?:[./-][A-Z0-9]{1,16})?$',
  ],
  ['authorizeOAuthToken', { body: { client_id: 5 } }, 'fine'],
  ['createWorld', {}, 'fine'],
  [
    'createWorld',
    { body: { start: '2050-01-01' } },
    '422 40010001 start: expected an instant from 1970 to 2049',
  ],
  ['createWorld', { body: { start: '2049-12-31' } }, 'fine'],
  [
    'createWorld',
    { body: { seed: 'a b' } },
    '422 40010001 seed: expected a seed of 1 to 64 printable characters, or a whole number, received "a b"',
  ],
  ['advanceClock', { params: { world: 'w' } }, '422 40010001 give exactly one of by, to or until'],
  ['advanceClock', { params: { world: 'w' }, body: { by: '1h' } }, 'fine'],
  [
    'advanceClock',
    { params: { world: 'w' }, body: { by: '1h', until: 'next_open' } },
    '422 40010001 give exactly one of by, to or until',
  ],
]

for (const [name, request, then] of calls) {
  test(`${name} with ${JSON.stringify(request).slice(0, 80)} returns ${then}`, () =>
    assert.equal(errorOf(name, request), then))
}

const frames: readonly [timeframe: string, then: string][] = [
  ['1Min', '1 minute'],
  ['59T', '59 minute'],
  ['23Hour', '23 hour'],
  ['4H', '4 hour'],
  ['1D', '1 day'],
  ['1Week', '1 week'],
  ['12M', '12 month'],
  ['60Min', 'invalid timeframe'],
  ['24H', 'invalid timeframe'],
  ['2Day', 'invalid timeframe'],
  ['5Month', 'invalid timeframe'],
  ['0Min', 'invalid timeframe'],
]

for (const [timeframe, then] of frames) {
  test(`timeframe ${timeframe} is ${then}`, () => {
    const { input, problems } = parseInput(operations.stockBars, {
      ...nothing,
      query: { symbols: 'A', timeframe },
    })
    const { timeframe: read } = input.query as { timeframe?: { amount: number; unit: string } }
    assert.equal(problems[0]?.message.slice(0, 17) ?? `${read?.amount} ${read?.unit}`, then)
  })
}

test('duplicate symbols are removed', () => {
  const { input } = parseInput(operations.stockBars, {
    ...nothing,
    query: { symbols: 'B,A,B', timeframe: '1D' },
  })
  assert.deepEqual((input.query as { symbols: string[] }).symbols, ['B', 'A'])
})

test('no text in any body may have half a surrogate pair', () => {
  for (const [name, operation] of Object.entries(operations)) {
    const declared: Operation = operation
    if (declared.body === undefined) continue
    const error = errorOf(name as OperationName, { body: { note: '\ud800' } })
    assert.match(error, /^4\d\d .*note: expected text without half a surrogate pair/, name)
  }
})

test('a deeply nested body is checked by its shape only', () => {
  const body = JSON.parse(`{"deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)
  assert.equal(errorOf('placeOrder', { body }), '422 40010001 invalid order type')
})
