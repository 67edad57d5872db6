import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, callAsOperator } from '../broker.ts'
import { broker, get, marketBuy, placed, type World, world } from './stage.ts'

/** In May 2026: SEC 20.60 of a million sold, TAF 0.000195 a share sold, CAT 0.000003 a share. */
const MAY = '2026-05-04T15:00:00Z'

const account = async (who: World) => (await get(who, '/v2/account')).body
const until = (who: World, moment: 'next_open' | 'next_close') =>
  callAsOperator(broker, 'POST', `/sim/v1/worlds/${who.world}/clock/advance`, { until: moment })

async function roundTrip(who: World): Promise<{ readonly proceeds: number }> {
  await placed(who, { ...marketBuy, qty: '100' })
  const { id } = await placed(who, { ...marketBuy, side: 'sell', qty: '100' })
  const { body: sold } = await get(who, `/v2/orders/${id}`)
  return { proceeds: 100 * Number(sold.filled_avg_price) }
}

const centsUp = (dollars: number) => Math.ceil(Number((dollars * 100).toFixed(6))) / 100

test('fees of a day are owed at once, cost nothing until the close, and are then booked by kind', async () => {
  const own = await world({ start: MAY })
  const { proceeds } = await roundTrip(own)
  const due = [(proceeds * 20.6) / 1e6, 100 * 0.000195, 200 * 0.000003].map(centsUp)
  const total = due.reduce((sum, fee) => sum + fee).toFixed(2)
  const before = await account(own)
  assert.deepEqual(
    [before.accrued_fees, before.pending_reg_taf_fees],
    [String(Number(total)), String(Number(total))],
  )
  await until(own, 'next_close')
  const after = await account(own)
  assert.equal((Number(before.cash) - Number(after.cash)).toFixed(2), total)
  assert.deepEqual([after.accrued_fees, after.pending_reg_taf_fees], ['0', '0'])
  assert.equal(after.last_equity, after.equity)
})

test('a world may be without fees', async () => {
  const own = await world({ start: MAY, fees: 'none' })
  await roundTrip(own)
  const before = await account(own)
  assert.equal(before.accrued_fees, '0')
  await until(own, 'next_close')
  assert.equal((await account(own)).cash, before.cash)
})

test('a world may have fees of its own, by day, whatever the order of its rows', async () => {
  const later = { from: '2026-05-05', cat_per_share: '1' }
  const row = {
    from: '2026-05-04',
    sec_per_million: '1000',
    taf_per_share: 0.5,
    taf_max: '7',
    crypto_basis_points: 100,
  }
  const own = await world({ start: MAY, fees: [later, row] })
  assert.deepEqual(own.created.fees, [
    { ...row, taf_per_share: '0.5', cat_per_share: '0' },
    { ...later, sec_per_million: '0', taf_per_share: '0', crypto_basis_points: 0 },
  ])
  const { proceeds } = await roundTrip(own)
  assert.equal((await account(own)).accrued_fees, String(Number((centsUp(proceeds / 1000) + 7).toFixed(2))))
  const { id } = await placed(own, { ...marketBuy, symbol: 'ETH/USD', qty: '1', time_in_force: 'gtc' })
  const { body: bought } = await get(own, `/v2/orders/${id}`)
  assert.deepEqual([bought.status, bought.filled_qty], ['filled', '1'])
  const { body: coins } = await get(own, '/v2/positions/ETHUSD')
  assert.equal(coins.qty, '0.99')
  await until(own, 'next_close')
  await until(own, 'next_open')
  await placed(own, { ...marketBuy, qty: '3' })
  assert.equal((await account(own)).accrued_fees, '3')
})

for (const [given, fees] of [
  ['an unknown word', 'uk'],
  ['a row without a day', [{ sec_per_million: '1' }]],
  ['a negative fee', [{ from: '2026-05-04', cat_per_share: '-1' }]],
  ['more than all of a coin', [{ from: '2026-05-04', crypto_basis_points: 10_001 }]],
  ['one day twice', [{ from: '2026-05-04' }, { from: '2026-05-04' }]],
] as const)
  test(`${given}: no such world is made`, async () => {
    const answer = await callAsOperator(broker, 'POST', '/sim/v1/worlds', { fees })
    assert.deepEqual([answer.status, answer.body.code], [422, 40010001], JSON.stringify(answer.body))
  })

test('the main world has the fees of the United States unless started otherwise', async () => {
  const { body } = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main')
  assert.equal(body.fees, 'us')
  assert.equal((await call(broker, 'GET', '/v2/account')).body.accrued_fees, '0')
})
