import assert from 'node:assert/strict'
import test from 'node:test'
import { type CivilDate, dayOf } from '../../civil-date.ts'
import type { Ticker } from '../../ids.ts'
import { builtInListing } from '../assets/assets.ts'
import { foldBars } from '../history/bars.ts'
import { barsOf } from '../history/history.ts'
import { instantOfMicros } from '../history/micros.ts'
import { midnightIn } from '../history/zone.ts'
import type { Issue, TapeChange } from './changes.ts'
import { makeMarket } from './market.ts'
import type { Tape } from './tape.ts'

const AAPL = 'AAPL' as Ticker
const DAY = dayOf('2026-11-10' as CivilDate)
const FROM = midnightIn('newYork', DAY)
const WEEK = 7 * 86_400_000_000

function tapeWith(issue?: Partial<Issue>, hours: 'always' | 'nyse' = 'nyse'): Tape {
  const issues = issue && new Map([[AAPL, { origin: AAPL, changes: [], ...issue }]])
  return makeMarket({ seed: 'split', hours, profiles: builtInListing().profiles, issues }).get(AAPL)!
}

const split = (ratio: number): TapeChange => ({ day: DAY, kind: 'split', ratio })
const plain = tapeWith()
const dayIn = (tape: Tape, day: number) => tape.day(day, midnightIn('newYork', day + 1))

test('before a split the tape is unchanged, trade by trade', () => {
  const tape = tapeWith({ changes: [split(4)] })
  assert.deepEqual(tape.prints(FROM - WEEK, FROM - 1, 1000), plain.prints(FROM - WEEK, FROM - 1, 1000))
  assert.deepEqual(dayIn(tape, DAY - 1), dayIn(plain, DAY - 1))
  assert.deepEqual(tape.last(FROM), plain.last(FROM))
})

for (const [ratio, name] of [
  [4, '4 for 1'],
  [1.5, '3 for 2'],
  [0.1, '1 for 10'],
  [0.01, '1 for 100'],
] as const)
  test(`${name}: after a split the price changes by the ratio, and the traded value stays`, () => {
    const tape = tapeWith({ changes: [split(ratio)] })
    for (const day of [DAY, DAY + 1, DAY + 28]) {
      const [before, after] = [dayIn(plain, day)!, dayIn(tape, day)!]
      for (const field of ['open', 'high', 'low', 'close'] as const)
        assert.ok(
          Math.abs(after[field] * ratio - before[field]) <= Math.max(2, 0.004 * before[field]),
          `${field} of ${day}: ${before[field]} and ${after[field]}`,
        )
      assert.ok(Math.abs(after.volume / ratio / before.volume - 1) < 0.05)
    }
  })

test('a dividend lowers the price by its amount', () => {
  const tape = tapeWith({ changes: [{ day: DAY, kind: 'dividend', ticks: 500 }] })
  const close = dayIn(plain, DAY - 1)!.close
  const [before, after] = [dayIn(plain, DAY)!, dayIn(tape, DAY)!]
  const expected = (before.open * (close - 500)) / close
  assert.ok(Math.abs(after.open - expected) <= 2)
  assert.equal(after.volume, before.volume)
})

test('a second split applies to the price after the first', () => {
  const changes: readonly TapeChange[] = [split(2), { day: DAY + 7, kind: 'split', ratio: 2 }]
  const tape = tapeWith({ changes })
  const [before, after] = [dayIn(plain, DAY + 8)!, dayIn(tape, DAY + 8)!]
  assert.ok(Math.abs(after.close * 4 - before.close) < 0.005 * before.close)
})

test('a delisted symbol has no trades from its end day on, and keeps its last trade', () => {
  const tape = tapeWith({ endDay: DAY }, 'always')
  assert.deepEqual(tape.prints(FROM, FROM + WEEK, 10), [])
  assert.deepEqual(tape.last(FROM + WEEK), plainAlways.last(FROM - 1))
  assert.equal(dayIn(tape, DAY), undefined)
})
const plainAlways = tapeWith(undefined, 'always')

test('a renamed symbol has the same tape, before and after the change', () => {
  const issue = { origin: AAPL, changes: [] }
  const market = makeMarket({
    seed: 'split',
    hours: 'nyse',
    profiles: builtInListing().profiles,
    issues: new Map([['PEAR' as Ticker, issue]]),
  })
  assert.deepEqual(
    market.get('PEAR' as Ticker)!.prints(FROM - WEEK, FROM + WEEK, 1000),
    plain.prints(FROM - WEEK, FROM + WEEK, 1000),
  )
})

for (const hours of ['nyse', 'always'] as const)
  test(`${hours}: trades, minutes and touches agree across a split`, () => {
    const tape = tapeWith({ changes: [split(4)] }, hours)
    const [from, to] = [FROM - 6 * 3_600_000_000, FROM + 6 * 3_600_000_000]
    const prints = tape.prints(from, to - 1, Number.POSITIVE_INFINITY)
    assert.deepEqual(tape.prints(from, to - 1, Number.POSITIVE_INFINITY, true), prints.toReversed())
    const printsOf = Map.groupBy(prints, ({ at }) => Math.floor((at - from) / 60_000_000))
    const minutes: number[] = []
    tape.minutes({ from, to, backwards: false }, (start, span) => {
      const of = printsOf.get((start - from) / 60_000_000)!
      assert.deepEqual(
        [span.volume, span.trades, span.high, span.low],
        [
          of.reduce((sum, print) => sum + print.size, 0),
          of.length,
          Math.max(...of.map((print) => print.price)),
          Math.min(...of.map((print) => print.price)),
        ],
      )
      minutes.push(start)
      return true
    })
    const backwards: number[] = []
    tape.minutes({ from, to, backwards: true }, (start) => backwards.push(start) > 0)
    assert.deepEqual(backwards.toReversed(), minutes)
    const whole = tape.fold(from, to)!
    assert.equal(
      whole.volume,
      prints.reduce((sum, print) => sum + print.size, 0),
    )
    // An ask at the price after the split occurs only after the split.
    const low = Math.floor(prints[0]!.price / 2)
    assert.equal(
      tape.touch('buy', low, from, to),
      prints.find((print) => print.at >= FROM && print.ask <= low)!.at,
    )
    assert.deepEqual(
      tape.reach('fall', low, from, to),
      prints.find((print) => print.at >= FROM && print.price <= low),
    )
    assert.deepEqual(
      tape.next(from, to),
      prints.find((print) => print.at > from),
    )
  })

test('a week with a split is the fold of its days', () => {
  const tape = tapeWith({ changes: [split(4)] })
  const scale = { ticks: 100, lots: 1 }
  const span = {
    symbol: AAPL,
    from: instantOfMicros(FROM - WEEK),
    to: instantOfMicros(FROM + 2 * WEEK),
    now: instantOfMicros(FROM + 3 * WEEK),
    sort: 'asc',
    limit: 100,
  } as const
  const days = barsOf(tape, scale, { ...span, frame: { unit: 'day', count: 1 } })
  const weeks = barsOf(tape, scale, { ...span, frame: { unit: 'week', count: 1 } })
  const folded = foldBars(days, { unit: 'week', count: 1 })
  for (const week of weeks.slice(1, 2)) {
    const same = folded.find(({ start }) => start === week.start)!
    assert.deepEqual({ ...same, vwap: 0 }, { ...week, vwap: 0 })
  }
})
