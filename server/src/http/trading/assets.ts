import { mapWithPauses } from '@quipu/broker/clock/long-work.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { AssetRecord } from '@quipu/contract'
import {
  type Asset,
  type AssetClass,
  format,
  longPercent,
  lookUp,
  minimumPercent,
  type Prices,
  shortPercent,
  type Ticker,
  tickerOf,
  toPrice,
} from '@quipu/core'
import { cusipOf } from '../../wire/cusip.ts'
import { refuse } from '../../wire/refusal.ts'
import type { SomeHandlers } from '../context.ts'
import { callersWorld } from '../services.ts'

export const assetHandlers = {
  listAssets: async ({ query }, context) => {
    const { status = 'all', asset_class: assetClass, exchange, attributes = [] } = query
    const world = callersWorld(context)
    context.state.seq = world.engine.durable
    const found = [...world.market.assets().values()]
      .filter((asset) => status === 'all' || asset.status === status)
      .filter((asset) => assetClass === 'all' || classes[asset.class] === assetClass)
      .filter((asset) => exchange === undefined || asset.exchange === exchange)
      .filter(
        (asset) => attributes.length === 0 || attributesOf(asset).some((one) => attributes.includes(one)),
      )
    return assetsToWire(sorted(found), world)
  },

  getAsset: async ({ params }, context) => {
    const world = callersWorld(context)
    context.state.seq = world.engine.durable
    const name = params.symbol_or_asset_id
    const asset = assetNamed(world, name) ?? assetOfCusip(world, name)
    if (!asset) throw refuse({ code: 'assetUnknown', symbol: name })
    return assetToWire(asset, world.market.pricesAt(world.engine.now))
  },

  listTreasuries: () => ({ us_treasuries: [] }),
  listCorporates: () => ({ us_corporates: [] }),

  // Options are not traded: the list is empty, and no contract is found.
  listOptionContracts: () => ({ option_contracts: [], next_page_token: null }),
  getOptionContract: ({ params: { symbol_or_id: symbol } }) => {
    throw refuse({ code: 'optionContractNotFound', symbol })
  },
} satisfies SomeHandlers

/** An asset by its symbol, its id, a pair without slash (BTCUSD), or with its exchange (AAPL:NASDAQ). */
export function assetNamed(world: World, name: string): Asset | undefined {
  const assets = world.market.assets()
  return lookUp(assets, name) ?? assetWithExchange(assets, name) ?? assetByIdOrPair(assets, name)
}

type Assets = ReturnType<World['market']['assets']>

function assetWithExchange(assets: Assets, name: string): Asset | undefined {
  const [symbol = '', exchange, assetClass, ...more] = name.split(':')
  if (exchange === undefined || more.length > 0) return undefined
  const asset = lookUp(assets, symbol) ?? assetByIdOrPair(assets, symbol)
  if (asset?.exchange !== exchange) return undefined
  return assetClass === undefined || classes[asset.class] === assetClass ? asset : undefined
}

function assetByIdOrPair(assets: Assets, name: string): Asset | undefined {
  const id = name.toLowerCase()
  for (const asset of assets.values())
    if (asset.id === id || (asset.class === 'crypto' && withoutSlash(asset.symbol) === name)) return asset
  return undefined
}

const CUSIP = /^[0-9A-F]{8}\d$/

function assetOfCusip(world: World, cusip: string): Asset | undefined {
  if (!CUSIP.test(cusip)) return undefined
  for (const asset of world.market.assets().values())
    if (asset.class === 'usEquity' && cusipOf(asset.symbol) === cusip) return asset
  return undefined
}

/** The symbol of a named asset; the name itself if no asset has it. */
export const tickerNamed = (world: World, name: string): Ticker =>
  assetNamed(world, name)?.symbol ?? tickerOf(name)

/** The form of a pair in positions and old clients. */
export const withoutSlash = (symbol: string): string => symbol.replace('/', '')

const classes = { usEquity: 'us_equity', crypto: 'crypto' } as const satisfies Record<
  AssetClass,
  AssetRecord['class']
>

/** Sorts by class, exchange and symbol. Makes each key once, because every bot lists all assets at its start. */
const sorted = (assets: readonly Asset[]): Asset[] =>
  assets
    .map((asset) => ({ asset, key: `${asset.class} ${asset.exchange} ${asset.symbol}` }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ asset }) => asset)

/** Fractional shares can be traded in extended hours. */
const attributesOf = ({ class: of, fractionable }: Asset): AssetRecord['attributes'] =>
  of === 'usEquity' && fractionable ? ['fractional_eh_enabled'] : []

/** The price of an asset without one: high, so that the usual margin percentage applies. */
const EXPENSIVE = toPrice(1_000_000_000_000n)

/** Assets per batch: a generated market calculates the prices at the first request. */
const TURN_ASSETS = 8

function assetsToWire(assets: readonly Asset[], world: World): Promise<AssetRecord[]> {
  const prices = world.market.pricesAt(world.engine.now)
  return mapWithPauses(assets, TURN_ASSETS, (asset) => assetToWire(asset, prices))
}

export function assetToWire(asset: Asset, prices: Prices): AssetRecord {
  const { symbol } = asset
  const price = prices.trade(symbol)?.price ?? EXPENSIVE
  const least = minimumPercent(asset)
  const long = longPercent(least, price)
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
    ...(asset.class === 'crypto' ? pairPart(asset) : borrowPart(asset)),
    maintenance_margin_requirement: Number(long),
    margin_requirement_long: String(long),
    margin_requirement_short: String(asset.class === 'crypto' ? least : shortPercent(least, price)),
    attributes: attributesOf(asset),
  }
}

const borrowPart = ({ easyToBorrow }: Asset) =>
  ({ borrow_status: easyToBorrow ? 'easy_to_borrow' : 'hard_to_borrow' }) as const

/** The smallest quantity of a coin, in billionths. */
const SMALLEST = 1n

const pairPart = ({ lot, tick }: Asset) => ({
  min_order_size: format(lot),
  min_trade_increment: format(SMALLEST),
  price_increment: format(tick),
})
