import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, callAsOperator } from '../support/broker.ts'
import { broker, get, marketBuy, newWorld, placeOrder, type World } from './stage.ts'

/** In May 2026: SEC 20.60 of a million sold, TAF 0.000195 a share sold, CAT 0.000003 a share. */
const MAY = '2026-05-04T15:00:00Z'

const account = async (world: World) => (await get(world, '/v2/account')).body
const advanceUntil = (world: World, event: 'next_open' | 'next_close') =>
  callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/clock/advance`, { until: event })

async function roundTrip(world: World): Promise<{ readonly proceeds: number }> {
  await placeOrder(world, { ...marketBuy, qty: '100' })
  const { id } = await placeOrder(world, { ...marketBuy, side: 'sell', qty: '100' })
  const { body: sold } = await get(world, `/v2/orders/${id}`)
  return { proceeds: 100 * Number(sold.filled_avg_price) }
}

const centsUp = (dollars: number) => Math.ceil(Number((dollars * 100).toFixed(6))) / 100

test('fees accrue at once and are charged at the close', async () => {
  const world = await newWorld({ start: MAY })
  const { proceeds } = await roundTrip(world)
  const due = [(proceeds * 20.6) / 1e6, 100 * 0.000195, 200 * 0.000003].map(centsUp)
  const total = due.reduce((sum, fee) => sum + fee).toFixed(2)
  const before = await account(world)
  assert.deepEqual(
    [before.accrued_fees, before.pending_reg_taf_fees],
    [String(Number(total)), String(Number(total))],
  )
  await advanceUntil(world, 'next_close')
  const after = await account(world)
  assert.equal((Number(before.cash) - Number(after.cash)).toFixed(2), total)
  assert.deepEqual([after.accrued_fees, after.pending_reg_taf_fees], ['0', '0'])
  assert.equal(after.last_equity, after.equity)
})

test('fees: none charges no fees', async () => {
  const world = await newWorld({ start: MAY, fees: 'none' })
  await roundTrip(world)
  const before = await account(world)
  assert.equal(before.accrued_fees, '0')
  await advanceUntil(world, 'next_close')
  assert.equal((await account(world)).cash, before.cash)
})

test('a world may have custom fees by date, in any order', async () => {
  const later = { from: '2026-05-05', cat_per_share: '1' }
  const row = {
    from: '2026-05-04',
    sec_per_million: '1000',
    taf_per_share: 0.5,
    taf_max: '7',
    crypto_basis_points: 100,
  }
  const world = await newWorld({ start: MAY, fees: [later, row] })
  assert.deepEqual(world.created.fees, [
    { ...row, taf_per_share: '0.5', cat_per_share: '0' },
    { ...later, sec_per_million: '0', taf_per_share: '0', crypto_basis_points: 0 },
  ])
  const { proceeds } = await roundTrip(world)
  assert.equal((await account(world)).accrued_fees, String(Number((centsUp(proceeds / 1000) + 7).toFixed(2))))
  const { id } = await placeOrder(world, { ...marketBuy, symbol: 'ETH/USD', qty: '1', time_in_force: 'gtc' })
  const { body: bought } = await get(world, `/v2/orders/${id}`)
  assert.deepEqual([bought.status, bought.filled_qty], ['filled', '1'])
  const { body: coins } = await get(world, '/v2/positions/ETHUSD')
  assert.equal(coins.qty, '0.99')
  await advanceUntil(world, 'next_close')
  await advanceUntil(world, 'next_open')
  await placeOrder(world, { ...marketBuy, qty: '3' })
  assert.equal((await account(world)).accrued_fees, '3')
})

for (const [title, fees] of [
  ['an unknown name', 'uk'],
  ['a row without a date', [{ sec_per_million: '1' }]],
  ['a negative fee', [{ from: '2026-05-04', cat_per_share: '-1' }]],
  ['a crypto fee above 100 %', [{ from: '2026-05-04', crypto_basis_points: 10_001 }]],
  ['the same date twice', [{ from: '2026-05-04' }, { from: '2026-05-04' }]],
] as const)
  test(`fees with ${title}: no world is created`, async () => {
    const response = await callAsOperator(broker, 'POST', '/sim/v1/worlds', { fees })
    assert.deepEqual([response.status, response.body.code], [422, 40010001], JSON.stringify(response.body))
  })

test('main has US fees by default', async () => {
  const { body } = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main')
  assert.equal(body.fees, 'us')
  assert.equal((await call(broker, 'GET', '/v2/account')).body.accrued_fees, '0')
})
