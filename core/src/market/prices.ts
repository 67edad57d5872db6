import type { Price, Quantity } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import type { Instant } from '../time.ts'

/** The best bid and offer; `at` is the time of the quote. */
export type Quote = {
  readonly at: Instant
  readonly bid: Price
  readonly ask: Price
  readonly bidSize: Quantity
  readonly askSize: Quantity
  /** Set if the quote is not from the asset's listing exchange. */
  readonly origin?: QuoteOrigin
}

export type QuoteOrigin = {
  readonly bidExchange: string
  readonly askExchange: string
  readonly tape: string
  readonly conditions: readonly string[]
}

/** One level of the book; sides are sorted best price first. */
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

/** Prices at one instant. Undefined for a symbol that is unknown or has not traded yet. */
export type Prices = {
  quote(symbol: Ticker): Quote | undefined
  trade(symbol: Ticker): LastTrade | undefined
  /** Set if future prices are known, as in a generated market. */
  readonly validity?: PriceValidity
}

/** How long current prices remain valid. */
export type PriceValidity = {
  readonly at: Instant
  /** Identifies one price course; equal objects mean the same course. */
  readonly course: object
  /** From `at` until here the last trade of a symbol does not change. */
  tradeUntil(symbol: Ticker): Instant
}
