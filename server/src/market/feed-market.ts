import type { MarketSource } from './market-source.ts'

/** As much of a market as is told live. */
export type FeedMarket = Pick<
  MarketSource,
  'assets' | 'pricesAt' | 'nextQuote' | 'bars' | 'trades' | 'book' | 'events'
>
