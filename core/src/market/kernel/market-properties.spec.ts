import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Hours } from '../../world.ts'
import { closeMinute, postCloseMinute, tradingDayAt } from '../calendar.ts'
import { MINUTE_MICROS, SECOND_MICROS } from '../history/micros.ts'
import type { Span } from '../history/span.ts'
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
