import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Hours } from '../../world.ts'
import { tradingDayAt } from '../calendar.ts'
import { SECOND_MICROS } from '../micros.ts'
import { ALL, END, micros, type Throw, tapeOf } from './market-testing.ts'
import type { Print, QuoteUpdate } from './quotes.ts'
import type { Tape } from './tape.ts'

const dice = fc.record({
  seed: fc.string({ maxLength: 8 }),
  hours: fc.constantFrom<Hours>('nyse', 'always'),
  profile: fc.constantFrom(...ALL),
  // Trading days of 1970 to 2050.
  index: fc.integer({ min: 0, max: 20_400 }),
})

function property(name: string, runs: number, check: (given: Throw, tape: Tape, day: number) => void): void {
  test(name, () =>
    fc.assert(
      fc.property(dice, (given) => check(given, tapeOf(given), tradingDayAt(given.index)!)),
      { numRuns: runs },
    ),
  )
}

property('a price is touched when the quote first reaches it', 200, (given, tape, day) => {
  const from = micros(day, 300 + (given.index % 600)) + (given.index % 977) * 1009
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

property('a trade is reached when it is the first at a price', 80, (given, tape, day) => {
  const from = micros(day, 300 + (given.index % 600))
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

property('quotes come with the trades and between them, at least 200 µs apart', 120, (given, tape, day) => {
  const [from, to] = [micros(day, 560), micros(day, 1000)]
  const quotes = tape.quotes(from, to, 1500)
  assert.deepEqual(tape.quotes(from, quotes.at(-1)?.at ?? to, END, true).toReversed(), quotes)
  quotes.forEach((quote, place) => {
    const before = quotes[place - 1]
    assert.ok(quote.bid > 0 && quote.bid < quote.ask && quote.bidSize > 0 && quote.askSize > 0)
    if (before) assert.ok(quote.at - before.at >= (quote.update === 0 ? 1 : 200), JSON.stringify(given))
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
