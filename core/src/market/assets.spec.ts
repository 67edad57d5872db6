import assert from 'node:assert/strict'
import test from 'node:test'
import type { Ticker } from '../ids.ts'
import { type CivilDate, dayOf } from '../time.ts'
import { ASSETS, assetIdOf, PROFILES } from './assets.ts'
import { tradingDayAt } from './calendar.ts'
import { makeMarket } from './kernel/market.ts'

const END = Number.MAX_SAFE_INTEGER
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('every symbol is listed once, with an id and a name of its own', () => {
  const assets = [...ASSETS.values()]
  assert.equal(assets.length, PROFILES.length)
  assert.ok(assets.length > 500)
  assert.equal(new Set(assets.map(({ id }) => id)).size, assets.length)
  assert.equal(new Set(assets.map(({ name }) => name)).size, assets.length)
  for (const { id, symbol } of assets) assert.match(id, UUID, symbol)
})

for (const [symbol, id, exchange] of [
  ['AAPL', '605209a6-1bc6-51c6-b6d0-0a8ee018b471', 'NASDAQ'],
  ['BRK.B', 'd683f707-fbbd-54ea-aaee-b85171bce014', 'NYSE'],
  ['XLK', '7b352e3c-dbf1-5754-a7db-6106aedfbff1', 'ARCA'],
  ['IMO', 'efab1125-2b57-5fcb-90e0-ebea21a66370', 'AMEX'],
  ['CBOE', '9f18e732-414a-5acb-bbaa-c0a99fc7767b', 'BATS'],
] as const)
  test(`the id of ${symbol} is ${id} for ever`, () => {
    const asset = ASSETS.get(symbol as Ticker)
    assert.deepEqual([asset?.id, asset?.exchange], [id, exchange])
  })

test('an id follows from the symbol alone', () =>
  assert.equal(assetIdOf('XLK'), ASSETS.get('XLK' as Ticker)!.id))

test('every symbol trades on an ordinary day, near its base price, with an average that fits', () => {
  const market = makeMarket({ seed: 'all', hours: 'nyse', profiles: PROFILES })
  const day = dayOf('2026-11-02' as CivilDate)
  for (const { symbol, basePrice, volume } of PROFILES) {
    const span = market.get(symbol)!.day(day, END)!
    assert.equal(span.close, basePrice, symbol)
    assert.ok(span.low > 0 && span.low <= span.close && span.close <= span.high, symbol)
    assert.ok(span.volume > volume / 5 && span.volume < volume * 5, `${symbol} ${span.volume}`)
  }
})

/** How alike the days of two symbols are, from -1 to 1. */
function likeness(one: string, other: string): number {
  const market = makeMarket({ seed: 'alike', hours: 'nyse', profiles: PROFILES })
  const [a, b] = [one, other].map((symbol) => {
    const tape = market.get(symbol as Ticker)!
    const closes = Array.from(
      { length: 500 },
      (_, step) => tape.day(tradingDayAt(13_500 + step)!, END)!.close,
    )
    return closes.slice(1).map((close, before) => close / closes[before]! - 1)
  }) as [number[], number[]]
  const product = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, value, index) => sum + value * y[index]!, 0)
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b))
}

for (const [one, other, least, most] of [
  ['SPY', 'VOO', 0.8, 1],
  ['SPY', 'DIA', 0.75, 1],
  ['SPY', 'SH', -1, -0.8],
  ['SPY', 'TLT', -0.2, 0.2],
  ['CRM', 'SPY', 0.35, 0.8],
  ['XLE', 'CVX', 0.5, 0.9],
  ['XLU', 'DUK', 0.5, 0.95],
  ['XLE', 'DUK', -0.1, 0.45],
] as const)
  test(`days of ${one} and ${other} are alike by ${least} to ${most}`, () => {
    const found = likeness(one, other)
    assert.ok(found >= least && found <= most, `${found}`)
  })
