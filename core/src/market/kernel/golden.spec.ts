import assert from 'node:assert/strict'
import test from 'node:test'
import type { Ticker } from '../../ids.ts'
import { type CivilDate, dayOf, formatInstant, type Instant, parseInstant } from '../../time.ts'
import type { Hours } from '../../world.ts'
import { PROFILES } from '../assets.table.ts'
import { instantOfMicros, MINUTE_MICROS, microsBefore } from '../micros.ts'
import type { Span } from '../span.ts'
import { makeMarket } from './market.ts'
import type { Tape } from './tape.ts'

// The mathematics of the tape is a promise: scenarios and recorded results rest on these very numbers. A change
// here is a new market, for a new release to announce.

const tapeOf = (symbol: string, hours: Hours): Tape =>
  makeMarket({ seed: 'quipu', hours, profiles: PROFILES }).get(symbol as Ticker)!

function micros(text: string): number {
  const parsed = parseInstant(text)
  return microsBefore(parsed.ok ? parsed.value : (0n as Instant))
}

const written = (span: Span | undefined): string =>
  span
    ? [span.open, span.high, span.low, span.close, span.volume, span.trades, span.turnover].join(' ')
    : 'none'

for (const [symbol, date, hours, then] of [
  ['AAPL', '2026-11-02', 'always', '26720 27085 26556 26800 83672682 221909 2122283390831'],
  ['AAPL', '2026-11-13', 'always', '26181 26731 26173 26691 75475864 228413 1885991526132'],
  ['AAPL', '2026-11-13', 'nyse', '26181 26731 26173 26691 74905158 225578 1885991526132'],
  ['KO', '1987-10-19', 'nyse', '2388 2402 2371 2371 11071920 32403 25101108551'],
  ['SPY', '2020-03-16', 'nyse', '62311 62345 61712 62065 67272808 176124 3973620278853'],
  ['F', '1970-01-02', 'nyse', '136 137 136 137 32658015 25001 4229990593'],
  ['TSLA', '2050-12-30', 'always', '100723 102308 98404 100681 108205164 236513 10238610399183'],
  ['DIS', '2026-11-27', 'always', '10072 10140 10068 10115 5886728 28782 53734933436'],
] as const)
  test(`the day ${date} of ${symbol}, ${hours}: ${then}`, () =>
    assert.equal(written(tapeOf(symbol, hours).day(dayOf(date as CivilDate), Number.MAX_SAFE_INTEGER)), then))

for (const [symbol, minute, then] of [
  ['AAPL', '2026-11-13T14:30:00Z', '26181 26227 26173 26220 1592604 2469 41724554611'],
  ['AAPL', '2026-11-13T17:00:00Z', '26459 26462 26435 26439 202347 370 5352054692'],
  ['AAPL', '2026-11-13T20:59:00Z', '26731 26731 26691 26691 81269 553 2172401599'],
  ['AAPL', '2026-11-15T05:02:00Z', '26895 26895 26865 26865 211 3 5674815'],
  ['NVDA', '2026-11-13T09:10:00Z', '17831 17841 17827 17828 2286 13 40753894'],
  ['KO', '2026-11-14T00:50:00Z', '6907 6907 6907 6907 562 2 3881734'],
  ['T', '2026-03-08T07:05:00Z', '2553 2553 2553 2553 122 2 311466'],
] as const)
  test(`the minute ${minute} of ${symbol}: ${then}`, () =>
    assert.equal(
      written(tapeOf(symbol, 'always').fold(micros(minute), micros(minute) + MINUTE_MICROS)),
      then,
    ))

for (const [symbol, after, then] of [
  ['AAPL', '2026-11-13T14:30:00Z', '2026-11-13T14:30:00.011865Z 26181 x 234, 100 at 26181, 500 at 26182'],
  ['F', '2026-11-13T18:20:00Z', '2026-11-13T18:20:02.031574Z 1294 x 37, 2200 at 1292, 16300 at 1294'],
  ['SPY', '2026-11-14T06:00:00Z', '2026-11-14T06:00:06.317119Z 66684 x 105, 100 at 66684, 700 at 66688'],
  ['XOM', '1999-12-31T16:40:00Z', '1999-12-31T16:40:01.035007Z 7362 x 166, 1300 at 7362, 200 at 7363'],
] as const)
  test(`the next trade of ${symbol} after ${after}: ${then}`, () => {
    const next = tapeOf(symbol, 'always').next(micros(after), micros(after) + 60 * MINUTE_MICROS)!
    const { at, price, size, bid, ask, bidSize, askSize } = next
    const quote = `${bidSize} at ${bid}, ${askSize} at ${ask}`
    assert.equal(`${formatInstant(instantOfMicros(at))} ${price} x ${size}, ${quote}`, then)
  })
