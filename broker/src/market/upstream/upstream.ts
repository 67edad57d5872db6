import {
  type Asset,
  type AssetClass,
  assetOf,
  columnsOfBars,
  customOf,
  EPOCH,
  earlier,
  type Instant,
  isPair,
  MINUTE,
  type QuoteTick,
  type Ticker,
  type Trade,
  type View,
} from '@quipu/core'
import type { WebSocket } from 'ws'
import type { Log } from '../../log/log.ts'
import { type MarketHistory, type MarketPrices, type MarketSource, NO_SCHEDULE } from '../market-source.ts'
import { UpstreamClient } from './client.ts'
import { History } from './history.ts'
import { Latest } from './latest.ts'
import { UpstreamListing } from './listing.ts'
import { openLiveData } from './live-data.ts'
import type { LivePrices } from './live-prices.ts'
import type { StreamsFrom, UpstreamTerms } from './terms.ts'
import { barFrom, bookFrom, quoteFrom, tradeFrom } from './wire.ts'

/** The parts of world state that the market reads. */
export type MarketWorld = Pick<View, 'symbols' | 'positions'>

export type Upstream = {
  /** The market of a world. A rebuilt world calls it again. */
  market(world: MarketWorld): MarketSource
  /** Sets the worlds that use it now: symbols in their positions keep their prices. */
  usedBy(worlds: () => readonly MarketWorld[]): void
  /** Sends the stream of an asset class to another node of a cluster. */
  serve(of: AssetClass, ws: WebSocket): void
  /** Connects the streams to their current source, if they have another one. */
  checkSource(): void
  close(): void
}

/** Interval of dropping unused symbols. */
const SWEEP_MS = 30_000

/**
 * A market data provider with the Alpaca protocol: real prices for simulated accounts. Failures of the provider never
 * stop the broker.
 */
export async function openUpstream(
  terms: UpstreamTerms,
  log: Log,
  streamsFrom: StreamsFrom = () => 'provider',
): Promise<Upstream> {
  const client = new UpstreamClient(terms)
  const history = new History(client, terms)
  const latest = new Latest(client, terms)
  const { board, live, streams } = openLiveData({ terms, log, history, latest, streamsFrom })
  const listing = await UpstreamListing.open(client, terms, log)
  const served = historyOf(history, latest, board)
  let worldsNow = (): readonly MarketWorld[] => []
  const sweep = () => {
    board.sweep(heldIn(worldsNow()))
    void listing.complete()
  }
  const sweeping = setInterval(sweep, SWEEP_MS).unref()
  return {
    market(world) {
      board.sweep(heldIn([world]))
      const assets = assetsOf(listing, world)
      return { assets, pricesAt: () => board, history: served, schedule: NO_SCHEDULE, live }
    },
    usedBy(worlds) {
      worldsNow = worlds
    },
    serve: (of, ws) => streams[of].serve(ws),
    checkSource() {
      for (const stream of Object.values(streams)) stream.checkSource()
    },
    close() {
      clearInterval(sweeping)
      client.close()
      for (const stream of Object.values(streams)) stream.close()
    },
  }
}

/** Symbols with positions. */
function heldIn(worlds: readonly MarketWorld[]): ReadonlySet<Ticker> {
  const held = new Set<Ticker>()
  for (const { positions } of worlds)
    for (const ofAccount of positions.values()) for (const symbol of ofAccount.keys()) held.add(symbol)
  return held
}

/** Listed assets, and the custom symbols of this world. */
function assetsOf(listing: UpstreamListing, { symbols }: MarketWorld): MarketPrices['assets'] {
  let made: { readonly of: ReadonlyMap<Ticker, Asset>; readonly added: number } | undefined
  let assets = listing.assets
  return () => {
    if (made?.of === listing.assets && made.added === symbols.size) return assets
    made = { of: listing.assets, added: symbols.size }
    const custom = [...symbols.values()].map((one) => [one.symbol, assetOf(customOf(one))] as const)
    assets = new Map([...custom, ...listing.assets])
    return assets
  }
}

/** History by request; the newest prices from the live prices, if the symbol is in use. */
function historyOf(history: History, latest: Latest, board: LivePrices): MarketHistory {
  return {
    bars: (query) => history.bars(query),
    barColumns: async (query) => [columnsOfBars(await history.bars(query))],
    latestBar: async (symbol, now) => {
      const bar = await latest.of('bars', symbol, barFrom)
      const lastStart = earlier(now, MINUTE)
      if (!bar || bar.start <= lastStart) return bar
      const frame = { unit: 'minute', count: 1 } as const
      return (await history.bars({ ...upTo(symbol, lastStart), frame }))[0]
    },
    trades: (query) => history.trades(query),
    latestTrade: async (symbol, now): Promise<Trade | undefined> => {
      const known = board.known(symbol)?.trade
      const trade = known ?? (await latest.of('trades', symbol, tradeFrom))
      return !trade || trade.at <= now ? trade : (await history.trades(upTo(symbol, now)))[0]
    },
    quotes: (query) => history.quotes(query),
    latestQuote: async (symbol, now): Promise<QuoteTick | undefined> => {
      const known = board.known(symbol)?.quote
      const quote = known ? { ...known, id: 0 } : await latest.of('quotes', symbol, (sent) => quoteFrom(sent))
      return !quote || quote.at <= now ? quote : (await history.quotes(upTo(symbol, now)))[0]
    },
    book: async (symbol) => (isPair(symbol) ? latest.of('orderbooks', symbol, bookFrom) : undefined),
    auctions: (query) => history.auctions(query),
    events: async () => [],
  }
}

const upTo = (symbol: Ticker, now: Instant) =>
  ({ symbol, from: EPOCH, to: now, now, sort: 'desc', limit: 1 }) as const
