import type { AssetClass, Ticker } from '@quipu/core'
import type { FeedChannel, News } from './news.ts'

/** One channel of one symbol, or of all symbols of a class (`*`). */
export type FollowQuery = {
  readonly class: AssetClass
  readonly channel: FeedChannel
  readonly symbol: string
}

/**
 * The side of a market that is not known in advance: it publishes events as they happen. If a source has this, its
 * schedule is `NO_SCHEDULE`.
 */
export type LiveMarket = {
  /**
   * Sends news to `onNews` until the returned function is called. A function that follows the same symbol twice
   * receives news once.
   */
  follow(wanted: FollowQuery, onNews: (news: News) => void): () => void
  /** Calls when the price of a symbol may have changed. Returns a function that stops the calls. */
  watch(symbol: Ticker, changed: () => void): () => void
  /** Resolves when the price of a symbol is current, or after a timeout. */
  waitForPrice(symbol: Ticker): Promise<void>
  /** The whole order book of a pair, if it has followers. */
  book(symbol: Ticker): (News & { readonly channel: 'orderbooks' }) | undefined
}
