import type { Asset, AssetClass, Ticker } from '@quipu/core'
import type { MarketHistory, MarketPrices, MarketSchedule } from './market-source.ts'

/** The part of a market that live feeds use. */
export type FeedMarket = MarketPrices & {
  readonly history: Pick<MarketHistory, 'edition' | 'bars' | 'trades' | 'book' | 'events'>
  readonly schedule: Pick<MarketSchedule, 'nextQuote'>
}

/** A market with only one asset class, so that `*` on a stock stream does not include crypto. */
export function ofClass(assetClass: AssetClass): (market: FeedMarket) => FeedMarket {
  let cached:
    | { readonly of: ReadonlyMap<Ticker, Asset>; readonly assets: ReadonlyMap<Ticker, Asset> }
    | undefined
  const assetsOf = (market: FeedMarket): ReadonlyMap<Ticker, Asset> => {
    const all = market.assets()
    if (cached?.of !== all)
      cached = { of: all, assets: new Map([...all].filter(([, asset]) => asset.class === assetClass)) }
    return cached.assets
  }
  let made: { readonly of: FeedMarket; readonly market: FeedMarket } | undefined
  return (market) => {
    // A feed asks for its market several times a minute, and the market rarely changes.
    if (made?.of !== market) made = { of: market, market: withAssets(market, () => assetsOf(market)) }
    return made.market
  }
}

/** Reads history and schedule each time, because the market of a world replaces them. */
const withAssets = (market: FeedMarket, assets: FeedMarket['assets']): FeedMarket => ({
  assets,
  pricesAt: (at) => market.pricesAt(at),
  get history() {
    return market.history
  },
  get schedule() {
    return market.schedule
  },
})
