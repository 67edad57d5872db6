import {
  type Asset,
  type Instant,
  instantOfMicros,
  type LastTrade,
  microsAfter,
  microsBefore,
  type Print,
  type Quote,
  type Tape,
} from '@quipu/core'
import { priceOf, quantityOf, quoteOf } from './synthetic-trade.ts'

/** What one symbol shows at an instant. */
export type Board = {
  quote(at: Instant): Quote | undefined
  trade(at: Instant): LastTrade | undefined
  /** Until when, as far as it is known, what is shown at an instant stands. */
  until(at: Instant): Instant
  /** When the quote after that of an instant comes, if it does before another instant. */
  next(at: Instant, before: Instant): Instant | undefined
}

/** Trades read ahead: a board that follows a clock reads the tape once for many of them. */
const AHEAD = 16
const AHEAD_MICROS = 60_000_000

/** What is shown from one trade until the next. */
type Shown = {
  readonly from: Instant
  readonly until: Instant
  readonly quote: Quote
  readonly trade: LastTrade
}

export function makeBoard(tape: Tape, asset: Asset): Board {
  let [from, until] = [0, 0]
  let ahead: readonly Print[] = []
  let latest: Shown | undefined

  const read = (at: number): void => {
    const last = tape.last(at)
    const next = tape.prints(at + 1, at + AHEAD_MICROS, AHEAD)
    ahead = last ? [last, ...next] : next
    from = at
    until = next.length < AHEAD ? at + AHEAD_MICROS + 1 : next.at(-1)!.at
  }

  const covers = (micros: number): boolean => micros >= from && micros < until

  const show = (at: Instant): Shown | undefined => {
    if (latest && at >= latest.from && at < latest.until) return latest
    const micros = microsBefore(at)
    if (!covers(micros)) read(micros)
    const index = ahead.findLastIndex((each) => each.at <= micros)
    const print = ahead[index]
    if (!print) return undefined
    const end = Math.min(ahead[index + 1]?.at ?? until, until)
    latest = shownBy(print, asset, end)
    return latest
  }

  return {
    quote: (at) => show(at)?.quote,
    trade: (at) => show(at)?.trade,
    until: (at) => show(at)?.until ?? at,
    next(at, before) {
      const [after, end] = [microsBefore(at), microsAfter(before)]
      const known = covers(after) ? ahead.find((each) => each.at > after) : undefined
      const next = known ?? tape.next(after, end - 1)
      return next && next.at < end ? instantOfMicros(next.at) : undefined
    },
  }
}

function shownBy(print: Print, asset: Asset, end: number): Shown {
  const quote = quoteOf(asset, print)
  const { at } = quote
  const trade = { at, price: priceOf(print.price, asset), size: quantityOf(print.size, asset) }
  return { from: at, until: instantOfMicros(end), quote, trade }
}
