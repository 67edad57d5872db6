import assert from 'node:assert/strict'
import test from 'node:test'
import { type CivilDate, dayOf } from '../../civil-date.ts'
import type { Ticker } from '../../ids.ts'
import { isAboveFloor } from '../kernel/levels.ts'
import { makeMarket } from '../kernel/market.ts'
import { type CustomSymbol, checkCustom } from './added.ts'
import { builtInListing } from './assets.ts'
import { assetOf, checkListing, profileOf } from './custom.ts'

const END = Number.MAX_SAFE_INTEGER
const NOVEMBER = '2026-11-02' as CivilDate

for (const [custom, then] of [
  [{ symbol: 'SOFI' }, 'ok'],
  [{ symbol: 'SOFI', price: 12 }, 'ok'],
  [{ symbol: 'BRK.A', price: 700_000 }, 'ok'],
  [{ symbol: 'PEPE/USD' }, 'ok'],
  [{ symbol: 'sofi' }, 'badSymbol'],
  [{ symbol: '' }, 'badSymbol'],
  [{ symbol: 'TOOLONGASYMBOL' }, 'badSymbol'],
  [{ symbol: 'SOFI', class: 'crypto' }, 'badSymbol'],
  [{ symbol: 'FAKEPACA' }, 'reservedSymbol'],
  [{ symbol: 'SOFI', price: 0 }, 'badPrice'],
  [{ symbol: 'SOFI', price: Number.NaN }, 'badPrice'],
  [{ symbol: 'SOFI', price: 1_000_001 }, 'badPrice'],
] as const satisfies readonly (readonly [CustomSymbol, string])[])
  test(`${JSON.stringify(custom)} is ${then}`, () => {
    const checked = checkCustom(custom)
    assert.equal(checked.ok ? 'ok' : checked.reason, then)
  })

for (const [custom, ticks, date] of [
  [{ symbol: 'SOFI', price: 12 }, 1200, NOVEMBER],
  [{ symbol: 'SOFI', price: 12, on: '2024-03-15' as CivilDate }, 1200, '2024-03-15'],
  [{ symbol: 'PNNY', price: 0.35 }, 3500, NOVEMBER],
  [{ symbol: 'AAPL', price: 150 }, 15_000, NOVEMBER],
  [{ symbol: 'PEPE/USD', price: 0.5, on: '2026-02-01' as CivilDate }, 500_000, '2026-02-01'],
] as const satisfies readonly (readonly [CustomSymbol, number, string])[])
  test(`${JSON.stringify(custom)} closes at ${ticks} ticks on ${date}`, () => {
    const market = makeMarket({ seed: 'any', hours: 'nyse', profiles: [profileOf(custom)] })
    assert.equal(market.get(custom.symbol as Ticker)!.day(dayOf(date as CivilDate), END)?.close, ticks)
  })

test('every price from 0.02 to 3 dollars that is accepted has a tape, and every lower price is refused', () => {
  // Steps of 0.0007 meet whole cents, and prices between them.
  for (let step = 0; 0.01 + step * 0.0007 <= 3; step++) {
    const price = Number((0.01 + step * 0.0007).toFixed(4))
    const custom = { symbol: 'ONE', price }
    assert.equal(checkListing(custom).ok, price >= 0.02, `${price}`)
    if (price < 0.02) continue
    const market = makeMarket({ seed: 'any', hours: 'nyse', profiles: [profileOf(custom)] })
    const close = market.get('ONE' as Ticker)!.day(dayOf(NOVEMBER), END)!.close
    const dollars = (close * Number(assetOf(custom).tick)) / 1_000_000_000
    assert.ok(Math.abs(dollars - price) <= (price < 2 ? 0.00005 : 0.005) + 1e-9, `${price}: ${dollars}`)
  }
})

test('a base price at the floor gives no tape', () => {
  assert.deepEqual(
    [100, 100.5, 101].map((basePrice) => isAboveFloor({ basePrice })),
    [false, true, true],
  )
})

test('a symbol alone gives the same asset and tape everywhere, and another symbol another', () => {
  assert.deepEqual(profileOf({ symbol: 'SOFI' }), profileOf({ symbol: 'SOFI' }))
  assert.deepEqual(assetOf({ symbol: 'SOFI' }), assetOf({ symbol: 'SOFI', price: 12 }))
  assert.notEqual(assetOf({ symbol: 'SOFI' }).id, assetOf({ symbol: 'RIVN' }).id)
  assert.notEqual(profileOf({ symbol: 'SOFI' }).basePrice, profileOf({ symbol: 'RIVN' }).basePrice)
})

test('generated prices and volumes are in the range of ordinary companies', () => {
  for (let number = 0; number < 2000; number++) {
    const { symbol, basePrice, volume, trades, volatility, spread } = profileOf({ symbol: `X${number}` })
    assert.ok(basePrice >= 200 && basePrice < 100_000, `${symbol} ${basePrice}`)
    assert.ok(volume > 50_000 && volume < 100_000_000 && trades > 100, `${symbol} ${volume} ${trades}`)
    assert.ok(volatility >= 0.25 && volatility <= 0.6 && spread > 0 && spread < 60, `${symbol} ${spread}`)
  }
})

test('a custom price of a listed symbol keeps its id, name and volume', () => {
  const asset = assetOf({ symbol: 'AAPL', price: 150 })
  assert.deepEqual(asset, builtInListing().assets.get('AAPL' as Ticker))
  assert.equal(profileOf({ symbol: 'AAPL', price: 150 }).volume, 45_000_000)
  assert.equal(assetOf({ symbol: 'AAPL', name: 'Another' }).name, 'Another')
})

for (const [symbol, terms, then] of [
  ['SOFI', undefined, 'tradable fractionable shortable easyToBorrow marginable'],
  ['SOFI', { shortable: false }, 'tradable fractionable marginable'],
  ['SOFI', { tradable: false, fractionable: false }, 'shortable easyToBorrow marginable'],
  ['SOFI', { marginable: false, tradable: true }, 'tradable fractionable shortable easyToBorrow'],
  ['PEPE/USD', { shortable: true, marginable: true }, 'tradable fractionable'],
] as const)
  test(`${symbol} with ${JSON.stringify(terms)} allows: ${then}`, () => {
    const asset = assetOf({ symbol, terms })
    const allowed = ['tradable', 'fractionable', 'shortable', 'easyToBorrow', 'marginable'] as const
    assert.equal(allowed.filter((term) => asset[term]).join(' '), then)
  })
