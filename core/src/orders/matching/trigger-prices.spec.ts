import assert from 'node:assert/strict'
import test from 'node:test'
import { format, type Price, parseDecimal } from '../../amount.ts'
import { must } from '../../testing/script-lines.ts'
import { buyStopMax, trailingStopPrice } from './trigger-prices.ts'

const price = (text: string): Price => must(parseDecimal(text)) as Price

for (const [side, best, trail, then] of [
  ['sell', '100', { trailPrice: price('1.5') }, '98.5'],
  ['buy', '100', { trailPrice: price('1.5') }, '101.5'],
  ['sell', '187.53', { trailPercent: price('1') }, '185.6547'],
  ['buy', '187.53', { trailPercent: price('1') }, '189.4053'],
  ['sell', '50', { trailPercent: price('0.1') }, '49.95'],
  ['sell', '0.333333333', { trailPercent: price('50') }, '0.166666666'],
] as const)
  test(`a ${side} that trails ${best} by ${JSON.stringify(Object.values(trail).map(format))} stops at ${then}`, () =>
    assert.equal(format(trailingStopPrice(side, price(best), trail)), then))

for (const [stop, then] of [
  ['210', '215.25'],
  ['50', '51.25'],
  ['49.99', '51.98'],
  ['10', '10.4'],
  ['0.5', '0.52'],
] as const)
  test(`a buy stop at ${stop} pays at most ${then}`, () =>
    assert.equal(format(buyStopMax(price(stop))), then))
