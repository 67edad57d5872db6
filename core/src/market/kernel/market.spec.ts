import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type CivilDate, dateOf, dayOf } from '../../civil-date.ts'
import type { Ticker } from '../../ids.ts'
import type { Hours } from '../../world.ts'
import { closeMinute, isEarlyClose, postCloseMinute, tradingDayAt } from '../calendar.ts'
import { MINUTE_MICROS, SECOND_MICROS } from '../history/micros.ts'
import type { Span } from '../history/span.ts'
import { makeMarket } from './market.ts'
import type { Print, QuoteUpdate } from './quotes.ts'
import type { Tape } from './tape.ts'
import {
  ALL,
  END,
  foldAll,
  type MarketCase,
  micros,
  midnights,
  minutesOf,
  PROFILES,
  shape,
  spanOf,
  tapeOf,
} from './testing/market.ts'

const samples = fc.record({
  seed: fc.string({ maxLength: 8 }),
  hours: fc.constantFrom<Hours>('nyse', 'always'),
  profile: fc.constantFrom(...ALL),
  // Trading days of 1970 to 2050.
  index: fc.integer({ min: 0, max: 20_400 }),
})

function property(
  name: string,
  runs: number,
  check: (sample: MarketCase, tape: Tape, day: number) => void,
): void {
  test(name, () =>
    fc.assert(
      fc.property(samples, (sample) => check(sample, tapeOf(sample), tradingDayAt(sample.index)!)),
      { numRuns: Math.ceil(runs * Number(process.env['PROPERTY_FACTOR'] ?? 0.08)) },
    ),
  )
}

/** The minutes that count in a day's bar: from the first of the pre-market to the last of the after-market. */
const isDaily =
  (day: number) =>
  ([start]: [number, Span]): boolean =>
    start >= micros(day, 240) && start < micros(day, postCloseMinute(day))

property('the minutes of a day fold into the day', 150, (_, tape, day) => {
  const [from, to] = midnights(day)
  const minutes = minutesOf(tape, from, to)
  const total = tape.day(day, END)
  const isRegular = ([start]: [number, Span]): boolean =>
    start >= micros(day, 570) && start < micros(day, closeMinute(day))
  const regular = foldAll(minutes.filter(isRegular).map(([, span]) => span))
  assert.equal(total === undefined, regular === undefined)
  if (!total || !regular) return
  assert.deepEqual(
    [total.open, total.high, total.low, total.close, total.turnover, total.priced],
    [regular.open, regular.high, regular.low, regular.close, regular.turnover, regular.volume],
  )
  const all = foldAll(minutes.filter(isDaily(day)).map(([, span]) => span))!
  assert.deepEqual([total.volume, total.trades], [all.volume, all.trades])
})

property('the trades of a minute fold into the minute', 300, (sample, tape, day) => {
  const [from, to] = midnights(day)
  const minutes = minutesOf(tape, from, to)
  for (const at of [0, 0.3, 0.5, 0.77, 0.999]) {
    const found = minutes[Math.floor(minutes.length * at)]
    if (!found) continue
    const prints = tape.prints(found[0], found[0] + MINUTE_MICROS - 1, END)
    assert.deepEqual(shape(foldAll(prints.map(spanOf))), shape(found[1]), JSON.stringify(sample))
  }
})

property('any time span is the fold of its trades, and of its minutes', 200, (sample, tape, day) => {
  const [midnight] = midnights(day)
  const length = sample.profile.trades > 10_000 ? 200 : 600_000
  const from = midnight + (Math.floor(sample.index * 7919 * 1009 * 977) % (86_400 * SECOND_MICROS))
  const to = from + length * 1000 * (1 + (sample.index % 50))
  assert.deepEqual(shape(tape.fold(from, to)), shape(foldAll(tape.prints(from, to - 1, END).map(spanOf))))
  const [first, last] = [Math.ceil(from / MINUTE_MICROS), Math.ceil(to / MINUTE_MICROS)]
  const minutes = minutesOf(tape, first * MINUTE_MICROS, last * MINUTE_MICROS).map(([, span]) => span)
  assert.deepEqual(shape(tape.fold(first * MINUTE_MICROS, last * MINUTE_MICROS)), shape(foldAll(minutes)))
})

property('backwards the minutes are the same', 60, (_, tape, day) => {
  const [from, to] = midnights(day)
  assert.deepEqual(minutesOf(tape, from, to, true), minutesOf(tape, from, to).reverse())
})

property('a trade prints at the bid or ask, after the previous trade', 150, (sample, tape, day) => {
  const from = micros(day, 560)
  const prints = tape.prints(from, micros(day, 1000), 500)
  prints.forEach((print, index) => {
    const before = prints[index - 1]
    if (before) assert.ok(before.at < print.at)
    if (before?.segment.kind === print.segment.kind) assert.equal(print.number, before.number + 1)
    assert.ok(print.bid > 0 && print.bid < print.ask && print.size >= 1, JSON.stringify(sample))
    assert.equal(print.isBuy ? print.ask : print.bid, print.price)
    assert.ok(print.bidSize > 0 && print.askSize > 0)
    assert.ok(print.at >= print.segment.from && print.at < print.segment.to)
  })
})

property('the last trade and the next trade are adjacent', 150, (_, tape, day) => {
  const prints = tape.prints(micros(day, 570), micros(day, 960), 40)
  prints.forEach((print, index) => {
    assert.deepEqual(tape.last(print.at), print)
    const next = prints[index + 1]
    if (!next) return
    assert.deepEqual(tape.last(next.at - 1), print)
    assert.deepEqual(tape.next(print.at, next.at), next)
    assert.equal(tape.next(print.at, next.at - 1), undefined)
  })
})

property('the session of a day is the same for both trading hours', 100, (sample, tape, day) => {
  const other = tapeOf({ ...sample, hours: sample.hours === 'nyse' ? 'always' : 'nyse' })
  const [one, two] = [tape, other].map((each) => each.day(day, END))
  assert.deepEqual(
    one && [one.open, one.high, one.low, one.close, one.turnover, one.priced],
    two && [two.open, two.high, two.low, two.close, two.turnover, two.priced],
  )
  const session = [micros(day, 570), micros(day, closeMinute(day)) - 1] as const
  assert.deepEqual(tape.prints(...session, 200), other.prints(...session, 200))
})

property('the order of queries does not matter', 40, (sample, tape, day) => {
  const other = tapeOf(sample)
  const [from, to] = midnights(day)
  other.touch('sell', 1e9, from, to + 3 * 86_400 * SECOND_MICROS)
  other.day(day + 1, from + 40_000 * SECOND_MICROS)
  assert.deepEqual(other.prints(micros(day, 600), to, 50), tape.prints(micros(day, 600), to, 50))
  assert.deepEqual(minutesOf(tape, from, to), minutesOf(other, from, to))
  assert.deepEqual(other.day(day, END), tape.day(day, END))
})

property('an unfinished day is the fold of its minutes so far', 80, (sample, tape, day) => {
  const cut = micros(day, sample.index % 1440)
  const running = tape.day(day, cut)
  const minutes = minutesOf(tape, micros(day, 0), cut)
  const regular = minutes.filter(
    ([start]) => start >= micros(day, 570) && start < micros(day, closeMinute(day)),
  )
  assert.equal(running === undefined, regular.length === 0)
  if (!running) return
  const [all, part] = [minutes.filter(isDaily(day)), regular].map(
    (list) => foldAll(list.map(([, span]) => span))!,
  )
  assert.deepEqual(
    [running.volume, running.trades, running.high, running.close, running.turnover],
    [all!.volume, all!.trades, part!.high, part!.close, part!.turnover],
  )
})

property('a price is touched when the quote first reaches it', 200, (sample, tape, day) => {
  const from = micros(day, 300 + (sample.index % 600)) + (sample.index % 977) * 1009
  const quotes = tape.quotes(from + 1, from + 4 * 3600 * SECOND_MICROS, 5000)
  const first: QuoteUpdate | undefined = quotes[0]
  const last: QuoteUpdate | undefined = quotes.at(-1)
  if (!first || !last) return
  for (const away of [-40, -15, -5, -1, 0, 1, 5, 15, 40]) {
    const price: number = first.price + away
    const lowAsk: QuoteUpdate | undefined = quotes.find(({ ask }) => ask <= price)
    const highBid: QuoteUpdate | undefined = quotes.find(({ bid }) => bid >= price)
    assert.equal(tape.touch('buy', price, from, last.at), lowAsk?.at)
    assert.equal(tape.touch('sell', price, from, last.at), highBid?.at)
  }
})

property('reach returns the first trade at a price', 80, (sample, tape, day) => {
  const from = micros(day, 300 + (sample.index % 600))
  const prints = tape.prints(from, from + 4 * 3600 * SECOND_MICROS, 3000)
  const first: Print | undefined = prints[0]
  const last: Print | undefined = prints.at(-1)
  if (!first || !last) return
  for (const away of [-30, -4, 0, 4, 30]) {
    const price: number = first.price + away
    const risen: Print | undefined = prints.find((print) => print.price >= price)
    const fallen: Print | undefined = prints.find((print) => print.price <= price)
    assert.deepEqual(tape.reach('rise', price, from, last.at), risen)
    assert.deepEqual(tape.reach('fall', price, from, last.at), fallen)
  }
})

property('quotes are at and between trades, at least 200 µs apart', 120, (sample, tape, day) => {
  const [from, to] = [micros(day, 560), micros(day, 1000)]
  const quotes = tape.quotes(from, to, 1500)
  assert.deepEqual(tape.quotes(from, quotes.at(-1)?.at ?? to, END, true).toReversed(), quotes)
  quotes.forEach((quote, index) => {
    const before = quotes[index - 1]
    assert.ok(quote.bid > 0 && quote.bid < quote.ask && quote.bidSize > 0 && quote.askSize > 0)
    if (before) assert.ok(quote.at - before.at >= (quote.update === 0 ? 1 : 200), JSON.stringify(sample))
    if (quote.update > 0) {
      assert.ok(!before || before.number === quote.number)
      return
    }
    const print = tape.last(quote.at)!
    const { at, price, bid, ask, bidSize, askSize, number } = quote
    assert.deepEqual(
      [at, price, bid, ask, bidSize, askSize, number],
      [print.at, print.price, print.bid, print.ask, print.bidSize, print.askSize, print.number],
    )
  })
  for (const at of [0.1, 0.5, 0.9]) {
    const [one, next] = [quotes[Math.floor(quotes.length * at)], quotes[Math.floor(quotes.length * at) + 1]]
    if (one && next) assert.deepEqual([tape.lastQuote(one.at), tape.lastQuote(next.at - 1)], [one, one])
  }
})

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
