import type { AssetClass, Ticker } from '@quipu/core'
import type { FeedChannel, News } from './news.ts'

/** One channel of one symbol, or of all symbols of a class (`*`). */
export type Followed = {
  readonly class: AssetClass
  readonly channel: FeedChannel
  readonly symbol: string
}

/**
 * The side of a market that cannot be foreseen: it tells what happens when it happens. Where a source has this, its
 * `nextQuote`, `nextTouch` and `nextTrade` find nothing.
 */
export type LiveMarket = {
  /** Has someone told until called off; one `tell` that follows the same thing twice over is told once. */
  follow(wanted: Followed, tell: (news: News) => void): () => void
  /** Calls when the price of a symbol may be another, until called off. */
  watch(symbol: Ticker, changed: () => void): () => void
  /** Resolves when the price of a symbol is as new as it can be had, or nobody can wait for it any longer. */
  priced(symbol: Ticker): Promise<void>
  /** The whole order book of a pair, where somebody follows it. */
  book(symbol: Ticker): (News & { readonly channel: 'orderbooks' }) | undefined
}
