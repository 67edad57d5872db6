import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type CivilDate, dayOf } from '../../civil-date.ts'
import type { Ticker } from '../../ids.ts'
import { fromNewYork, type Instant } from '../../time.ts'
import { builtInListing } from '../assets/assets.ts'
import { MINUTE_MICROS, microsBefore } from '../history/micros.ts'
import type { Span } from '../history/span.ts'
import { midnightIn, zoneOf } from '../history/zone.ts'
import type { MarketEvent } from '../market-event.ts'
import { makeMarket } from './market.ts'
import { foldList } from './overlay.ts'
import type { Print } from './quotes.ts'
import { isDaily, isPriced } from './segments.ts'
import type { Tape } from './tape.ts'

const DATE = '2026-11-13' as CivilDate
const DAY = dayOf(DATE)
const END = Number.MAX_SAFE_INTEGER
const [KO, LINK] = ['KO', 'LINK/USD'] as [Ticker, Ticker]
const at = (minute: number, seconds = 0): Instant =>
  (fromNewYork(DATE, minute) + BigInt(seconds) * 1_000_000_000n) as Instant

/** A stock with this number of trades a day. */
const traded = (trades: number) => ({
  ...builtInListing().profiles.find(({ symbol }) => symbol === KO)!,
  volume: trades * 70,
  trades,
})
/** Enough trades for every minute of the session, and few enough for a fast comparison. */
const profiles = builtInListing().profiles.map((profile) => (profile.symbol === KO ? traded(6_000) : profile))
const market = (marketEvents: readonly MarketEvent[]) =>
  makeMarket({ seed: 'events', hours: 'always', profiles, marketEvents })
const calm = market([])
/** Few trades, so that some minutes are empty. */
const QUIET = traded(900)

/** Market events, and the minutes between which the tape may differ. */
const CASES: readonly (readonly [string, Ticker, readonly MarketEvent[], number, number])[] = [
  [
    'a halt',
    KO,
    [{ kind: 'halt', symbol: KO, from: at(600, 17), to: at(640, 5), reason: 'newsPending' }],
    600,
    641,
  ],
  [
    'a halt over the close',
    KO,
    [{ kind: 'halt', symbol: KO, from: at(950), to: at(970), reason: 'operational' }],
    950,
    970,
  ],
  [
    'a pause',
    KO,
    [{ kind: 'pause', symbol: KO, at: at(700, 30), minutes: 5, limit: 'up', percent: 5 }],
    700,
    706,
  ],
  ['a crash', KO, [{ kind: 'crash', at: at(720, 12), depth: 0.2, minutes: 9, recovers: true }], 720, 730],
  ['a thin book', KO, [{ kind: 'thin', from: at(600), to: at(700, 1), times: 7 }], 600, 701],
  ['missing minutes', KO, [{ kind: 'missing', share: 0.3, from: at(580), to: at(800) }], 580, 800],
  [
    'all at once',
    KO,
    [
      { kind: 'crash', at: at(720, 12), depth: 0.5, minutes: 20, recovers: true },
      { kind: 'halt', symbol: KO, from: at(725, 3), to: at(730), reason: 'circuitBreaker1' },
      { kind: 'missing', share: 0.2, from: at(600), to: at(900) },
      { kind: 'thin', from: at(710), to: at(735), times: 3 },
    ],
    600,
    900,
  ],
  [
    'a crash of a pair',
    LINK,
    [{ kind: 'crash', symbol: LINK, at: at(300), depth: 0.3, minutes: 60, recovers: true }],
    300,
    361,
  ],
  [
    'missing minutes of a pair',
    LINK,
    [{ kind: 'missing', symbol: LINK, share: 0.5, from: at(200), to: at(900) }],
    200,
    900,
  ],
]

const shape = (span: Span | undefined) =>
  span && [span.open, span.high, span.low, span.close, span.volume, span.trades, span.turnover]
const printed = ({ at: when, price, size, bid, ask }: Print) => [when, price, size, bid, ask]

function minutesOf(tape: Tape, from: number, to: number, backwards = false): [number, Span][] {
  const found: [number, Span][] = []
  tape.minutes({ from, to, backwards }, (start, span) => found.push([start, span]) > 0)
  return found
}

for (const [name, symbol, marketEvents, first, last] of CASES) {
  const tape = market(marketEvents).get(symbol)!
  const plain = calm.get(symbol)!
  const zone = zoneOf(symbol === LINK ? 'crypto' : 'usEquity')
  const [from, to] = [midnightIn(zone, DAY), midnightIn(zone, DAY + 1)]
  const [begins, ends] = [microsBefore(at(first)), microsBefore(at(last))]
  const prints = tape.prints(from, to - 1, END)

  test(`${name}: minutes, time spans and the day are the folds of the trades`, () => {
    const minuteOf = (print: Print): number => print.at - ((print.at - from) % MINUTE_MICROS)
    const folded = [...Map.groupBy(prints, minuteOf)].map(([start, list]) => [start, shape(foldList(list))])
    const minutes = minutesOf(tape, from, to)
    assert.deepEqual(
      minutes.map(([start, span]) => [start, shape(span)]),
      folded,
    )
    assert.deepEqual(minutesOf(tape, from, to, true).reverse(), minutes)
    assert.deepEqual(shape(tape.fold(from, to)), shape(foldList(prints)))
    const session = prints.filter(({ segment }) => isPriced(segment.kind))
    const { volume, trades } = foldList(prints.filter(({ segment }) => isDaily(segment.kind)))!
    assert.deepEqual(shape(tape.day(DAY, END)), shape({ ...foldList(session)!, volume, trades }))
  })

  test(`${name}: before and after the event the tape is unchanged`, () => {
    const rest = (list: readonly Print[]) => list.filter((print) => print.at < begins || print.at >= ends)
    const without = plain.prints(from, to - 1, END)
    assert.deepEqual(rest(prints).map(printed), rest(without).map(printed))
    assert.notDeepEqual(prints.map(printed), without.map(printed))
    assert.deepEqual(tape.day(DAY - 1, END), plain.day(DAY - 1, END))
    assert.deepEqual(tape.day(DAY + 3, END), plain.day(DAY + 3, END))
  })

  test(`${name}: trades are the same when read backwards, one by one, or as the last before an instant`, () => {
    assert.deepEqual(tape.prints(from, to - 1, END, true).toReversed(), prints)
    const around = prints.filter((print) => print.at >= begins - 60e6 && print.at < ends + 60e6)
    for (const [index, print] of around.entries()) {
      if (index % 40 !== 0 || index === 0) continue
      assert.deepEqual(tape.last(print.at), print)
      assert.deepEqual(tape.last(print.at - 1), around[index - 1])
      assert.deepEqual(tape.next(around[index - 1]!.at, to), print)
    }
    const quotes = tape.quotes(from, to - 1, END)
    for (let moment = begins; moment < ends; moment += 97e6) {
      assert.deepEqual(
        tape.last(moment),
        prints.findLast((print) => print.at <= moment),
      )
      assert.deepEqual(
        tape.lastQuote(moment),
        quotes.findLast((quote) => quote.at <= moment),
      )
    }
  })

  test(`${name}: a price is touched when a quote reaches it`, () => {
    const start = begins - 120e6
    const after = tape.quotes(start + 1, ends, END)
    assert.deepEqual(tape.quotes(start + 1, ends, END, true).toReversed(), after)
    const middle = after[0]!.price
    for (const percent of [-25, -10, -3, -1, -0.2, 0.2, 1, 3]) {
      const price = Math.round(middle * (1 + percent / 100))
      assert.equal(tape.touch('buy', price, start, ends), after.find(({ ask }) => ask <= price)?.at)
      assert.equal(tape.touch('sell', price, start, ends), after.find(({ bid }) => bid >= price)?.at)
    }
  })

  test(`${name}: a quote at the start instant does not count as a touch`, () => {
    const inside = tape.quotes(begins, ends, END)
    for (const { at, ask } of inside.filter((_, number) => number % 200 === 0)) {
      const next = inside.find((quote) => quote.at > at && quote.ask <= ask)
      assert.equal(tape.touch('buy', ask, at, ends), next?.at)
    }
  })
}

test('nothing trades in a halt, nor in a missing minute', () => {
  const [, symbol, halt] = CASES[0]!
  const inside = market(halt)
    .get(symbol)!
    .prints(microsBefore(at(600, 17)), microsBefore(at(640, 5)) - 1, END)
  assert.deepEqual(inside, [])
  const [, , missing] = CASES[5]!
  const minutes = minutesOf(market(missing).get(KO)!, microsBefore(at(580)), microsBefore(at(800)))
  assert.ok(minutes.length > 220 * 0.55 && minutes.length < 220 * 0.85, `${minutes.length}`)
})

test('a crash reaches its depth and recovers', () => {
  const [, , marketEvents] = CASES[3]!
  const { low, open, close } = market(marketEvents)
    .get(KO)!
    .fold(microsBefore(at(720)), microsBefore(at(731)))!
  assert.ok(low / open < 0.81 && low / open > 0.79, `${low / open}`)
  assert.ok(Math.abs(close / open - 1) < 0.01)
})

test('a crash without recovery lowers the price permanently', () => {
  const fallen = market([{ kind: 'crash', at: at(720), depth: 0.3, minutes: 10, recovers: false }]).get(KO)!
  const plain = calm.get(KO)!
  for (const day of [DAY, DAY + 3, DAY + 60]) {
    const [one, other] = [fallen.day(day, END)!.close, plain.day(day, END)!.close]
    assert.ok(Math.abs(one / other - 0.7) < 0.002, `${day} ${one / other}`)
  }
  const [before, after] = [fallen.last(microsBefore(at(960)) - 1)!, fallen.next(microsBefore(at(960)), END)!]
  assert.ok(Math.abs(after.price / before.price - 1) < 0.01)
  assert.deepEqual(fallen.day(DAY - 1, END), plain.day(DAY - 1, END))
})

for (const percent of [-20, 15])
  test(`a gap of ${percent} % is between a close and the next open`, () => {
    const gapped = market([{ kind: 'gap', symbol: KO, on: DATE, percent }]).get(KO)!
    const plain = calm.get(KO)!
    const ratio = (day: number, price: 'open' | 'close'): number =>
      gapped.day(day, END)![price] / plain.day(day, END)![price]
    assert.equal(ratio(DAY - 1, 'close'), 1)
    for (const found of [ratio(DAY, 'open'), ratio(DAY, 'close'), ratio(DAY + 31, 'close')])
      assert.ok(Math.abs(found - 1 - percent / 100) < 0.005, `${found}`)
  })

test('a market event of one symbol does not change others, and one of all stocks changes no pair', () => {
  const [, , marketEvents] = CASES[0]!
  const day = (tapes: typeof calm, symbol: string) => tapes.get(symbol as Ticker)!.day(DAY, END)
  assert.deepEqual(day(market(marketEvents), 'AAPL'), day(calm, 'AAPL'))
  const all = market([{ kind: 'missing', share: 0.5 }])
  assert.notDeepEqual(day(all, 'AAPL'), day(calm, 'AAPL'))
  assert.deepEqual(day(all, LINK), day(calm, LINK))
})

const moment = fc
  .integer({ min: 0, max: 1439 * 60 })
  .map((seconds) => at(Math.floor(seconds / 60), seconds % 60))
const stretch = fc
  .tuple(moment, moment)
  .filter(([one, other]) => one !== other)
  .map(([one, other]) => (one < other ? { from: one, to: other } : { from: other, to: one }))
const share = fc.double({ min: 0, max: 0.9, noNaN: true })
const anyMarketEvent: fc.Arbitrary<MarketEvent> = fc.oneof(
  stretch.map((when): MarketEvent => ({ kind: 'halt', symbol: KO, reason: 'operational', ...when })),
  fc.record({
    kind: fc.constant('crash' as const),
    at: fc.integer({ min: 570, max: 959 }).map((minute) => at(minute)),
    depth: fc.double({ min: 0.01, max: 0.9, noNaN: true }),
    minutes: fc.integer({ min: 1, max: 120 }),
    recovers: fc.boolean(),
  }),
  fc
    .tuple(stretch, fc.integer({ min: 1, max: 100 }))
    .map(([when, times]): MarketEvent => ({ kind: 'thin', times, ...when })),
  fc.tuple(stretch, share).map(([when, part]): MarketEvent => ({ kind: 'missing', share: part, ...when })),
)

test('random market events: trades, minutes and the day agree, forwards and backwards', () =>
  fc.assert(
    fc.property(fc.array(anyMarketEvent, { minLength: 1, maxLength: 5 }), moment, (marketEvents, when) => {
      const tape = makeMarket({ seed: 'any', hours: 'always', profiles: [QUIET], marketEvents }).get(KO)!
      const [from, to] = [midnightIn('newYork', DAY), midnightIn('newYork', DAY + 1)]
      const prints = tape.prints(from, to - 1, END)
      assert.deepEqual(tape.prints(from, to - 1, END, true).toReversed(), prints)
      assert.deepEqual(shape(tape.fold(from, to)), shape(foldList(prints)))
      const minutes = minutesOf(tape, from, to)
      assert.deepEqual(minutesOf(tape, from, to, true).reverse(), minutes)
      assert.equal(
        minutes.reduce((sum, [, span]) => sum + span.turnover, 0),
        foldList(prints)?.turnover ?? 0,
      )
      const micros = microsBefore(when)
      const before = prints.findLast((print) => print.at <= micros)
      if (before) assert.deepEqual(tape.last(micros), before)
      const price = prints[0]?.price ?? 1
      const buys = tape.quotes(micros + 1, to - 1, END).find(({ ask }) => ask <= price)
      assert.equal(tape.touch('buy', price, micros, to - 1), buys?.at)
    }),
    { numRuns: Math.ceil(100 * Number(process.env['PROPERTY_FACTOR'] ?? 0.12)) },
  ))
