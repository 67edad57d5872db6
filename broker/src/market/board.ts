import {
  type Asset,
  type BookLevel,
  type Instant,
  instantOfMicros,
  type LastTrade,
  lastOf,
  microsAfter,
  microsBefore,
  NO_QUANTITY,
  type Quote,
  type QuoteBook,
  type Tape,
} from '@quipu/core'
import { lastTradeOf, quoteOf } from './synthetic/trade.ts'

/** The current trade and quote of one symbol. */
export type Board = {
  quote(at: Instant): Quote | undefined
  trade(at: Instant): LastTrade | undefined
  /** The time of the next quote, if it is before `until`. */
  next(at: Instant, before: Instant): Instant | undefined
}

/** Trades and quotes that are read ahead, so that one read of the tape serves many of them. */
const AHEAD = 16
const AHEAD_MICROS = 60_000_000

export function makeBoard(tape: Tape, asset: Asset): Board {
  const trades = follow(tape.last, tape.prints, (print) => lastTradeOf(asset, print))
  const quotes = follow(tape.lastQuote, tape.quotes, (quote) => quoteOf(asset, quote))
  return {
    quote: (at) => quotes.at(at)?.value,
    trade: (at) => trades.at(at)?.value,
    next: quotes.next,
  }
}

/** A value that is valid from one trade or quote until the next. */
type Valid<Value> = { readonly from: Instant; readonly until: Instant; readonly value: Value }

/** The trades or quotes of a tape for increasing times. */
function follow<Item extends { readonly at: number }, Value>(
  last: (at: number) => Item | undefined,
  list: (from: number, to: number, limit: number) => readonly Item[],
  make: (item: Item) => Value,
) {
  let [from, until] = [0, 0]
  let ahead: readonly Item[] = []
  let latest: Valid<Value> | undefined

  const read = (at: number): void => {
    const current = last(at)
    const next = list(at + 1, at + AHEAD_MICROS, AHEAD)
    ahead = current ? [current, ...next] : next
    from = at
    until = next.length < AHEAD ? at + AHEAD_MICROS + 1 : lastOf(next).at
  }

  const covers = (micros: number): boolean => micros >= from && micros < until

  return {
    at(at: Instant): Valid<Value> | undefined {
      if (latest && at >= latest.from && at < latest.until) return latest
      const micros = microsBefore(at)
      if (!covers(micros)) read(micros)
      const index = ahead.findLastIndex((each) => each.at <= micros)
      const item = ahead[index]
      if (!item) return undefined
      const end = Math.min(ahead[index + 1]?.at ?? until, until)
      latest = { from: instantOfMicros(item.at), until: instantOfMicros(end), value: make(item) }
      return latest
    },
    next(at: Instant, before: Instant): Instant | undefined {
      const [after, end] = [microsBefore(at), microsAfter(before)]
      const known = covers(after) ? ahead.find((each) => each.at > after) : undefined
      const next = known ?? list(after + 1, end - 1, 1)[0]
      return next && next.at < end ? instantOfMicros(next.at) : undefined
    },
  }
}

/** The difference between two books: new and changed levels, and deleted levels with size 0. */
export const bookChange = (from: QuoteBook, to: QuoteBook): QuoteBook => ({
  at: to.at,
  bids: changed(from.bids, to.bids),
  asks: changed(from.asks, to.asks),
})

function changed(from: readonly BookLevel[], to: readonly BookLevel[]): readonly BookLevel[] {
  const before = new Map(from.map(({ price, size }) => [price, size]))
  const levels = to.filter(({ price, size }) => before.get(price) !== size)
  const remaining = new Set(to.map(({ price }) => price))
  const deleted = from.filter(({ price }) => !remaining.has(price))
  return [...levels, ...deleted.map(({ price }) => ({ price, size: NO_QUANTITY }))]
}
