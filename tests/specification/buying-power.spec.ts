import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '../support/broker.ts'
import { assertRefused, get, marketBuy, newWorld, placeOrder, postOrder, type World } from './stage.ts'

const account = async (world: World): Promise<Body> => (await get(world, '/v2/account')).body

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
    const { buying_power, equity, long_market_value, maintenance_margin } = await account(world)
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
  const before = Number((await account(world)).buying_power)
  await placeOrder(world, { ...marketBuy, type: 'limit', limit_price: '10', qty: '100' })
  assert.equal(Number((await account(world)).buying_power), before - 1000)
})

test('a sale before Veterans Day settles on the next banking day', async () => {
  const world = await newWorld({ start: '2026-11-09T15:00:00Z' })
  await placeOrder(world, { ...marketBuy, qty: '100' })
  await world.advance('1d')
  await placeOrder(world, { ...marketBuy, qty: '100', side: 'sell' })
  await world.advance('1h')
  const { cash } = await account(world)
  const settled = async () => Number((await account(world)).non_marginable_buying_power)
  const before = await settled()
  assert.ok(before < Number(cash))
  await world.advance('1d')
  assert.ok((await settled()) < Number(cash) - 100, 'banks are closed on 11 November')
  await world.advance('1d')
  assert.equal(await settled(), Number((await account(world)).cash))
  const { body } = await get(world, '/v2/calendar?start=2026-11-10&end=2026-11-10')
  assert.equal(body[0].settlement_date, '2026-11-12')
})
