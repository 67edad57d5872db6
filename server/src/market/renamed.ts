import type { Ticker } from '@quipu/core'
import type { MarketSource } from './market-source.ts'

/** A market that knows some symbols under other names: what is asked of a name is answered of its origin. */
export function renamed(source: MarketSource, origins: ReadonlyMap<Ticker, Ticker>): MarketSource {
  if (origins.size === 0) return source
  const of = (symbol: Ticker): Ticker => origins.get(symbol) ?? symbol
  const asked = <Query extends { readonly symbol: Ticker }>(query: Query): Query => ({
    ...query,
    symbol: of(query.symbol),
  })
  const { barColumns } = source
  return {
    ...source,
    pricesAt: (at) => {
      const prices = source.pricesAt(at)
      return { quote: (symbol) => prices.quote(of(symbol)), trade: (symbol) => prices.trade(of(symbol)) }
    },
    nextQuote: (symbol, at, until) => source.nextQuote(of(symbol), at, until),
    nextTouch: (query) => source.nextTouch(asked(query)),
    nextTrade: (query) => source.nextTrade(asked(query)),
    bars: (query) => source.bars(asked(query)),
    ...(barColumns && { barColumns: (query) => barColumns(asked(query)) }),
    latestBar: (symbol, now) => source.latestBar(of(symbol), now),
    trades: (query) => source.trades(asked(query)),
    latestTrade: (symbol, now) => source.latestTrade(of(symbol), now),
    quotes: (query) => source.quotes(asked(query)),
    latestQuote: (symbol, now) => source.latestQuote(of(symbol), now),
    book: (symbol, at) => source.book(of(symbol), at),
    auctions: (query) => source.auctions(asked(query)),
    events: (query) => source.events(asked(query)),
  }
}
