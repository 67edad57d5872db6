import {
  type Asset,
  assetIdOf,
  assetOf,
  builtInListing,
  type CustomSymbol,
  type Issue,
  type Ticker,
  tickerOf,
} from '@quipu/core'

/** The assets, and the new names of those that corporate actions rename. */
export function withNames(
  assets: ReadonlyMap<Ticker, Asset>,
  issues: ReadonlyMap<Ticker, Issue>,
): ReadonlyMap<Ticker, Asset> {
  const named = new Map(assets)
  for (const [symbol, { origin }] of issues) {
    const asset = assets.get(origin)
    if (asset && !assets.has(symbol)) named.set(symbol, { ...asset, id: assetIdOf(symbol), symbol })
  }
  return named
}

/** The built-in assets with the chosen symbols, and the custom ones. */
export function chosen(symbols: readonly Ticker[] | undefined, extra: readonly CustomSymbol[]) {
  const wanted = symbols && new Set(symbols)
  const assets = new Map([...builtInListing().assets].filter(([symbol]) => wanted?.has(symbol) ?? true))
  for (const custom of extra) assets.set(tickerOf(custom.symbol), assetOf(custom))
  return assets
}
