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

/** Worlds that share a market have clocks of their own: this many of them do not read again what another one replaced. */
const SPANS_KEPT = 4

/** The trades or quotes of `[from, until)`, and the last one before. */
type ReadAhead<Item> = { readonly from: number; readonly until: number; readonly items: readonly Item[] }

/** A value that is valid from one trade or quote until the next. */
type Valid<Value> = { readonly from: Instant; readonly until: Instant; readonly value: Value }

/** The trades or quotes of a tape, for times that mostly increase. */
function follow<Item extends { readonly at: number }, Value>(
  last: (at: number) => Item | undefined,
  list: (from: number, to: number, limit: number) => readonly Item[],
  make: (item: Item) => Value,
) {
  const spans: ReadAhead<Item>[] = []
  let latest: Valid<Value> | undefined

  const read = (at: number): ReadAhead<Item> => {
    const current = last(at)
    const next = list(at + 1, at + AHEAD_MICROS, AHEAD)
    const until = next.length < AHEAD ? at + AHEAD_MICROS + 1 : lastOf(next).at
    const span = { from: at, until, items: current ? [current, ...next] : next }
    if (spans.unshift(span) > SPANS_KEPT) spans.pop()
    return span
  }

  const spanOf = (at: number): ReadAhead<Item> | undefined =>
    spans.find(({ from, until }) => at >= from && at < until)

  return {
    at(at: Instant): Valid<Value> | undefined {
      if (latest && at >= latest.from && at < latest.until) return latest
      const micros = microsBefore(at)
      const { items, until } = spanOf(micros) ?? read(micros)
      const index = items.findLastIndex((each) => each.at <= micros)
      const item = items[index]
      if (!item) return undefined
      const end = Math.min(items[index + 1]?.at ?? until, until)
      latest = { from: instantOfMicros(item.at), until: instantOfMicros(end), value: make(item) }
      return latest
    },
    next(at: Instant, before: Instant): Instant | undefined {
      const [after, end] = [microsBefore(at), microsAfter(before)]
      const known = spanOf(after)?.items.find((each) => each.at > after)
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
