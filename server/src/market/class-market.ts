import type { Asset, AssetClass, Ticker } from '@quipu/core'
import type { FeedMarket } from './feed-market.ts'

/** A market with only one asset class, so that `*` on a stock stream does not include crypto. */
export function ofClass(wanted: AssetClass): (market: FeedMarket) => FeedMarket {
  let seen:
    | { readonly of: ReadonlyMap<Ticker, Asset>; readonly assets: ReadonlyMap<Ticker, Asset> }
    | undefined
  const assetsOf = (market: FeedMarket): ReadonlyMap<Ticker, Asset> => {
    const all = market.assets()
    if (seen?.of !== all)
      seen = { of: all, assets: new Map([...all].filter(([, asset]) => asset.class === wanted)) }
    return seen.assets
  }
  return (market) => ({ ...market, assets: () => assetsOf(market) })
}
