import assert from 'node:assert/strict'
import test from 'node:test'
import { type CivilDate, dayOf } from '../../civil-date.ts'
import type { Ticker } from '../../ids.ts'
import { newYorkSeconds } from '../../time.ts'
import { builtInListing } from '../assets/assets.ts'
import { isEarlyClose, tradingDayAt, tradingDaysBefore } from '../calendar.ts'
import { SECOND_MICROS } from '../history/micros.ts'
import type { Span } from '../history/span.ts'
import { makeMarket } from './market.ts'
import type { Tape } from './tape.ts'

// Statistics of the minutes of a tape match a random walk. The seeds are fixed, so no test can fail by chance.

const SEEDS = ['http', 'quipu', 'a', 'zeta']
const ANCHOR = tradingDaysBefore(dayOf('2026-11-02' as CivilDate))
const DAYS = Array.from({ length: 12 }, (_, step) => tradingDayAt(ANCHOR + 7 * step - 50)!).filter(
  (day) => !isEarlyClose(day),
)
const MARKETS = SEEDS.map((seed) =>
  makeMarket({ seed, hours: 'always', profiles: builtInListing().profiles }),
)

const known = new Map<string, Span[][]>()

/** The minutes of every day, between two minutes of the day. */
function sessions(symbol: string, from: number, to: number): Span[][] {
  const key = `${symbol} ${from} ${to}`
  const found = known.get(key) ?? computeSessions(symbol, from, to)
  known.set(key, found)
  return found
}

function computeSessions(symbol: string, from: number, to: number): Span[][] {
  const tapes = MARKETS.map((market): Tape => market.get(symbol as Ticker)!)
  return tapes.flatMap((tape) =>
    DAYS.map((day) => {
      const found: Span[] = []
      const [start, end] = [micros(day, from), micros(day, to)]
      tape.minutes({ from: start, to: end, backwards: false }, (_, span) => found.push(span) > 0)
      return found
    }),
  )
}

const micros = (day: number, minute: number): number => newYorkSeconds(day, minute) * SECOND_MICROS
const regular = (symbol: string): Span[][] => sessions(symbol, 570, 960)
const rangeOf = ({ high, low }: Span): number => high - low
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const mean = (values: readonly number[]): number => sum(values) / values.length
const part = <Item>(items: readonly Item[], matches: (item: Item) => boolean): number =>
  items.filter(matches).length / items.length

/** The average price of each minute relative to its low (0) and high (1). */
const relativeAverages = (days: Span[][], least: { range: number; trades: number }): number[] =>
  days
    .flat()
    .filter((span) => rangeOf(span) >= least.range && span.trades >= least.trades)
    .map((span) => (span.turnover / span.volume - span.low) / rangeOf(span))

/** Pairs of neighbouring minutes. */
const neighbours = (days: Span[][]): [Span, Span][] =>
  days.flatMap((day) => day.slice(1).map((span, before): [Span, Span] => [day[before]!, span]))

const returns = (day: readonly Span[]): number[] =>
  day.slice(1).map((span, before) => span.close / day[before]!.close - 1)

for (const symbol of ['AAPL', 'MSFT', 'SPY', 'NVDA', 'TSLA'])
  test(`average prices of ${symbol}'s minutes are well between low and high`, () => {
    const found = relativeAverages(regular(symbol), { range: 5, trades: 50 })
    assert.ok(found.length > 10_000)
    const outside = part(found, (position) => position < 0.02 || position > 0.98)
    assert.ok(outside < 0.005, `${outside}`)
    const fifths = [0, 1, 2, 3, 4].map((fifth) =>
      part(found, (position) => Math.floor(position * 5) === fifth),
    )
    assert.ok(fifths[2]! > 0.4 && fifths[2]! < 0.75, `${fifths}`)
    for (const [end, next] of [
      [fifths[0]!, fifths[1]!],
      [fifths[4]!, fifths[3]!],
    ] as const)
      assert.ok(end < 0.06 && end < next && next < fifths[2]!, `${fifths}`)
  })

for (const [symbol, flat, repeated] of [
  ['AAPL', 0.002, 0.075],
  ['MSFT', 0.002, 0.06],
  ['SPY', 0.002, 0.075],
  ['KO', 0.03, 0.35],
  ['PFE', 0.14, 0.5],
  ['F', 0.2, 0.55],
] as const)
  test(`minutes of ${symbol} are seldom flat, and neighbours seldom have the same high or low`, () => {
    const days = regular(symbol)
    const isFlat = part(days.flat(), (span) => rangeOf(span) === 0)
    assert.ok(isFlat < flat, `${isFlat}`)
    const pairs = neighbours(days)
    const sameHigh = part(pairs, ([one, two]) => one.high === two.high)
    const sameLow = part(pairs, ([one, two]) => one.low === two.low)
    assert.ok(sameHigh < repeated && sameLow < repeated, `${sameHigh} ${sameLow}`)
  })

for (const symbol of ['AAPL', 'MSFT', 'SPY', 'TSLA', 'KO', 'PFE', 'F'])
  test(`minute returns of ${symbol} have no autocorrelation, and their variance matches that of its days`, () => {
    const days = regular(symbol)
    const moves = days.map(returns)
    const square = (value: number): number => value * value
    const variance = sum(moves.flat().map(square))
    const following = sum(moves.flatMap((day) => day.slice(1).map((move, before) => move * day[before]!)))
    assert.ok(Math.abs(following / variance) < 0.1, `${following / variance}`)
    const ofDays = sum(days.map((day) => square(day.at(-1)!.close / day[0]!.open - 1)))
    assert.ok(variance / ofDays > 0.5 && variance / ofDays < 2, `${variance / ofDays}`)
    // A random walk's expected range is 1.6 times its deviation; ticks make it a little more.
    const ranges = mean(days.flat().map((span) => square(rangeOf(span) / span.close)))
    const ratio = Math.sqrt(ranges / mean(moves.flat().map(square)))
    assert.ok(ratio > 1.4 && ratio < 2.2, `${ratio}`)
  })

for (const symbol of ['AAPL', 'SPY', 'KO'])
  test(`the first and the last half hour of ${symbol} have more volume and range than midday`, () => {
    const [first, midday, last] = [
      sessions(symbol, 570, 600),
      sessions(symbol, 735, 795),
      sessions(symbol, 930, 960),
    ]
    for (const busy of [first, last]) {
      assert.ok(
        mean(busy.flat().map(({ volume }) => volume)) > 2 * mean(midday.flat().map(({ volume }) => volume)),
      )
      assert.ok(mean(busy.flat().map(rangeOf)) > 1.5 * mean(midday.flat().map(rangeOf)))
    }
  })

for (const [name, from, to] of [
  ['in the early session', 0, 240],
  ['in the pre-market', 240, 570],
  ['in the after-market', 960, 1200],
  ['in the late session', 1200, 1440],
] as const)
  for (const symbol of ['AAPL', 'KO'])
    test(`minutes of ${symbol} ${name} have a smaller range than the session's, and averages within it`, () => {
      const days = sessions(symbol, from, to)
      const found = relativeAverages(days, { range: 3, trades: 5 })
      const outside = part(found, (position) => position < 0.02 || position > 0.98)
      assert.ok(found.length > 10 && outside < 0.08, `${found.length} ${outside}`)
      assert.ok(Math.abs(mean(found) - 0.5) < 0.1, `${mean(found)}`)
      assert.ok(mean(days.flat().map(rangeOf)) < 0.8 * mean(regular(symbol).flat().map(rangeOf)))
      const moves = days.map(returns)
      const variance = sum(moves.flat().map((move) => move * move))
      const following = sum(moves.flatMap((day) => day.slice(1).map((move, before) => move * day[before]!)))
      assert.ok(Math.abs(following / variance) < 0.35, `${following / variance}`)
    })

for (const [one, other, least] of [
  ['SPY', 'QQQ', 0.4],
  ['AAPL', 'SPY', 0.25],
  ['KO', 'SPY', 0.1],
] as const)
  test(`minute returns of ${one} and ${other} are correlated`, () => {
    const moves = ([one, other] as const).map((symbol) => regular(symbol).flatMap(changes))
    const product = (a: readonly number[], b: readonly number[]): number =>
      sum(a.map((move, at) => move * b[at]!))
    const [first, second] = [moves[0]!, moves[1]!]
    assert.equal(first.length, second.length)
    const correlation = product(first, second) / Math.sqrt(product(first, first) * product(second, second))
    assert.ok(correlation > least && correlation < 0.95, `${correlation}`)
  })

const changes = (day: readonly Span[]): number[] => day.map(({ open, close }) => close / open - 1)
