import assert from 'node:assert/strict'
import test from 'node:test'
import { type CivilDate, dateOf, dayOf } from '../../civil-date.ts'
import type { Ticker } from '../../ids.ts'
import { isEarlyClose, tradingDayAt } from '../calendar.ts'
import { MINUTE_MICROS, SECOND_MICROS } from '../history/micros.ts'
import { makeMarket } from './market.ts'
import { END, micros, midnights, minutesOf, PROFILES, tapeOf } from './testing/market.ts'

test('with hours nyse nothing trades outside the sessions', () => {
  for (const date of ['2026-03-06', '2026-11-27', '2026-07-02', '2026-11-02']) {
    const day = dayOf(date as CivilDate)
    const minutes = minutesOf(tapeOf({ seed: 'a', hours: 'nyse', profile: PROFILES[0]! }), ...midnights(day))
    const post = micros(day, isEarlyClose(day) ? 1020 : 1200)
    assert.ok(minutes.every(([start]) => start >= micros(day, 240) && start < post))
    assert.equal(minutes.filter(([start]) => start >= micros(day, 570) && start < post).length > 300, true)
  }
})

test('with hours always the tape trades through nights, weekends and daylight saving changes', () => {
  const tape = tapeOf({ seed: 'a', hours: 'always', profile: PROFILES[0]! })
  // Both changes of 2026 and the days around them, and a holiday.
  for (const date of ['2026-03-07', '2026-03-08', '2026-03-09', '2026-11-01', '2026-11-26']) {
    const [from, to] = midnights(dayOf(date as CivilDate))
    const starts = minutesOf(tape, from, to).map(([start]) => start)
    const length = (to - from) / MINUTE_MICROS
    assert.ok(starts.length > 0.7 * length && starts.length <= length, `${date}: ${starts.length}`)
    assert.ok(starts[0]! < from + 3600 * SECOND_MICROS && starts.at(-1)! >= to - 3600 * SECOND_MICROS)
  }
})

test('on a shortened day the regular session ends at 13:00', () => {
  const tape = tapeOf({ seed: 'a', hours: 'nyse', profile: PROFILES[0]! })
  const day = dayOf('2026-11-27' as CivilDate)
  const [before, after] = [tape.last(micros(day, 780) - 1)!, tape.next(micros(day, 780), micros(day, 790))!]
  assert.deepEqual([before.segment.kind, after.segment.kind], ['regular', 'post'])
  assert.equal(before.price, tape.day(day, END)!.close)
})

test('symbols of one market move together, and each has its base price at the anchor', () => {
  const profiles = ['ONE', 'TWO'].map((symbol) => ({
    ...PROFILES[0]!,
    symbol: symbol as Ticker,
    volatility: 0.2,
  }))
  const market = makeMarket({ seed: 'together', hours: 'nyse', profiles })
  const [one, two] = profiles.map(({ symbol }) => market.get(symbol))
  const anchor = dayOf('2026-11-02' as CivilDate)
  assert.deepEqual([one!.day(anchor, END)!.close, two!.day(anchor, END)!.close], [26_800, 26_800])
  let [both, first, second] = [0, 0, 0]
  for (let index = 12_000; index < 13_000; index++) {
    const [a, b] = [one, two].map((tape) => {
      const [before, after] = [
        tape!.day(tradingDayAt(index - 1)!, END)!,
        tape!.day(tradingDayAt(index)!, END)!,
      ]
      return after.close / before.close - 1
    }) as [number, number]
    both += a * b
    first += a * a
    second += b * b
  }
  const correlation = both / Math.sqrt(first * second)
  assert.ok(correlation > 0.5 && correlation < 0.95, `${correlation}`)
})

test('before 1970 there is no price', () => {
  const tape = tapeOf({ seed: 'a', hours: 'always', profile: PROFILES[0]! })
  assert.equal(tape.last(-1), undefined)
  assert.equal(dateOf(0), '1970-01-01')
  assert.notEqual(tape.last(86_400 * SECOND_MICROS), undefined)
})

test('with hours always a closed date has minutes, and no day bar', () => {
  const tape = tapeOf({ seed: 'a', hours: 'always', profile: PROFILES[0]! })
  const sunday = dayOf('2026-11-15' as CivilDate)
  assert.equal(minutesOf(tape, ...midnights(sunday)).length, 1440)
  assert.equal(tape.day(sunday, END), undefined)
})

test('a fund has no trades before its inception', () => {
  const inception = dayOf('2010-02-11' as CivilDate)
  const fund = { ...PROFILES[0]!, inception }
  for (const hours of ['nyse', 'always'] as const) {
    const tape = makeMarket({ seed: 'a', hours, profiles: [fund] }).get(fund.symbol)!
    assert.equal(tape.last(micros(inception, 0) - 1), undefined)
    assert.equal(tape.lastQuote(micros(inception, 0) - 1), undefined)
    assert.equal(tape.day(inception - 1, END), undefined)
    assert.notEqual(tape.day(inception, END), undefined)
    assert.equal(tape.nearestTradingTime(0, false), undefined)
  }
})
