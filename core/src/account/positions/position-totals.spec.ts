import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Money, Price, Quantity } from '../../amount.ts'
import type { Ticker } from '../../ids.ts'
import { ASSETS } from '../../market/assets/assets.ts'
import type { Prices } from '../../market/prices.ts'
import type { Instant } from '../../time.ts'
import type { Position } from '../account.ts'
import { markChanged, positionTotalsOf } from './position-totals.ts'

const DOLLAR = 1_000_000_000n
const SYMBOLS = ['AAPL', 'F', 'TQQQ', 'BTC/USD'] as readonly string[] as readonly Ticker[]

/** Prices: the price of the n-th symbol changes every n + 3 nanoseconds. */
function pricesAt(course: object, at: bigint, hasValidity: boolean): Prices {
  const interval = (symbol: Ticker): bigint => BigInt(SYMBOLS.indexOf(symbol)) + 3n
  const step = (symbol: Ticker): bigint => at / interval(symbol)
  const prices: Prices = {
    quote: () => undefined,
    trade: (symbol) => ({
      at: at as Instant,
      price: ((step(symbol) % 7n) * DOLLAR) as Price,
      size: 0n as Quantity,
    }),
  }
  if (!hasValidity) return prices
  const tradeUntil = (symbol: Ticker) => ((step(symbol) + 1n) * interval(symbol)) as Instant
  return { ...prices, validity: { at: at as Instant, course, tradeUntil } }
}

const listed = (prices: Prices) => ({ prices, asset: (symbol: Ticker) => ASSETS.get(symbol) })

const position = (symbol: Ticker, shares: number): Position => ({
  symbol,
  quantity: (BigInt(shares) * DOLLAR) as Quantity,
  costBasis: (BigInt(shares) * DOLLAR) as Money,
})

test('stored totals equal totals that are calculated again', () => {
  const step = fc.record({
    elapsed: fc.nat({ max: 4 }),
    symbol: fc.constantFrom(...SYMBOLS),
    shares: fc.integer({ min: -3, max: 3 }),
    isMoved: fc.boolean(),
    hasValidity: fc.boolean(),
    isOtherCourse: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const positions = new Map<Ticker, Position>()
      let at = 0n
      let course = {}
      for (const { elapsed, symbol, shares, isMoved, hasValidity, isOtherCourse } of steps) {
        at += BigInt(elapsed)
        if (isOtherCourse) course = {}
        if (isMoved) {
          if (shares === 0) positions.delete(symbol)
          else positions.set(symbol, position(symbol, shares))
          markChanged(positions, symbol)
        }
        const { longValue, shortValue, fullyPaid, maintenance } = positionTotalsOf(
          positions,
          listed(pricesAt(course, at, hasValidity)),
        )
        const recalculated = positionTotalsOf(new Map(positions), listed(pricesAt({}, at, false)))
        assert.deepEqual(
          { longValue, shortValue, fullyPaid, maintenance },
          {
            longValue: recalculated.longValue,
            shortValue: recalculated.shortValue,
            fullyPaid: recalculated.fullyPaid,
            maintenance: recalculated.maintenance,
          },
        )
      }
    }),
    { numRuns: 500 },
  )
})
