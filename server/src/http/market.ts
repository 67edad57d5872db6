import type { Handlers } from '@quipu/contract'
import type { Asset, Bar, Instant, Ticker } from '@quipu/core'
import type { World } from '../world.ts'
import { type BarsInput, barPage } from './bar-pages.ts'
import type { Context } from './context.ts'
import { hintAtSymbol } from './hints.ts'
import { barToWire, candlesToWire, quoteToWire, tradeToWire } from './market-wire.ts'
import { refuse } from './refusal.ts'

type Names =
  | 'stockLatestTradeSingle'
  | 'stockLatestTrades'
  | 'stockLatestQuoteSingle'
  | 'stockLatestQuotes'
  | 'stockLatestBarSingle'
  | 'stockLatestBars'
  | 'stockBars'
  | 'stockBarSingle'
  | 'stockCandles'

export const marketHandlers: Handlers<Context, Names> = {
  stockLatestTradeSingle: async ({ params, query }, context) => {
    const trade = await latestOfOne(context, params.symbol, query, latestTrade)
    return { symbol: params.symbol, ...(trade && { trade }), ...currencyOf(query) }
  },
  stockLatestTrades: async ({ query }, context) => ({
    trades: await latestOfMany(context, query, latestTrade),
    ...currencyOf(query),
  }),
  stockLatestQuoteSingle: async ({ params, query }, context) => {
    const quote = await latestOfOne(context, params.symbol, query, latestQuote)
    return { symbol: params.symbol, ...(quote && { quote }), ...currencyOf(query) }
  },
  stockLatestQuotes: async ({ query }, context) => ({
    quotes: await latestOfMany(context, query, latestQuote),
    ...currencyOf(query),
  }),
  stockLatestBarSingle: async ({ params, query }, context) => {
    const bar = await latestOfOne(context, params.symbol, query, latestBar)
    return { symbol: params.symbol, ...(bar && { bar }), ...currencyOf(query) }
  },
  stockLatestBars: async ({ query }, context) => ({
    bars: await latestOfMany(context, query, latestBar),
    ...currencyOf(query),
  }),

  stockBars: async ({ query }, context) => {
    const { bars, next } = await pageOf(context, query.symbols, query)
    return {
      bars: mapped(bars, (list) => list.map(barToWire)),
      next_page_token: next,
      ...currencyOf(query),
    }
  },
  stockBarSingle: async ({ params, query }, context) => {
    const { symbol } = params
    const { bars, next } = await pageOf(context, [symbol], query)
    const list = (bars.get(symbol) ?? []).map(barToWire)
    return { symbol, bars: list, next_page_token: next, ...currencyOf(query) }
  },
  stockCandles: async ({ query }, context) => {
    const { bars, next } = await pageOf(context, query.symbols, query)
    return { candles: mapped(bars, candlesToWire), next_page_token: next, ...currencyOf(query) }
  },
}

/** Echoed only when asked for. */
const currencyOf = ({ currency }: { readonly currency?: string | undefined }) =>
  currency === undefined ? {} : { currency }

/** The tape is not of the books: it waits for nothing, and the number told is what is durable. */
function entered(context: Context, { currency = 'USD' }: { readonly currency?: string | undefined }): World {
  const world = context.world!
  context.seq = world.engine.durable
  if (currency !== 'USD') throw refuse({ code: 'currencyNotSupported', currency })
  return world
}

type Latest<Record> = (world: World, asset: Asset, now: Instant) => Promise<Record | undefined>

const latestTrade = async (world: World, { symbol }: Asset, now: Instant) => {
  const trade = await world.market.latestTrade(symbol, now)
  return trade && tradeToWire(trade)
}
const latestQuote = async (world: World, asset: Asset, now: Instant) => {
  const quote = world.market.pricesAt(now).quote(asset.symbol)
  return quote && quoteToWire(quote, asset)
}
const latestBar = async (world: World, { symbol }: Asset, now: Instant) => {
  const bar = await world.market.latestBar(symbol, now)
  return bar && barToWire(bar)
}

type LatestQuery = { readonly currency?: string | undefined }

async function latestOfOne<Record>(
  context: Context,
  symbol: string,
  query: LatestQuery,
  latest: Latest<Record>,
): Promise<Record | undefined> {
  const world = entered(context, query)
  const asset = world.market.assets().get(symbol as Ticker)
  if (!asset) throw refuse({ code: 'symbolNotFound', symbol })
  return latest(world, asset, world.clock.now())
}

/** Unknown symbols and those without data are absent. */
async function latestOfMany<Record>(
  context: Context,
  query: LatestQuery & { readonly symbols: readonly string[] },
  latest: Latest<Record>,
): Promise<{ readonly [symbol: string]: Record }> {
  const world = entered(context, query)
  const now = world.clock.now()
  const found: { [symbol: string]: Record } = {}
  for (const symbol of query.symbols) {
    const asset = world.market.assets().get(symbol as Ticker)
    const value = asset && (await latest(world, asset, now))
    if (value !== undefined) found[symbol] = value
    else hintAtSymbol(context.services.log, world, symbol)
  }
  return found
}

async function pageOf(context: Context, symbols: readonly string[], query: BarsInput) {
  const world = entered(context, query)
  for (const symbol of symbols) hintAtSymbol(context.services.log, world, symbol)
  return barPage(world, symbols, query, context.services.limits.pageMax)
}

function mapped<To>(bars: ReadonlyMap<string, readonly Bar[]>, to: (list: readonly Bar[]) => To) {
  return Object.fromEntries([...bars].map(([symbol, list]) => [symbol, to(list)]))
}
