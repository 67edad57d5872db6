import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '../broker.ts'
import { assertRefused, get, marketBuy, place, placed, type World, world } from './stage.ts'

const account = async (own: World): Promise<Body> => (await get(own, '/v2/account')).body

/** Shares worth about so much at the market, rounded down. */
async function worth(own: World, symbol: string, dollars: number): Promise<string> {
  const { body } = await get(own, `/v2/stocks/${symbol}/quotes/latest`)
  return String(Math.floor(dollars / body.quote.ap))
}

for (const symbols of [
  ['AAPL', 'AAPL', 'AAPL', 'AAPL'],
  ['AAPL', 'MSFT', 'SPY', 'TQQQ'],
])
  test(`four orders of 98,000 on 100,000 are accepted: ${symbols.join(', ')}`, async () => {
    const own = await world()
    for (const symbol of symbols) {
      await placed(own, { ...marketBuy, symbol, qty: await worth(own, symbol, 98_000) })
      await own.advance('1s')
    }
    const { buying_power, equity, long_market_value, maintenance_margin } = await account(own)
    const exposure = Number(long_market_value)
    assert.ok(exposure > 380_000)
    assert.ok(Math.abs(Number(buying_power) - (4 * Number(equity) - exposure)) < 0.01)
    assert.ok(
      Number(maintenance_margin) > 0.3 * exposure,
      'the rates of one symbol raise the maintenance margin',
    )
    const fifth = await place(own, { ...marketBuy, qty: await worth(own, 'AAPL', 98_000) })
    assertRefused(fifth, 403, 40310000, 'insufficient buying power')
  })

test('open orders hold buying power', async () => {
  const own = await world()
  const before = Number((await account(own)).buying_power)
  await placed(own, { ...marketBuy, type: 'limit', limit_price: '10', qty: '100' })
  assert.equal(Number((await account(own)).buying_power), before - 1000)
})

test('a sale before Veterans Day settles on the day after it', async () => {
  const own = await world({ start: '2026-11-09T15:00:00Z' })
  await placed(own, { ...marketBuy, qty: '100' })
  await own.advance('1d')
  await placed(own, { ...marketBuy, qty: '100', side: 'sell' })
  await own.advance('1h')
  const { cash } = await account(own)
  const settled = async () => Number((await account(own)).non_marginable_buying_power)
  const before = await settled()
  assert.ok(before < Number(cash))
  await own.advance('1d')
  assert.ok((await settled()) < Number(cash) - 100, 'banks are closed on 11 November')
  await own.advance('1d')
  assert.equal(await settled(), Number((await account(own)).cash))
  const { body } = await get(own, '/v2/calendar?start=2026-11-10&end=2026-11-10')
  assert.equal(body[0].settlement_date, '2026-11-12')
})
