import type { Price, Quantity } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import type { Instant } from '../time.ts'

/** The best bid and offer; `at` is when it came to be. */
export type Quote = {
  readonly at: Instant
  readonly bid: Price
  readonly ask: Price
  readonly bidSize: Quantity
  readonly askSize: Quantity
  /** Where it was made, if that is not the exchange the asset is listed on. */
  readonly origin?: QuoteOrigin
}

export type QuoteOrigin = {
  readonly bidExchange: string
  readonly askExchange: string
  readonly tape: string
  readonly conditions: readonly string[]
}

/** A side of the book, best price first. */
export type BookLevel = { readonly price: Price; readonly size: Quantity }
export type Book = {
  readonly at: Instant
  readonly bids: readonly BookLevel[]
  readonly asks: readonly BookLevel[]
}

export type LastTrade = {
  readonly at: Instant
  readonly price: Price
  readonly size: Quantity
}

/** What the market shows at one instant. Nothing for a symbol that is unknown or has not traded yet. */
export type Prices = {
  quote(symbol: Ticker): Quote | undefined
  trade(symbol: Ticker): LastTrade | undefined
  /** Where the market can be foreseen. */
  readonly foreseen?: Foreseen
}

/** How long what a market shows at an instant will stand. */
export type Foreseen = {
  readonly at: Instant
  /** The same for prices of the same course of the market, and for no others. */
  readonly course: object
  /** From `at` until here the last trade of a symbol is the same. */
  tradeUntil(symbol: Ticker): Instant
}
