import assert from 'node:assert/strict'
import test from 'node:test'
import type { Ticker } from '../../ids.ts'
import { type CivilDate, dayOf, formatInstant, type Instant, parseInstant } from '../../time.ts'
import type { Hours } from '../../world.ts'
import { PROFILES } from '../assets.ts'
import { profileOf } from '../custom.ts'
import { instantOfMicros, MINUTE_MICROS, microsBefore } from '../micros.ts'
import type { Span } from '../span.ts'
import { makeMarket } from './market.ts'
import type { Tape } from './tape.ts'

// The mathematics of the tape is a promise: scenarios and recorded results rest on these very numbers. A change
// here is a new market, for a new release to announce.

/** As somebody might add them. */
const ADDED = [{ symbol: 'ACME' }, { symbol: 'PNNY', price: 0.35, on: '2026-05-01' as CivilDate }].map(
  profileOf,
)

const tapeOf = (symbol: string, hours: Hours): Tape =>
  makeMarket({ seed: 'quipu', hours, profiles: [...PROFILES, ...ADDED] }).get(symbol as Ticker)!

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
  ['XLK', '2026-11-13', 'always', '29543 30081 29385 29856 3893807 26029 109612986081'],
  ['SQQQ', '2026-11-13', 'always', '7978 8240 7858 8077 50716232 169063 386799967135'],
  ['BRK.B', '2008-10-10', 'always', '30654 30928 30043 30104 8231275 83399 237143727390'],
  ['BTC/USD', '2026-11-14', 'always', '942665 951196 909731 912234 95883103 49897 89566424282965'],
  ['USDT/USD', '2021-03-02', 'always', '100165 100170 100149 100162 52580441 2865 5266319440207'],
  ['DOGE/USD', '2026-11-02', 'always', '165763 166936 159329 160000 477184788 3737 77480286468405'],
  ['ACME', '2026-11-02', 'always', '1017 1038 1009 1012 3402164 4563 3274964308'],
  ['PNNY', '2026-05-01', 'always', '3376 3558 3356 3500 2666469 1868 8736912242'],
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
