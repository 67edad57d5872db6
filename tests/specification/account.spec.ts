import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../broker.ts'
import { assertRefused, bare, broker, get, marketBuy, placed, restingBuy, UUID, world } from './stage.ts'

const account = async (who: Parameters<typeof get>[0]) => {
  const { status, body } = await get(who, '/v2/account')
  assert.equal(status, 200)
  return body
}

test('reading the account needs no input and gives number, status, buying power and equity', async () => {
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
    test(`the record has ${field}, ${type === 'amount' ? 'a string holding an amount' : `of type ${type}`}`, async () => {
      const record = await account(broker)
      assert.ok(isOfType[type](record[field]), `${field}: ${record[field]}`)
    })

test('the record names its account and its moments', async () => {
  const record = await account(broker)
  assert.match(record.id, UUID)
  assert.equal(record.id, broker.accountId)
  assert.equal(record.currency, 'USD')
  assert.match(record.balance_asof, /^\d{4}-\d{2}-\d{2}$/)
  assert.match(record.created_at, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/)
})

const powers = (record: Record<string, string>) => ({
  multiplier: record['multiplier'],
  buying: record['buying_power'],
  regT: record['regt_buying_power'],
  cashOnly: record['non_marginable_buying_power'],
  options: record['options_buying_power'],
})

for (const [given, cash, multiplier, buying, regT, cashOnly] of [
  ['a fresh account of 100,000: four times equity', '100000', '4', '400000', '200000', '100000'],
  ['equity of 2,000, where margin begins', '2000', '4', '8000', '4000', '2000'],
  ['a cent less: no margin, every power is cash', '1999.99', '1', '1999.99', '1999.99', '1999.99'],
  ['500: no margin, every power is cash', '500', '1', '500', '500', '500'],
] as const)
  test(`buying power with ${given}`, async () => {
    const record = await account(await world({ cash }))
    assert.deepEqual(powers(record), { multiplier, buying, regT, cashOnly, options: cashOnly })
    assert.deepEqual([record.cash, record.equity, record.last_equity], [cash, cash, cash])
    assert.deepEqual([record.initial_margin, record.maintenance_margin], ['0', '0'])
  })

test('an open buy reduces buying power by its cost, and cash by nothing; its cancel gives it back', async () => {
  const own = await world()
  const { id } = await placed(own, { ...restingBuy, qty: '100' })
  const during = await account(own)
  assert.deepEqual(powers(during), {
    multiplier: '4',
    buying: '399000',
    regT: '199000',
    cashOnly: '99000',
    options: '99000',
  })
  assert.equal(during.cash, '100000')
  await fetch(`${own.url}/v2/orders/${id}`, {
    method: 'DELETE',
    headers: { 'APCA-API-KEY-ID': own.keyId, 'APCA-API-SECRET-KEY': own.secretKey },
  })
  assert.equal((await account(own)).buying_power, '400000')
})

test('a position: half of its value is initial margin, three tenths maintenance, and the powers follow', async () => {
  const own = await world()
  await placed(own, { ...marketBuy, qty: '100' })
  const record = await account(own)
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

test('deposits and withdrawals are adjustments of their day', async () => {
  const own = await world()
  const transfer = (direction: string, amount: string) =>
    call(own.partner, 'POST', `/v1/accounts/${own.accountId}/transfers`, {
      direction,
      amount,
      transfer_type: 'ach',
    })
  assert.equal((await account(own)).intraday_adjustments, '0')
  for (const [direction, amount, adjusted] of [
    ['INCOMING', '500.5', '500.5'],
    ['OUTGOING', '1500', '-999.5'],
  ] as const) {
    const { status, body } = await transfer(direction, amount)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal((await account(own)).intraday_adjustments, adjusted)
  }
  await own.advance('24h')
  const { intraday_adjustments, last_equity } = await account(own)
  assert.deepEqual([intraday_adjustments, last_equity], ['0', '99000.5'])
})

test('what one account does, the other does not feel', async () => {
  const own = await world({ accounts: 2 })
  const [, other] = own.created.accounts
  await placed(own, marketBuy)
  const untouched = await account({ url: own.url, keyId: other.key_id, secretKey: other.secret_key })
  assert.deepEqual([untouched.id, untouched.cash], [other.account_id, '100000'])
})

const pair = { 'APCA-API-KEY-ID': broker.keyId, 'APCA-API-SECRET-KEY': broker.secretKey }
const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

for (const [given, headers] of [
  ['a key identifier and a secret', pair],
  ['the same pair as Basic', basic(broker.keyId, broker.secretKey)],
  ['both at once, naming the same key', { ...pair, ...basic(broker.keyId, broker.secretKey) }],
] as const)
  test(`${given} open the account`, async () => {
    const { status, body } = await bare('GET', '/v2/account', headers)
    assert.deepEqual([status, body.id], [200, broker.accountId])
  })

for (const [given, headers] of [
  ['no credentials', {}],
  ['an unknown key', { ...pair, 'APCA-API-KEY-ID': 'PKNOBODY' }],
  ['a wrong secret', { ...pair, 'APCA-API-SECRET-KEY': 'wrong' }],
  ['a secret without its key', { 'APCA-API-SECRET-KEY': broker.secretKey }],
  ['a token nobody issued', { Authorization: 'Bearer 00000000-0000-4000-8000-000000000000' }],
  ['Basic that is no pair', { Authorization: 'Basic !!!' }],
] as readonly (readonly [string, Record<string, string>])[])
  test(`${given}: 401`, async () => {
    const answer = await bare('GET', '/v2/account', headers)
    assertRefused(answer, 401, 40110000, 'unauthorized.')
    const challenge = headers['Authorization']?.startsWith('Bearer')
      ? 'Bearer error="invalid_token"'
      : 'Bearer, Basic realm="alpaca.markets"'
    assert.equal(answer.headers.get('www-authenticate'), challenge)
  })

test("a partner's credential is no account's: 403", async () => {
  const { partner } = await world()
  assertRefused(await get(partner, '/v2/account'), 403, 40310000)
})
