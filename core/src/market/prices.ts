import type { Price, Quantity } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import { amount, instant, list, optional, record, text, type ValueOf } from '../schema.ts'
import type { Instant } from '../time.ts'

const quoteOriginSchema = record({
  bidExchange: text(),
  askExchange: text(),
  tape: text(),
  conditions: list(text()),
})

/** The best bid and offer; `at` is the time of the quote. */
export const quoteSchema = record({
  at: instant<Instant>(),
  bid: amount<Price>(),
  ask: amount<Price>(),
  bidSize: amount<Quantity>(),
  askSize: amount<Quantity>(),
  /** Set if the quote is not from the asset's listing exchange. */
  origin: optional(quoteOriginSchema),
})
export type Quote = ValueOf<typeof quoteSchema>

/** One level of the book; sides are sorted best price first. */
export type BookLevel = { readonly price: Price; readonly size: Quantity }
export type QuoteBook = {
  readonly at: Instant
  readonly bids: readonly BookLevel[]
  readonly asks: readonly BookLevel[]
}

export const lastTradeSchema = record({
  at: instant<Instant>(),
  price: amount<Price>(),
  size: amount<Quantity>(),
})
export type LastTrade = ValueOf<typeof lastTradeSchema>

/** Prices at one instant. Undefined for a symbol that is unknown or has not traded yet. */
export type Prices = {
  quote(symbol: Ticker): Quote | undefined
  trade(symbol: Ticker): LastTrade | undefined
  /** The volume of the current minute, from its first to its last trade; absent if it is not known in advance. */
  volume?(symbol: Ticker): Quantity | undefined
}
