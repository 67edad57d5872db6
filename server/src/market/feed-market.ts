import type { MarketHistory, MarketPrices, MarketSchedule } from './market-source.ts'

/** The part of a market that live feeds use. */
export type FeedMarket = MarketPrices & {
  readonly history: Pick<MarketHistory, 'bars' | 'trades' | 'book' | 'events'>
  readonly schedule: Pick<MarketSchedule, 'nextQuote'>
}
