import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { call, openTestServer, type TestServer } from '../testing/server.ts'

let server: TestServer
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const path = '/v2/account/configurations'
const get = async () => (await call(server, `GET ${path}`, { key: server.key })).body
const patch = (body: unknown) => call(server, `PATCH ${path}`, { key: server.key, body })

const usual = {
  dtbp_check: 'entry',
  pdt_check: 'entry',
  fractional_trading: true,
  max_margin_multiplier: '4',
  no_shorting: false,
  suspend_trade: false,
  trade_confirm_email: 'all',
  ptp_no_exception_entry: false,
  max_options_trading_level: null,
  disable_overnight_trading: false,
}

test('an account begins with the usual configuration', async () => assert.deepEqual(await get(), usual))

// The body, and the fields that it changes; each test restores the usual configuration at its end.
for (const [sent, changed] of [
  [{ no_shorting: true }, { no_shorting: true }],
  [{ suspend_trade: true }, { suspend_trade: true }],
  [{ fractional_trading: false }, { fractional_trading: false }],
  [{ max_margin_multiplier: '2' }, { max_margin_multiplier: '2' }],
  [{ max_margin_multiplier: 1 }, { max_margin_multiplier: '1' }],
  [{ trade_confirm_email: 'none' }, { trade_confirm_email: 'none' }],
  [{ ptp_no_exception_entry: true }, { ptp_no_exception_entry: true }],
  [{ max_options_trading_level: 2 }, { max_options_trading_level: 2 }],
  [{ disable_overnight_trading: true }, { disable_overnight_trading: true }],
  // The pattern day trader rule was abolished, so these fields have no effect.
  [{ dtbp_check: 'both', pdt_check: 'exit' }, {}],
  // One client sends every field, with null for unchanged fields.
  [
    {
      dtbp_check: null,
      fractional_trading: null,
      max_margin_multiplier: null,
      no_shorting: true,
      pdt_check: null,
      suspend_trade: null,
      trade_confirm_email: null,
      ptp_no_exception_entry: null,
      max_options_trading_level: null,
    },
    { no_shorting: true },
  ],
  [{}, {}],
  [{ something_else: 1 }, {}],
] as const)
  test(`PATCH ${JSON.stringify(sent)} changes ${JSON.stringify(changed)}`, async () => {
    const before = await get()
    const { status, body } = await patch(sent)
    assert.deepEqual([status, body], [200, { ...before, ...changed }])
    assert.deepEqual(await get(), body)
    await patch({ ...usual, max_options_trading_level: before.max_options_trading_level })
  })

for (const [field, value] of [
  ['fractional_trading', 'yes'],
  ['max_margin_multiplier', '3'],
  ['max_margin_multiplier', 'four'],
  ['no_shorting', 1],
  ['suspend_trade', 'on'],
  ['trade_confirm_email', 'some'],
  ['ptp_no_exception_entry', {}],
  ['max_options_trading_level', 4],
  ['disable_overnight_trading', []],
] as const)
  test(`PATCH ${field} ${JSON.stringify(value)} is refused and changes nothing`, async () => {
    const before = await get()
    const { status, body } = await patch({
      [field]: value,
      no_shorting: field === 'no_shorting' ? value : true,
    })
    assert.deepEqual([status, body.code, body.message], [422, 40010001, `${field} value is invalid`])
    assert.deepEqual(await get(), before)
  })

test('the configuration applies to orders and shows in the account', async () => {
  const order = { symbol: 'AAPL', side: 'buy', type: 'market', time_in_force: 'day', qty: '1' }
  const placeOrder = async (fields: object) => {
    const { status, body } = await call(server, 'POST /v2/orders', {
      key: server.key,
      body: { ...order, ...fields },
    })
    return status === 200 ? 'accepted' : `${status} ${body.code} ${body.message}`
  }
  const account = async () => (await call(server, 'GET /v2/account', { key: server.key })).body
  await patch(usual)
  assert.equal(await placeOrder({ symbol: 'MSFT', side: 'sell' }), 'accepted')

  await patch({ no_shorting: true })
  assert.equal((await account()).shorting_enabled, false)
  assert.equal(
    await placeOrder({ symbol: 'KO', side: 'sell' }),
    '403 40310000 account is not allowed to short',
  )

  await patch({ no_shorting: false, fractional_trading: false })
  assert.equal(
    await placeOrder({ qty: '0.5' }),
    '403 40310000 fractional trading is disabled for this account',
  )
  assert.equal(await placeOrder({ qty: '1' }), 'accepted')

  await patch({ fractional_trading: true, suspend_trade: true })
  assert.equal((await account()).trade_suspended_by_user, true)
  assert.equal(await placeOrder({}), '403 40310000 new orders are rejected by user request')

  await patch({ suspend_trade: false, max_margin_multiplier: '1' })
  const { multiplier, buying_power, cash } = await account()
  assert.equal(multiplier, '1')
  assert.ok(Number(buying_power) <= Number(cash))
  assert.equal(
    await placeOrder({ symbol: 'KO', side: 'sell' }),
    '403 40310000 account is not allowed to short',
  )
})
