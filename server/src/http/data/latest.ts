import { pauseWork } from '@quipu/broker/clock/long-work.ts'
import { latestInstant } from '@quipu/broker/faults/market.ts'
import { inSlices } from '@quipu/broker/market/slices.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { BarRecord, StockFeed } from '@quipu/contract'
import type { Asset, AssetClass, Instant, Ticker } from '@quipu/core'
import { earlier, lookUp } from '@quipu/core/values'
import {
  barToWire,
  bookToWire,
  cryptoQuoteToWire,
  cryptoTradeToWire,
  quoteToWire,
  tradeToWire,
} from '../../wire/market-data-wire.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { hintAtSymbol } from '../hints.ts'
import { isFeedEmpty, worldOf } from './pages.ts'

export const latestHandlers = {
  stockLatestTradeSingle: async ({ params, query }, context) => {
    const trade = await latestOfOne(context, params.symbol, query, latestTrade)
    return { symbol: params.symbol, trade, currency: query.currency }
  },
  stockLatestTrades: async ({ query }, context) => ({
    trades: await latestOfMany(context, 'usEquity', query, latestTrade),
    currency: query.currency,
  }),
  stockLatestQuoteSingle: async ({ params, query }, context) => {
    const quote = await latestOfOne(context, params.symbol, query, latestQuote)
    return { symbol: params.symbol, quote, currency: query.currency }
  },
  stockLatestQuotes: async ({ query }, context) => ({
    quotes: await latestOfMany(context, 'usEquity', query, latestQuote),
    currency: query.currency,
  }),
  stockLatestBarSingle: async ({ params, query }, context) => {
    const bar = await latestOfOne(context, params.symbol, query, latestBar)
    return { symbol: params.symbol, bar, currency: query.currency }
  },
  stockLatestBars: async ({ query }, context) => ({
    bars: await latestOfMany(context, 'usEquity', query, latestBar),
    currency: query.currency,
  }),

  stockSnapshotSingle: async ({ params, query }, context) => {
    const snapshot = await latestOfOne(context, params.symbol, query, stockSnapshot)
    return { symbol: params.symbol, ...snapshot, currency: query.currency }
  },
  /** An unknown symbol is null. */
  stockSnapshots: async ({ query }, context) => {
    const known = await latestOfMany(context, 'usEquity', query, stockSnapshot)
    return Object.fromEntries(query.symbols.map((symbol) => [symbol, known[symbol] ?? null]))
  },

  cryptoLatestTrades: async ({ query }, context) => ({
    trades: await latestOfMany(context, 'crypto', query, latestCryptoTrade),
  }),
  cryptoLatestQuotes: async ({ query }, context) => ({
    quotes: await latestOfMany(context, 'crypto', query, latestCryptoQuote),
  }),
  cryptoLatestBars: async ({ query }, context) => ({
    bars: await latestOfMany(context, 'crypto', query, latestBar),
  }),
  cryptoLatestOrderbooks: async ({ query }, context) => ({
    orderbooks: await latestOfMany(context, 'crypto', query, latestBook),
  }),
  cryptoSnapshots: async ({ query }, context) => ({
    snapshots: await latestOfMany(context, 'crypto', query, cryptoSnapshot),
  }),
} satisfies SomeHandlers

type Latest<Record> = (world: World, asset: Asset, now: Instant) => Promise<Record | undefined>

/** The latest item, in the form of its list. */
const newest =
  <Item, Record>(
    read: (world: World, symbol: Ticker, now: Instant) => Promise<Item | undefined>,
    toWire: (item: Item, asset: Asset) => Record,
  ): Latest<Record> =>
  async (world, asset, now) => {
    const item = await read(world, asset.symbol, now)
    return item && toWire(item, asset)
  }

const tradeAt = (world: World, symbol: Ticker, now: Instant) => world.market.history.latestTrade(symbol, now)
const quoteAt = (world: World, symbol: Ticker, now: Instant) => world.market.history.latestQuote(symbol, now)
const barAt = (world: World, symbol: Ticker, now: Instant) => world.market.history.latestBar(symbol, now)
const bookAt = (world: World, symbol: Ticker, now: Instant) => world.market.history.book(symbol, now)

/** Twice the longest time that an exchange was ever closed. */
export const LOOK_BACK_NS = 28n * 86_400_000_000_000n

/**
 * The latest trade, quote, minute and days of a symbol. The daily bar is that of the current day, or of the previous day
 * until the first trade.
 */
const snapshotOf =
  <TradeRecord, QuoteRecord>(
    latestTrade: Latest<TradeRecord>,
    latestQuote: Latest<QuoteRecord>,
    latestBar: Latest<BarRecord>,
  ) =>
  async (world: World, asset: Asset, now: Instant) => {
    const [trade, quote, minute, days] = await Promise.all([
      latestTrade(world, asset, now),
      latestQuote(world, asset, now),
      latestBar(world, asset, now),
      daysOf(world, asset, now),
    ])
    const [day, dayBefore] = days
    return {
      latestTrade: trade,
      latestQuote: quote,
      minuteBar: minute,
      dailyBar: day,
      prevDailyBar: dayBefore,
    }
  }

async function daysOf(world: World, { symbol }: Asset, now: Instant): Promise<readonly BarRecord[]> {
  const from = earlier(now, LOOK_BACK_NS)
  const frame = { unit: 'day', count: 1 } as const
  const days = await world.market.history.bars({ symbol, frame, from, to: now, now, sort: 'desc', limit: 2 })
  return days.map(barToWire)
}

const latestTrade = newest(tradeAt, tradeToWire)
const latestQuote = newest(quoteAt, quoteToWire)
const latestBar = newest(barAt, barToWire)
const latestBook = newest(bookAt, bookToWire)
const latestCryptoTrade = newest(tradeAt, cryptoTradeToWire)
const latestCryptoQuote = newest(quoteAt, cryptoQuoteToWire)
const stockSnapshot = snapshotOf(latestTrade, latestQuote, latestBar)
const cryptoSnapshot = snapshotOf(latestCryptoTrade, latestCryptoQuote, latestBar)

type LatestQuery = { readonly currency?: string | undefined; readonly feed?: StockFeed | undefined }

/** The delayed feed is a quarter of an hour behind. */
const DELAY_NS = 15n * 60_000_000_000n

const nowOf = (world: World, { feed }: LatestQuery): Instant =>
  feed === 'delayed_sip' ? earlier(world.clock.now(), DELAY_NS) : world.clock.now()

const instantFor = (world: World, { symbol }: Asset, now: Instant): Instant =>
  world.clients.faults === undefined ? now : latestInstant(world.clients.faults, symbol, now)

async function latestOfOne<Record>(
  context: Context,
  symbol: string,
  query: LatestQuery,
  latest: Latest<Record>,
): Promise<Record | undefined> {
  const world = worldOf(context, query)
  const asset = lookUp(world.market.assets(), symbol)
  if (asset?.class !== 'usEquity') throw refuse({ code: 'symbolNotFound', symbol })
  return isFeedEmpty(query) ? undefined : latest(world, asset, instantFor(world, asset, nowOf(world, query)))
}

/** The maximum of one request to a provider. */
const SYMBOLS_MAX = 100

/** Unknown symbols and symbols without data are absent. */
async function latestOfMany<Record>(
  context: Context,
  wanted: AssetClass,
  query: LatestQuery & { readonly symbols: readonly string[] },
  latest: Latest<Record>,
): Promise<{ readonly [symbol: string]: Record }> {
  const world = worldOf(context, query)
  const now = nowOf(world, query)
  const found: { [symbol: string]: Record } = {}
  if (isFeedEmpty(query)) return found
  await pauseWork()
  const values = await inSlices(
    query.symbols,
    async (symbol) => {
      const asset = lookUp(world.market.assets(), symbol)
      return asset?.class === wanted ? latest(world, asset, instantFor(world, asset, now)) : undefined
    },
    SYMBOLS_MAX,
  )
  for (const [index, symbol] of query.symbols.entries()) {
    const value = values[index]
    if (value !== undefined) found[symbol] = value
    else hintAtSymbol(context.services.log, world, symbol)
  }
  return found
}
