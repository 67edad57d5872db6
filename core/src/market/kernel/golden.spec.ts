import assert from 'node:assert/strict'
import test from 'node:test'
import type { Ticker } from '../../ids.ts'
import { type CivilDate, dayOf, formatInstant, type Instant, parseInstant } from '../../time.ts'
import type { Hours } from '../../world.ts'
import { PROFILES } from '../assets.ts'
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
  ['AAPL', '2026-11-02', 'always', '26720 27038 26616 26800 83672682 221909 2120784192764'],
  ['AAPL', '2026-11-13', 'always', '26181 26715 26127 26691 75475864 228413 1886037094229'],
  ['AAPL', '2026-11-13', 'nyse', '26181 26715 26127 26691 74905158 225578 1886037094229'],
  ['KO', '1987-10-19', 'nyse', '2388 2404 2365 2371 11071920 32403 25121615203'],
  ['SPY', '2020-03-16', 'nyse', '62311 62521 61946 62065 67272808 176124 3987262748941'],
  ['F', '1970-01-02', 'nyse', '136 137 135 137 32658015 25001 4229749090'],
  ['TSLA', '2050-12-30', 'always', '100723 101970 98473 100681 108205164 236513 10253606589502'],
  ['DIS', '2026-11-27', 'always', '10072 10119 9956 10115 5886728 28782 53478644637'],
] as const)
  test(`the day ${date} of ${symbol}, ${hours}: ${then}`, () =>
    assert.equal(written(tapeOf(symbol, hours).day(dayOf(date as CivilDate), Number.MAX_SAFE_INTEGER)), then))

for (const [symbol, minute, then] of [
  ['AAPL', '2026-11-13T14:30:00Z', '26181 26187 26127 26130 1592604 2469 41648589485'],
  ['AAPL', '2026-11-13T17:00:00Z', '26464 26468 26458 26462 202347 370 5354765829'],
  ['AAPL', '2026-11-13T20:59:00Z', '26684 26705 26675 26691 81269 553 2168574532'],
  ['AAPL', '2026-11-15T05:02:00Z', '26894 26894 26894 26894 508 3 13662152'],
  ['NVDA', '2026-11-13T09:10:00Z', '17858 17868 17857 17862 2286 13 40832270'],
  ['KO', '2026-11-14T00:50:00Z', '6904 6904 6903 6903 116 2 800749'],
  ['T', '2026-03-08T07:05:00Z', '2551 2551 2550 2550 336 2 856925'],
] as const)
  test(`the minute ${minute} of ${symbol}: ${then}`, () =>
    assert.equal(
      written(tapeOf(symbol, 'always').fold(micros(minute), micros(minute) + MINUTE_MICROS)),
      then,
    ))

for (const [symbol, after, then] of [
  ['AAPL', '2026-11-13T14:30:00Z', '2026-11-13T14:30:00.011865Z 26181 x 296, 100 at 26181, 500 at 26182'],
  ['F', '2026-11-13T18:20:00Z', '2026-11-13T18:20:02.031574Z 1292 x 31, 2200 at 1290, 16300 at 1292'],
  ['SPY', '2026-11-14T06:00:00Z', '2026-11-14T06:00:06.317119Z 66710 x 81, 100 at 66706, 700 at 66710'],
  ['XOM', '1999-12-31T16:40:00Z', '1999-12-31T16:40:01.035007Z 7346 x 171, 1300 at 7346, 200 at 7347'],
] as const)
  test(`the next trade of ${symbol} after ${after}: ${then}`, () => {
    const next = tapeOf(symbol, 'always').next(micros(after), micros(after) + 60 * MINUTE_MICROS)!
    const { at, price, size, bid, ask, bidSize, askSize } = next
    const quote = `${bidSize} at ${bid}, ${askSize} at ${ask}`
    assert.equal(`${formatInstant(instantOfMicros(at))} ${price} x ${size}, ${quote}`, then)
  })
