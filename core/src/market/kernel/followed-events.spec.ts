import assert from 'node:assert/strict'
import test from 'node:test'
import { type CivilDate, dayOf } from '../../civil-date.ts'
import type { Ticker } from '../../ids.ts'
import { fromNewYork, type Instant } from '../../time.ts'
import { builtInListing } from '../assets/assets.ts'
import { microsBefore } from '../history/micros.ts'
import type { MarketEvent } from '../market-event.ts'
import { makeMarket } from './market.ts'

const DATE = '2026-11-13' as CivilDate
const DAY = dayOf(DATE)
const END = Number.MAX_SAFE_INTEGER
const at = (minute: number, seconds = 0): Instant =>
  (fromNewYork(DATE, minute) + BigInt(seconds) * 1_000_000_000n) as Instant
const market = (marketEvents: readonly MarketEvent[]) =>
  makeMarket({ seed: 'events', hours: 'always', profiles: builtInListing().profiles, marketEvents })
const calm = market([])

/** Follower, leader, and the multiple of the leader's move. */
const FOLLOWED = [
  ['VOO', 'SPY', 1],
  ['SPXL', 'SPY', 3],
  ['SQQQ', 'QQQ', -3],
  ['SOXL', 'SMH', 3],
] as const

for (const [follower, leader, times] of FOLLOWED) {
  const [symbol, led] = [leader, follower] as [Ticker, Ticker]
  const dayOfTape = (tapes: typeof calm, of: Ticker, day: number) => tapes.get(of)!.day(day, END)!

  test(`a gap of ${leader} moves ${follower} ${times} times as far`, () => {
    const gapped = market([{ kind: 'gap', symbol, on: DATE, percent: -8 }])
    const ratio = (of: Ticker): number => dayOfTape(gapped, of, DAY).open / dayOfTape(calm, of, DAY).open
    assert.ok(Math.abs(ratio(symbol) - 0.92) < 0.003, `${ratio(symbol)}`)
    assert.ok(Math.abs(ratio(led) - 1 + 0.08 * times) < 0.01 * Math.abs(times), `${ratio(led)}`)
    assert.deepEqual(dayOfTape(gapped, led, DAY - 1), dayOfTape(calm, led, DAY - 1))
  })

  for (const recovers of [true, false])
    test(`a crash of ${leader} that does ${recovers ? '' : 'not '}recover reaches ${follower}`, () => {
      const crashed = market([{ kind: 'crash', symbol, at: at(700), depth: 0.1, minutes: 10, recovers }])
      const bottom = microsBefore(at(recovers ? 703 : 710, 30))
      const ratio = (of: Ticker, moment: number): number =>
        crashed.get(of)!.last(moment)!.price / calm.get(of)!.last(moment)!.price
      assert.ok(Math.abs(ratio(symbol, bottom) - 0.9) < 0.002)
      assert.ok(
        Math.abs(ratio(led, bottom) - 1 + 0.1 * times) < 0.02 * Math.abs(times),
        `${ratio(led, bottom)}`,
      )
      const later = dayOfTape(crashed, led, DAY + 3).close / dayOfTape(calm, led, DAY + 3).close
      assert.ok(Math.abs(later - 1 + (recovers ? 0 : 0.1 * times)) < 0.03 * Math.abs(times), `${later}`)
      const [before, after] = [microsBefore(at(960)) - 1, microsBefore(at(961))]
      const tape = crashed.get(led)!
      assert.ok(Math.abs(tape.last(after)!.price / tape.last(before)!.price - 1) < 0.01)
    })

  test(`${follower} falls with ${leader} also under its second name, and has market events of its own`, () => {
    const renamed = (marketEvents: readonly MarketEvent[]) => {
      const [second, own] = ['SECOND', 'OWN'] as [Ticker, Ticker]
      const issues = new Map([
        [second, { origin: symbol, changes: [] }],
        [own, { origin: led, changes: [] }],
      ])
      return makeMarket({
        seed: 'events',
        hours: 'always',
        profiles: builtInListing().profiles,
        marketEvents,
        issues,
      })
    }
    const gap = (of: string, percent: number): MarketEvent => ({
      kind: 'gap',
      symbol: of as Ticker,
      on: DATE,
      percent,
    })
    const events = (first: string, second: string) => [gap(first, -8), gap(second, 5)]
    assert.deepEqual(
      dayOfTape(renamed(events('SECOND', 'OWN')), led, DAY),
      dayOfTape(market(events(leader, follower)), led, DAY),
    )
  })

  test(`${follower} is halted with ${leader}, and ${leader} not with ${follower}`, () => {
    const halt = (of: Ticker): MarketEvent => ({
      kind: 'halt',
      symbol: of,
      from: at(650),
      to: at(655),
      reason: 'newsPending',
    })
    const traded = (tapes: typeof calm, of: Ticker) =>
      tapes.get(of)!.prints(microsBefore(at(650)), microsBefore(at(655)) - 1, 5).length
    assert.deepEqual([traded(market([halt(symbol)]), symbol), traded(market([halt(symbol)]), led)], [0, 0])
    assert.deepEqual([traded(market([halt(led)]), symbol), traded(market([halt(led)]), led)], [5, 0])
  })
}

test('a market event of all stocks moves a follower by its multiple, and only once', () => {
  const [qqq, sqqq] = ['QQQ', 'SQQQ'] as [Ticker, Ticker]
  const gapped = market([{ kind: 'gap', on: DATE, percent: -8 }])
  const ratio = (of: Ticker): number =>
    gapped.get(of)!.day(DAY, END)!.open / calm.get(of)!.day(DAY, END)!.open
  assert.ok(Math.abs(ratio(qqq) - 0.92) < 0.003 && Math.abs(ratio(sqqq) - 1.24) < 0.03, `${ratio(sqqq)}`)
})
