import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call } from '../support/broker.ts'
import {
  assertRefused,
  broker,
  callWithHeaders,
  get,
  marketBuy,
  newWorld,
  placeOrder,
  postOrder,
  restingBuy,
  UUID,
  type World,
} from './stage.ts'

const account = async (caller: Parameters<typeof get>[0]) => {
  const { status, body } = await get(caller, '/v2/account')
  assert.equal(status, 200)
  return body
}

test('GET /v2/account returns number, status, buying power and equity', async () => {
  const { account_number, status, buying_power, equity } = await account(broker)
  assert.match(account_number, /^[A-Z0-9]{8,}$/)
  assert.deepEqual([status, buying_power, equity], ['ACTIVE', '400000', '100000'])
})

const fieldTypes = {
  amount:
    'cash equity last_equity portfolio_value long_market_value short_market_value position_market_value ' +
    'buying_power regt_buying_power non_marginable_buying_power options_buying_power effective_buying_power ' +
    'bod_dtbp initial_margin maintenance_margin last_maintenance_margin sma accrued_fees ' +
    'pending_reg_taf_fees intraday_adjustments multiplier',
  boolean: 'shorting_enabled trading_blocked transfers_blocked account_blocked trade_suspended_by_user',
  integer: 'options_approved_level options_trading_level crypto_tier',
}
const isOfType = {
  amount: (value: unknown) => typeof value === 'string' && /^-?\d+(\.\d*[1-9])?$/.test(value),
  boolean: (value: unknown) => typeof value === 'boolean',
  integer: (value: unknown) => Number.isInteger(value),
}

for (const type of ['amount', 'boolean', 'integer'] as const)
  for (const field of fieldTypes[type].split(' '))
    test(`the record has ${field}, ${type === 'amount' ? 'a decimal string' : `of type ${type}`}`, async () => {
      const record = await account(broker)
      assert.ok(isOfType[type](record[field]), `${field}: ${record[field]}`)
    })

test('the record has its id, currency and times', async () => {
  const record = await account(broker)
  assert.match(record.id, UUID)
  assert.equal(record.id, broker.accountId)
  assert.equal(record.currency, 'USD')
  assert.match(record.balance_asof, /^\d{4}-\d{2}-\d{2}$/)
  assert.match(record.created_at, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/)
})

const buyingPowers = (record: Record<string, string>) => ({
  multiplier: record['multiplier'],
  buying: record['buying_power'],
  regT: record['regt_buying_power'],
  cashOnly: record['non_marginable_buying_power'],
  options: record['options_buying_power'],
})

for (const [title, cash, multiplier, buying, regT, cashOnly] of [
  ['a fresh account of 100,000: four times equity', '100000', '4', '400000', '200000', '100000'],
  ['equity of 2,000, the minimum for margin', '2000', '4', '8000', '4000', '2000'],
  [
    'equity of 1,999.99: no margin, every buying power is cash',
    '1999.99',
    '1',
    '1999.99',
    '1999.99',
    '1999.99',
  ],
  ['equity of 500: no margin, every buying power is cash', '500', '1', '500', '500', '500'],
] as const)
  test(`buying power with ${title}`, async () => {
    const record = await account(await newWorld({ cash }))
    assert.deepEqual(buyingPowers(record), { multiplier, buying, regT, cashOnly, options: cashOnly })
    assert.deepEqual([record.cash, record.equity, record.last_equity], [cash, cash, cash])
    assert.deepEqual([record.initial_margin, record.maintenance_margin], ['0', '0'])
  })

test('an open buy reduces buying power but not cash; its cancel restores buying power', async () => {
  const world = await newWorld()
  const { id } = await placeOrder(world, { ...restingBuy, qty: '100' })
  const during = await account(world)
  assert.deepEqual(buyingPowers(during), {
    multiplier: '4',
    buying: '399000',
    regT: '199000',
    cashOnly: '99000',
    options: '99000',
  })
  assert.equal(during.cash, '100000')
  await fetch(`${world.url}/v2/orders/${id}`, {
    method: 'DELETE',
    headers: { 'APCA-API-KEY-ID': world.keyId, 'APCA-API-SECRET-KEY': world.secretKey },
  })
  assert.equal((await account(world)).buying_power, '400000')
})

test('a position: initial margin is 50 % of its value, maintenance margin 30 %, and buying power follows', async () => {
  const world = await newWorld()
  await placeOrder(world, { ...marketBuy, qty: '100' })
  const record = await account(world)
  const [cash, long, equity, initial, maintenance] = [
    'cash',
    'long_market_value',
    'equity',
    'initial_margin',
    'maintenance_margin',
  ].map((field) => Math.round(Number(record[field]) * 1e6)) as [number, number, number, number, number]
  assert.ok(long > 0)
  assert.equal(equity, cash + long)
  assert.equal(initial, long / 2)
  assert.equal(maintenance, (long * 3) / 10)
  assert.equal(Math.round(Number(record.regt_buying_power) * 1e6), 2 * (equity - initial))
  assert.equal(Math.round(Number(record.options_buying_power) * 1e6), equity - initial)
  assert.equal(Math.round(Number(record.buying_power) * 1e6), 4 * equity - long)
  assert.equal(record.last_equity, '100000')
})

test('intraday_adjustments has the deposits and withdrawals of the day', async () => {
  const world = await newWorld()
  const transfer = (direction: string, amount: string) =>
    call(world.partner, 'POST', `/v1/accounts/${world.accountId}/transfers`, {
      direction,
      amount,
      transfer_type: 'ach',
    })
  assert.equal((await account(world)).intraday_adjustments, '0')
  for (const [direction, amount, adjusted] of [
    ['INCOMING', '500.5', '500.5'],
    ['OUTGOING', '1500', '-999.5'],
  ] as const) {
    const { status, body } = await transfer(direction, amount)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal((await account(world)).intraday_adjustments, adjusted)
  }
  await world.advance('24h')
  const { intraday_adjustments, last_equity } = await account(world)
  assert.deepEqual([intraday_adjustments, last_equity], ['0', '99000.5'])
})

test('an order of one account does not change another account', async () => {
  const world = await newWorld({ accounts: 2 })
  const [, other] = world.created.accounts
  await placeOrder(world, marketBuy)
  const untouched = await account({ url: world.url, keyId: other.key_id, secretKey: other.secret_key })
  assert.deepEqual([untouched.id, untouched.cash], [other.account_id, '100000'])
})

const pair = { 'APCA-API-KEY-ID': broker.keyId, 'APCA-API-SECRET-KEY': broker.secretKey }
const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

for (const [title, headers] of [
  ['a key identifier and a secret', pair],
  ['the same pair as Basic', basic(broker.keyId, broker.secretKey)],
  ['both at once, naming the same key', { ...pair, ...basic(broker.keyId, broker.secretKey) }],
] as const)
  test(`${title}: 200`, async () => {
    const { status, body } = await callWithHeaders('GET', '/v2/account', headers)
    assert.deepEqual([status, body.id], [200, broker.accountId])
  })

for (const [title, headers] of [
  ['no credentials', {}],
  ['an unknown key', { ...pair, 'APCA-API-KEY-ID': 'PKNOBODY' }],
  ['a wrong secret', { ...pair, 'APCA-API-SECRET-KEY': 'wrong' }],
  ['a secret without its key', { 'APCA-API-SECRET-KEY': broker.secretKey }],
  ['an unknown token', { Authorization: 'Bearer 00000000-0000-4000-8000-000000000000' }],
  ['malformed Basic credentials', { Authorization: 'Basic !!!' }],
] as readonly (readonly [string, Record<string, string>])[])
  test(`${title}: 401`, async () => {
    const response = await callWithHeaders('GET', '/v2/account', headers)
    assertRefused(response, 401, 40110000, 'unauthorized.')
    const challenge = headers['Authorization']?.startsWith('Bearer')
      ? 'Bearer error="invalid_token"'
      : 'Bearer, Basic realm="alpaca.markets"'
    assert.equal(response.headers.get('www-authenticate'), challenge)
  })

test('the key of a partner: 403', async () => {
  const { partner } = await newWorld()
  assertRefused(await get(partner, '/v2/account'), 403, 40310000)
})

const powerAccount = async (world: World): Promise<Body> => (await get(world, '/v2/account')).body

/** The number of whole shares that this amount buys at the ask. */
async function sharesFor(world: World, symbol: string, dollars: number): Promise<string> {
  const { body } = await get(world, `/v2/stocks/${symbol}/quotes/latest`)
  return String(Math.floor(dollars / body.quote.ap))
}

for (const symbols of [
  ['AAPL', 'AAPL', 'AAPL', 'AAPL'],
  ['AAPL', 'MSFT', 'SPY', 'TQQQ'],
])
  test(`four orders of 98,000 on 100,000 are accepted: ${symbols.join(', ')}`, async () => {
    const world = await newWorld()
    for (const symbol of symbols) {
      await placeOrder(world, { ...marketBuy, symbol, qty: await sharesFor(world, symbol, 98_000) })
      await world.advance('1s')
    }
    const { buying_power, equity, long_market_value, maintenance_margin } = await powerAccount(world)
    const exposure = Number(long_market_value)
    assert.ok(exposure > 380_000)
    assert.ok(Math.abs(Number(buying_power) - (4 * Number(equity) - exposure)) < 0.01)
    assert.ok(
      Number(maintenance_margin) > 0.3 * exposure,
      'the rates of one symbol raise the maintenance margin',
    )
    const fifth = await postOrder(world, { ...marketBuy, qty: await sharesFor(world, 'AAPL', 98_000) })
    assertRefused(fifth, 403, 40310000, 'insufficient buying power')
  })

test('open orders hold buying power', async () => {
  const world = await newWorld()
  const before = Number((await powerAccount(world)).buying_power)
  await placeOrder(world, { ...marketBuy, type: 'limit', limit_price: '10', qty: '100' })
  assert.equal(Number((await powerAccount(world)).buying_power), before - 1000)
})

test('a sale before Veterans Day settles on the next banking day', async () => {
  const world = await newWorld({ start: '2026-11-09T15:00:00Z' })
  await placeOrder(world, { ...marketBuy, qty: '100' })
  await world.advance('1d')
  await placeOrder(world, { ...marketBuy, qty: '100', side: 'sell' })
  await world.advance('1h')
  const { cash } = await powerAccount(world)
  const settled = async () => Number((await powerAccount(world)).non_marginable_buying_power)
  const before = await settled()
  assert.ok(before < Number(cash))
  await world.advance('1d')
  assert.ok((await settled()) < Number(cash) - 100, 'banks are closed on 11 November')
  await world.advance('1d')
  assert.equal(await settled(), Number((await powerAccount(world)).cash))
  const { body } = await get(world, '/v2/calendar?start=2026-11-10&end=2026-11-10')
  assert.equal(body[0].settlement_date, '2026-11-12')
})
