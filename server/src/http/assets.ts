import type { AssetRecord, Handlers } from '@quipu/contract'
import type { Asset, AssetClass, Ticker } from '@quipu/core'
import type { World } from '../world.ts'
import type { Context } from './context.ts'
import { refuse } from './refusal.ts'

export const assetHandlers: Handlers<Context, 'listAssets' | 'getAsset'> = {
  listAssets: async ({ query }, context) => {
    const { status = 'all', asset_class: assetClass, exchange, attributes } = query
    const { world } = context.account
    context.seq = world.engine.durable
    // No asset here has an attribute, so whoever asks for one gets nothing.
    if (attributes?.length) return []
    return [...world.market.assets().values()]
      .filter((asset) => status === 'all' || asset.status === status)
      .filter((asset) => assetClass === 'all' || classes[asset.class] === assetClass)
      .filter((asset) => exchange === undefined || asset.exchange === exchange)
      .sort(byPlace)
      .map(assetToWire)
  },

  getAsset: async ({ params }, context) => {
    const { world } = context.account
    context.seq = world.engine.durable
    const asset = assetNamed(world, params.symbol_or_asset_id)
    if (!asset) throw refuse({ code: 'assetUnknown', symbol: params.symbol_or_asset_id })
    return assetToWire(asset)
  },
}

/** An asset by its symbol, its id, or as old clients write a pair: BTCUSD. */
export function assetNamed(world: World, name: string): Asset | undefined {
  const assets = world.market.assets()
  const bySymbol = assets.get(name as Ticker)
  if (bySymbol) return bySymbol
  const id = name.toLowerCase()
  for (const asset of assets.values())
    if (asset.id === id || (asset.class === 'crypto' && withoutSlash(asset.symbol) === name)) return asset
  return undefined
}

/** A pair as positions and old clients write it. */
export const withoutSlash = (symbol: string): string => symbol.replace('/', '')

const classes = { usEquity: 'us_equity', crypto: 'crypto' } as const satisfies Record<
  AssetClass,
  AssetRecord['class']
>

/** By class, exchange and symbol. */
function byPlace(a: Asset, b: Asset): number {
  const [left, right] = [a, b].map((asset) => `${asset.class} ${asset.exchange} ${asset.symbol}`)
  return left! < right! ? -1 : 1
}

/** Percent of a position's value that must stay, as far as it does not depend on its price. */
const MAINTENANCE_PERCENT = 30
const WHOLE_PERCENT = 100

export function assetToWire(asset: Asset): AssetRecord {
  const percent = asset.marginable ? MAINTENANCE_PERCENT : WHOLE_PERCENT
  return {
    id: asset.id,
    class: classes[asset.class],
    exchange: asset.exchange,
    symbol: asset.symbol,
    name: asset.name,
    status: asset.status,
    tradable: asset.tradable,
    marginable: asset.marginable,
    shortable: asset.shortable,
    easy_to_borrow: asset.easyToBorrow,
    fractionable: asset.fractionable,
    borrow_status: asset.easyToBorrow ? 'easy_to_borrow' : 'hard_to_borrow',
    maintenance_margin_requirement: percent,
    margin_requirement_long: String(percent),
    margin_requirement_short: String(percent),
    attributes: [],
  }
}
