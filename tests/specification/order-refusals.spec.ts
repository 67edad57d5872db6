import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, callAsOperator } from '../broker.ts'
import { assertRefused, bare, broker, get, marketBuy, place, placed, restingBuy, world } from './stage.ts'

const own = await world()
await placed(own, { ...marketBuy, symbol: 'KO', qty: '10' })
await placed(own, { ...restingBuy, symbol: 'KO', side: 'sell', qty: '4', limit_price: '900' })
const events = async () => (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${own.world}`)).body.seq
const before = await events()

const without = (field: string, order: Body = marketBuy) => ({ ...order, [field]: undefined })
const inMoney = { ...without('qty'), notional: '10' }
const bracket = (more: Body): Body => ({
  ...marketBuy,
  order_class: 'bracket',
  take_profit: { limit_price: '900' },
  stop_loss: { stop_price: '1' },
  ...more,
})
const fractional = { ...restingBuy, qty: '0.5', time_in_force: 'gtc' }

const rows: readonly (readonly [
  given: string,
  order: Body,
  status: number,
  code: number,
  message: string,
])[] = [
  ['no symbol', without('symbol'), 422, 40010001, 'symbol is required'],
  ['no side', without('side'), 422, 40010001, 'invalid side'],
  ['no type', without('type'), 422, 40010001, 'invalid order type'],
  ['no time in force', without('time_in_force'), 422, 40010001, 'invalid time_in_force'],
  ['no quantity', without('qty'), 422, 40010001, 'qty or notional is required'],
  [
    'a quantity and an amount of money',
    { ...marketBuy, notional: 5 },
    422,
    40010001,
    'only one of qty or notional is accepted',
  ],
  ['a quantity of nothing', { ...marketBuy, qty: 0 }, 422, 40010001, 'qty must be > 0'],
  ['a negative quantity', { ...marketBuy, qty: '-1' }, 422, 40010001, 'qty must be > 0'],
  ['a side nobody has', { ...marketBuy, side: 'hold' }, 422, 40010001, 'invalid side'],
  ['a type nobody has', { ...marketBuy, type: 'guess' }, 422, 40010001, 'invalid order type'],
  [
    'a time in force nobody has',
    { ...marketBuy, time_in_force: 'soon' },
    422,
    40010001,
    'invalid time_in_force',
  ],
  [
    'a limit order without its price',
    without('limit_price', restingBuy),
    422,
    40010001,
    'limit orders require a limit price',
  ],
  ['a limit of nothing', { ...restingBuy, limit_price: '0' }, 422, 40010001, 'limit price must be > 0'],
  [
    'a market order with a limit',
    { ...marketBuy, limit_price: '1' },
    422,
    40010001,
    'market orders require no stop or limit price',
  ],
  [
    'a limit order with a stop',
    { ...restingBuy, stop_price: '1' },
    422,
    40010001,
    'limit orders must not have stop_price',
  ],
  [
    'a client order id of 129 characters',
    { ...marketBuy, client_order_id: 'x'.repeat(129) },
    422,
    40010001,
    'client_order_id must be no more than 128 characters',
  ],
  ['an unknown symbol', { ...marketBuy, symbol: 'ZZZZ' }, 422, 42210000, 'asset "ZZZZ" not found'],
  ['a symbol in small letters', { ...marketBuy, symbol: 'aapl' }, 422, 42210000, 'asset "aapl" not found'],
  [
    'a limit finer than a cent',
    { ...restingBuy, limit_price: '290.123' },
    422,
    42210000,
    'invalid limit_price 290.123. sub-penny increment does not fulfill minimum pricing criteria',
  ],
  ['a fraction that is not for the day', fractional, 422, 42210000, 'fractional orders must be DAY orders'],
  [
    'extended hours without a limit',
    { ...marketBuy, extended_hours: true },
    422,
    42210000,
    'extended hours order must be DAY or GTC limit orders',
  ],
  [
    'an intent that is not what it does',
    { ...marketBuy, position_intent: 'buy_to_close' },
    422,
    42210000,
    'position intent mismatch, inferred: buy_to_open, specified: buy_to_close',
  ],
  ['an amount below a dollar', { ...inMoney, notional: '0.99' }, 422, 40010001, 'notional must be >= 1.00'],
  [
    'a stop order without its price',
    { ...marketBuy, type: 'stop' },
    422,
    40010001,
    'stop orders require a stop price',
  ],
  [
    'a stop limit order without its limit',
    { ...marketBuy, type: 'stop_limit', stop_price: '900' },
    422,
    40010001,
    'stop limit orders require both stop and limit price',
  ],
  [
    'a trailing stop that trails by nothing',
    { ...marketBuy, type: 'trailing_stop' },
    422,
    40010001,
    'trailing stop orders must specify one of trail_price or trail_percent',
  ],
  [
    'a trailing stop that trails by both',
    { ...marketBuy, type: 'trailing_stop', trail_price: 1, trail_percent: 1 },
    422,
    40010001,
    'trailing stop orders must specify one of trail_price or trail_percent',
  ],
  [
    'a trail of too little',
    { ...marketBuy, type: 'trailing_stop', trail_percent: '0.09' },
    422,
    40010001,
    'trail_percent must be greater than or equal to 0.1',
  ],
  [
    'several legs and a symbol',
    { ...marketBuy, order_class: 'mleg' },
    422,
    40010001,
    'symbol is not allowed for mleg order',
  ],
  [
    'several legs',
    { ...without('symbol'), order_class: 'mleg' },
    422,
    42210000,
    'order_class mleg is not supported: options are not traded here',
  ],
  [
    'a bracket without its profit',
    { ...marketBuy, order_class: 'bracket', stop_loss: { stop_price: 1 } },
    422,
    40010001,
    'bracket orders require take_profit.limit_price',
  ],
  [
    'a bracket without its stop',
    { ...marketBuy, order_class: 'bracket', take_profit: { limit_price: 900 } },
    422,
    40010001,
    'bracket orders require stop_loss.stop_price',
  ],
  [
    'an oto with both exits',
    {
      ...marketBuy,
      order_class: 'oto',
      take_profit: { limit_price: 900 },
      stop_loss: { stop_price: 1 },
    },
    422,
    40010001,
    'oto orders require exactly one of take_profit or stop_loss',
  ],
  [
    'a stop finer than a cent',
    { ...marketBuy, type: 'stop', stop_price: '990.123' },
    422,
    42210000,
    'invalid stop_price 990.123. sub-penny increment does not fulfill minimum pricing criteria',
  ],
  [
    'a fraction of several orders',
    bracket({ qty: '0.5' }),
    422,
    42210000,
    'fractional orders must be simple orders',
  ],
  [
    'money for several orders',
    bracket({ qty: undefined, notional: '50' }),
    422,
    42210000,
    'fractional orders must be simple orders',
  ],
  [
    'a fraction to be sold short',
    { ...marketBuy, symbol: 'PFE', side: 'sell', qty: '0.5' },
    422,
    42210000,
    'fractional orders cannot be sold short',
  ],
  [
    'a stop in extended hours',
    { ...marketBuy, type: 'stop', stop_price: '900', extended_hours: true },
    422,
    42210000,
    'stop orders are not eligible for extended hours trading',
  ],
  [
    'a buy stop below the market',
    { ...marketBuy, type: 'stop', stop_price: '1' },
    422,
    42210000,
    'stop price must be greater than current price',
  ],
  [
    'a sell stop above the market',
    { ...marketBuy, symbol: 'KO', side: 'sell', type: 'stop', stop_price: '900' },
    422,
    42210000,
    'stop price must be less than current price',
  ],
  [
    'exits that cross',
    bracket({ take_profit: { limit_price: 1 }, stop_loss: { stop_price: 900 } }),
    422,
    42210000,
    'take_profit.limit_price must be > stop_loss.stop_price',
  ],
  [
    'exits of a sale that cross',
    bracket({ side: 'sell', symbol: 'PFE' }),
    422,
    42210000,
    'take_profit.limit_price must be < stop_loss.stop_price',
  ],
  ['a pair for the day', { ...marketBuy, symbol: 'BTC/USD' }, 422, 42210000, 'invalid crypto time_in_force'],
  [
    'a stop of a pair',
    { ...marketBuy, symbol: 'BTCUSD', type: 'stop', stop_price: '900000', time_in_force: 'gtc' },
    422,
    42210000,
    'invalid order type for crypto order',
  ],
  [
    'an oto of a pair',
    bracket({ symbol: 'BTC/USD', order_class: 'oto', stop_loss: undefined }),
    422,
    42210000,
    'crypto orders not allowed for advanced order_class: oto',
  ],
  [
    'an entry that closes',
    bracket({
      symbol: 'KO',
      side: 'sell',
      qty: '1',
      take_profit: { limit_price: 1 },
      stop_loss: { stop_price: 900 },
    }),
    422,
    42210000,
    'bracket orders must be entry orders',
  ],
  [
    'two exits of nothing',
    bracket({ symbol: 'PFE', side: 'sell', type: 'limit', order_class: 'oco' }),
    422,
    42210000,
    'oco orders must be exit orders',
  ],
]

for (const [given, order, status, code, message] of rows)
  test(`an order with ${given}: ${status}`, async () =>
    assertRefused(await place(own, order), status, code, message))

for (const [field, value] of [
  ['qty', 'many'],
  ['qty', '1.0000000001'],
  ['limit_price', '12,5'],
  ['extended_hours', 'perhaps'],
  ['symbol', 7],
  ['take_profit', 'soon'],
  ['legs', 'two'],
] as const)
  test(`an order whose ${field} is ${JSON.stringify(value)}: 422, and the message names the field`, async () => {
    const answer = await place(own, { ...restingBuy, [field]: value })
    assertRefused(answer, 422, 40010001, new RegExp(`^${field}\\b`))
  })

test('an exit too near to its base: 422 with the base', async () => {
  const entry = { type: 'limit', limit_price: '100', take_profit: { limit_price: '120' } }
  const near = await place(own, bracket({ ...entry, stop_loss: { stop_price: '100' } }))
  assertRefused(near, 422, 42210000, 'stop_loss.stop_price must be <= base_price - 0.01')
  assert.equal(near.body.base_price, '100')
  const profit = { take_profit: { limit_price: '100' }, stop_loss: { stop_price: '90' } }
  const low = await place(own, bracket({ ...entry, ...profit }))
  assertRefused(low, 422, 42210000, 'take_profit.limit_price must be >= base_price + 0.01')
  assert.equal(low.body.base_price, '100')
})

test('more than the buying power: 403 with the numbers', async () => {
  const answer = await place(own, { ...restingBuy, qty: '1000000' })
  assertRefused(answer, 403, 40310000, 'insufficient buying power')
  const { body: account } = await get(own, '/v2/account')
  assert.deepEqual([answer.body.buying_power, answer.body.cost_basis], [account.buying_power, '10000000'])
})

test('more than is held and free: 403 with the numbers', async () => {
  const answer = await place(own, { ...marketBuy, symbol: 'KO', side: 'sell', qty: '7' })
  const message = 'insufficient qty available for order (requested: 7, available: 6)'
  assertRefused(answer, 403, 40310000, message)
  const { symbol, existing_qty, held_for_orders, available } = answer.body
  assert.deepEqual([symbol, existing_qty, held_for_orders, available], ['KO', '10', '4', '6'])
})

const pair = { 'APCA-API-KEY-ID': own.keyId, 'APCA-API-SECRET-KEY': own.secretKey }
for (const [given, body] of [
  ['half a JSON', '{"symbol":"AAPL"'],
  ['words', 'buy one apple'],
  ['bytes that are no text', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])],
] as const)
  test(`${given} for a body: 400`, async () =>
    assertRefused(
      await bare('POST', '/v2/orders', pair, body),
      400,
      40010000,
      'failed to decode request body',
    ))

for (const [given, body] of [
  ['no body at all', undefined],
  ['a list', '[1]'],
  ['a number', '17'],
  ['null', 'null'],
] as const)
  test(`${given} for an order: 422`, async () =>
    assertRefused(await bare('POST', '/v2/orders', pair, body), 422, 40010001))

for (const [given, method, path] of [
  ['placing', 'POST', '/v2/orders'],
  ['listing', 'GET', '/v2/orders'],
  ['reading', 'GET', '/v2/orders/00000000-0000-4000-8000-000000000000'],
  ['reading by client order id', 'GET', '/v2/orders:by_client_order_id?client_order_id=x'],
  ['replacing', 'PATCH', '/v2/orders/00000000-0000-4000-8000-000000000000'],
  ['cancelling', 'DELETE', '/v2/orders/00000000-0000-4000-8000-000000000000'],
  ['cancelling all', 'DELETE', '/v2/orders'],
] as const) {
  test(`${given} without credentials: 401`, async () =>
    assertRefused(await bare(method, path), 401, 40110000, 'unauthorized.'))
  test(`${given} as a partner: 403`, async () =>
    assertRefused(await call(own.partner, method, path), 403, 40310000, 'forbidden'))
}

test('none of these refusals has left anything behind', async () => assert.equal(await events(), before))
