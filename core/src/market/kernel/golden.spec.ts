import assert from 'node:assert/strict'
import test from 'node:test'
import { type CivilDate, dayOf } from '../../civil-date.ts'
import type { Ticker } from '../../ids.ts'
import { formatInstant, type Instant, parseInstant } from '../../time.ts'
import type { Hours } from '../../world.ts'
import { builtInListing } from '../assets/assets.ts'
import { profileOf } from '../assets/custom.ts'
import { instantOfMicros, MINUTE_MICROS, microsBefore } from '../history/micros.ts'
import type { Span } from '../history/span.ts'
import { makeMarket } from './market.ts'
import type { Tape } from './tape.ts'

// The numbers of the tape must not change: scenarios and recorded results depend on them. A change here is a new market
// model, which a release must announce.

/** Custom symbols. */
const ADDED = [{ symbol: 'ACME' }, { symbol: 'PNNY', price: 0.35, on: '2026-05-01' as CivilDate }].map(
  profileOf,
)

const tapeOf = (symbol: string, hours: Hours): Tape =>
  makeMarket({ seed: 'quipu', hours, profiles: [...builtInListing().profiles, ...ADDED] }).get(
    symbol as Ticker,
  )!

function micros(text: string): number {
  const parsed = parseInstant(text)
  return microsBefore(parsed.ok ? parsed.value : (0n as Instant))
}

const formatSpan = (span: Span | undefined): string =>
  span
    ? [span.open, span.high, span.low, span.close, span.volume, span.trades, span.turnover].join(' ')
    : 'none'

for (const [symbol, date, hours, then] of [
  ['AAPL', '2026-11-02', 'always', '26554 26847 26449 26800 77282520 280214 1192655808864'],
  ['AAPL', '2026-11-13', 'always', '25728 26080 25564 25853 88103083 354889 1314383552688'],
  ['AAPL', '2026-11-13', 'nyse', '25728 26080 25564 25853 53449204 160963 1314383552688'],
  ['KO', '1987-10-19', 'nyse', '1312 1315 1298 1299 16494749 48275 20524658915'],
  ['SPY', '2020-03-16', 'nyse', '42943 43103 42567 42642 24865366 65100 1014089684702'],
  ['F', '1970-01-02', 'nyse', '105 106 105 106 91274425 69874 9166717838'],
  ['TSLA', '2050-12-30', 'always', '60875 61285 59716 60654 119439928 366350 4188828768827'],
  ['DIS', '2026-11-27', 'always', '10967 11067 10921 11049 7882101 54415 37198617439'],
  ['XLK', '2026-11-13', 'always', '29311 29857 29148 29707 6407571 60316 109347971410'],
  ['SQQQ', '2026-11-13', 'always', '6554 6601 6260 6296 73961016 303976 274588471823'],
  ['BRK.B', '2008-10-10', 'always', '16767 16951 16630 16910 7149391 93870 69426029984'],
  ['BTC/USD', '2026-11-14', 'always', '877168 878485 858003 860126 41191385 21435 35641189429965'],
  ['USDT/USD', '2021-03-02', 'always', '99878 99894 99872 99891 48854338 2662 4879709305784'],
  ['DOGE/USD', '2026-11-02', 'always', '153793 160150 150529 160000 292866277 2294 45205349671629'],
  ['ACME', '2026-11-02', 'always', '1026 1029 1009 1012 8326765 15065 4905156736'],
  ['PNNY', '2026-05-01', 'always', '3413 3534 3387 3500 4518001 4328 9057496504'],
] as const)
  test(`the day ${date} of ${symbol}, ${hours}: ${then}`, () =>
    assert.equal(
      formatSpan(tapeOf(symbol, hours).day(dayOf(date as CivilDate), Number.MAX_SAFE_INTEGER)),
      then,
    ))

for (const [symbol, minute, then] of [
  ['AAPL', '2026-11-13T14:30:00Z', '25728 25741 25697 25736 656809 724 16897304545'],
  ['AAPL', '2026-11-13T17:00:00Z', '26001 26008 25996 26001 29117 203 757098821'],
  ['AAPL', '2026-11-13T20:59:00Z', '25798 25881 25791 25853 3035348 1334 78468221370'],
  ['AAPL', '2026-11-15T05:02:00Z', '26090 26093 26082 26092 82015 263 2139667034'],
  ['NVDA', '2026-11-13T09:10:00Z', '18725 18728 18715 18716 263395 375 4931379415'],
  ['KO', '2026-11-14T00:50:00Z', '6957 6957 6956 6956 4271 38 29710736'],
  ['T', '2026-03-08T07:05:00Z', '1944 1944 1944 1944 24777 96 48166488'],
] as const)
  test(`the minute ${minute} of ${symbol}: ${then}`, () =>
    assert.equal(
      formatSpan(tapeOf(symbol, 'always').fold(micros(minute), micros(minute) + MINUTE_MICROS)),
      then,
    ))

for (const [symbol, after, then] of [
  ['AAPL', '2026-11-13T14:30:00Z', '2026-11-13T14:30:00.064324Z 25728 x 538937, 600 at 25728, 100 at 25729'],
  ['F', '2026-11-13T18:20:00Z', '2026-11-13T18:20:00.481201Z 1339 x 2622, 5700 at 1339, 1400 at 1340'],
  ['SPY', '2026-11-14T06:00:00Z', '2026-11-14T06:00:00.113825Z 69195 x 1, 2000 at 69194, 1700 at 69195'],
  ['XOM', '1999-12-31T16:40:00Z', '1999-12-31T16:40:03.02609Z 5116 x 201, 1300 at 5116, 200 at 5117'],
] as const)
  test(`the next trade of ${symbol} after ${after}: ${then}`, () => {
    const next = tapeOf(symbol, 'always').next(micros(after), micros(after) + 60 * MINUTE_MICROS)!
    const { at, price, size, bid, ask, bidSize, askSize } = next
    const quote = `${bidSize} at ${bid}, ${askSize} at ${ask}`
    assert.equal(`${formatInstant(instantOfMicros(at))} ${price} x ${size}, ${quote}`, then)
  })
