import {
  type Instant,
  instantOfMicros,
  type LastTrade,
  microsBefore,
  type Price,
  type Print,
  type Quantity,
  type Quote,
  type Tape,
} from '@quipu/core'

/** What one symbol shows at an instant. */
export type Board = {
  quote(at: Instant): Quote | undefined
  trade(at: Instant): LastTrade | undefined
}

/** Trades read ahead: a board that follows a clock reads the tape once for many of them. */
const AHEAD = 16
const AHEAD_MICROS = 60_000_000

type Shown = { readonly quote: Quote; readonly trade: LastTrade }

export function makeBoard(tape: Tape, tick: Price): Board {
  let [from, until] = [0, 0]
  let ahead: readonly Print[] = []
  let latest: { readonly print: Print; readonly shown: Shown } | undefined

  const read = (at: number): void => {
    const last = tape.last(at)
    const next = tape.prints(at + 1, at + AHEAD_MICROS, AHEAD)
    ahead = last ? [last, ...next] : next
    from = at
    until = next.length < AHEAD ? at + AHEAD_MICROS + 1 : next.at(-1)!.at
  }

  const show = (at: Instant): Shown | undefined => {
    const micros = microsBefore(at)
    if (micros < from || micros >= until) read(micros)
    const print = ahead.findLast((each) => each.at <= micros)
    if (!print) return undefined
    if (latest?.print !== print) latest = { print, shown: shownBy(print, tick) }
    return latest.shown
  }

  return { quote: (at) => show(at)?.quote, trade: (at) => show(at)?.trade }
}

const SHARE = 1_000_000_000n

function shownBy(print: Print, tick: Price): Shown {
  const at = instantOfMicros(print.at)
  const price = (ticks: number): Price => (BigInt(ticks) * tick) as Price
  const quantity = (shares: number): Quantity => (BigInt(shares) * SHARE) as Quantity
  return {
    quote: {
      at,
      bid: price(print.bid),
      ask: price(print.ask),
      bidSize: quantity(print.bidSize),
      askSize: quantity(print.askSize),
    },
    trade: { at, price: price(print.price), size: quantity(print.size) },
  }
}
