import assert from 'node:assert/strict'
import test from 'node:test'
import { type CivilDate, dayOf } from '../../civil-date.ts'
import type { Ticker } from '../../ids.ts'
import { tradingDayAt } from '../calendar.ts'
import { makeMarket } from '../kernel/market.ts'
import { assetIdOf, builtInListing } from './assets.ts'

const END = Number.MAX_SAFE_INTEGER
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('every symbol is listed once, with a unique id and name', () => {
  const assets = [...builtInListing().assets.values()]
  assert.equal(assets.length, builtInListing().profiles.length)
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
  test(`the id of ${symbol} is always ${id}`, () => {
    const asset = builtInListing().assets.get(symbol as Ticker)
    assert.deepEqual([asset?.id, asset?.exchange], [id, exchange])
  })

test('an id is derived from the symbol only', () =>
  assert.equal(assetIdOf('XLK'), builtInListing().assets.get('XLK' as Ticker)!.id))

test('every symbol trades on an ordinary day, near its base price and its average volume', () => {
  const market = makeMarket({ seed: 'all', hours: 'nyse', profiles: builtInListing().profiles })
  const day = dayOf('2026-11-02' as CivilDate)
  for (const { symbol, basePrice, volume, follows } of builtInListing().profiles) {
    const span = market.get(symbol)!.day(day, END)!
    // A leveraged fund is computed from its leader's prices, which are whole cents.
    const off = follows && follows.times !== 1 ? 1 : 0
    assert.ok(Math.abs(span.close - basePrice) <= off, `${symbol} ${span.close}`)
    assert.ok(span.low > 0 && span.low <= span.close && span.close <= span.high, symbol)
    assert.ok(span.volume > volume / 8 && span.volume < volume * 8, `${symbol} ${span.volume}`)
  }
})

const market = makeMarket({ seed: 'alike', hours: 'nyse', profiles: builtInListing().profiles })
const days = (symbol: string, count: number): number[] => {
  const dayAt = symbol.includes('/')
    ? (step: number) => 19_500 + step
    : (step: number) => tradingDayAt(13_500 + step)!
  const closes = Array.from(
    { length: count },
    (_, step) => market.get(symbol as Ticker)!.day(dayAt(step), END)!.close,
  )
  return closes.slice(1).map((close, before) => close / closes[before]! - 1)
}
const product = (x: readonly number[], y: readonly number[]): number =>
  x.reduce((sum, value, index) => sum + value * y[index]!, 0)

/** Correlation of the daily returns of two symbols. */
function correlation(one: string, other: string): number {
  const [a, b] = [days(one, 500), days(other, 500)]
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b))
}

for (const [one, other, least, most] of [
  ['SPY', 'VOO', 0.999, 1],
  ['SPY', 'DIA', 0.75, 1],
  ['SPY', 'SH', -1, -0.99],
  ['SPY', 'TLT', -0.2, 0.2],
  ['CRM', 'SPY', 0.35, 0.8],
  ['XLE', 'CVX', 0.5, 0.9],
  ['XLU', 'DUK', 0.5, 0.95],
  ['XLE', 'DUK', -0.1, 0.45],
  ['BTC/USD', 'ETH/USD', 0.6, 0.95],
  ['BTC/USD', 'USDT/USD', -0.2, 0.2],
] as const)
  test(`the daily returns of ${one} and ${other} have a correlation of ${least} to ${most}`, () => {
    const found = correlation(one, other)
    assert.ok(found >= least && found <= most, `${found}`)
  })

for (const [symbol, volatility, year] of [
  ['AAPL', 0.28, 252],
  ['XLK', 0.235, 252],
  ['TLT', 0.13, 252],
  ['SQQQ', 0.6, 252],
  ['BTC/USD', 0.5, 365],
  ['DOGE/USD', 0.9, 365],
  ['USDT/USD', 0.004, 365],
] as const)
  test(`the daily returns of ${symbol} match a yearly volatility of ${volatility}`, () => {
    const moves = days(symbol, 1500)
    const found = Math.sqrt((product(moves, moves) / moves.length) * year)
    assert.ok(found > 0.65 * volatility && found < 1.6 * volatility, `${found}`)
  })
