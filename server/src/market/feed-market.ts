import type { MarketSource } from './market-source.ts'

/** The part of a market that live feeds use. */
export type FeedMarket = Pick<
  MarketSource,
  'assets' | 'pricesAt' | 'nextQuote' | 'bars' | 'trades' | 'book' | 'events'
>
