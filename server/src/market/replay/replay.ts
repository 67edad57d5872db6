import {
  type Asset,
  type Bar,
  type BarColumns,
  type BarQuery,
  columnsOfBars,
  type Instant,
  type LastTrade,
  type Price,
  type Quote,
  type QuoteTick,
  type Ticker,
  type Trade,
  type Zone,
  zoneOf,
} from '@quipu/core'
import { pause } from '../../process/long-work.ts'
import { type AuctionPrints, auctionDays } from '../auction-days.ts'
import { nextEdition } from '../edition.ts'
import type { MarketSource, TouchQuery, TradeSearch } from '../market-source.ts'
import type { Series, Slice } from '../store/index.ts'
import { storedColumns } from './stored-bars.ts'
import { type StoredSymbol, storedSymbol } from './stored-symbol.ts'
import { lastOf, nextOf, pageOf, type Ticks } from './ticks.ts'

export type ReplaySetup = {
  /** All imported series. */
  readonly series: readonly Series[]
  readonly seed: string
  /** The asset of a stored symbol. */
  readonly assetOf: (symbol: Ticker) => Asset
}

/** Items per step, before other work runs. */
const ITEMS_AT_ONCE = 2000

/** The end of a symbol's data: time and price. */
export type End = { readonly symbol: Ticker; readonly at: Instant; readonly price: Price }

export type ReplayMarket = MarketSource & { ends(): readonly End[] }

/** A market of imported data only. */
export function replayMarket(setup: ReplaySetup): ReplayMarket {
  const symbols = storedSymbols(setup)
  const assets = new Map([...symbols].map(([symbol, { asset }]) => [symbol, asset]))
  const boards = new Map([...symbols].map(([symbol, stored]) => [symbol, makeBoard(stored)]))
  const bars = async (query: BarQuery): Promise<readonly Bar[]> => {
    const stored = symbols.get(query.symbol)
    return stored ? take(stored.bars(query), query.limit) : []
  }
  const of = <Found>(symbol: Ticker, find: (stored: StoredSymbol) => Found): Found | undefined => {
    const stored = symbols.get(symbol)
    return stored && find(stored)
  }
  const edition = nextEdition()
  return {
    ends: () => [...symbols.values()].flatMap(endOf),
    assets: () => assets,
    pricesAt: (at) => ({
      quote: (symbol) => boards.get(symbol)?.quote(at),
      trade: (symbol) => boards.get(symbol)?.trade(at),
    }),
    nextQuote: async (symbol, at, until) => boards.get(symbol)?.next(at, until),
    nextTouch: async (query) => of(query.symbol, (stored) => findTouch(stored, query)),
    nextTrade: async (query) => of(query.symbol, (stored) => findTrade(stored, query)),
    bars,
    barColumns: async (query) => {
      const stored = symbols.get(query.symbol)
      const slices = stored?.storedBars(query)
      if (!stored || !slices) return [columnsOfBars(await bars(query))]
      return takeColumns(slices, query, zoneOf(stored.asset.class))
    },
    edition: () => edition,
    latestBar: async (symbol, now) => (await bars(newest(symbol, now)))[0],
    trades: async (query) => pageFrom(symbols.get(query.symbol)?.trades, query),
    latestTrade: async (symbol, now) => of(symbol, ({ trades }) => lastOf(trades, now)),
    quotes: async (query) => pageFrom(symbols.get(query.symbol)?.quotes, query),
    latestQuote: async (symbol, now) => of(symbol, ({ quotes }) => lastOf(quotes, now)),
    book: async (symbol, at) => {
      const quote = assets.get(symbol)?.class === 'crypto' ? boards.get(symbol)?.quote(at) : undefined
      return quote && bookOf(quote)
    },
    auctions: async (query) => {
      const stored = symbols.get(query.symbol)
      return stored?.asset.class === 'usEquity' ? auctionDays(printsOf(stored.trades), query) : []
    },
    events: async () => [],
  }
}

const storedSymbols = ({ series, seed, assetOf }: ReplaySetup): ReadonlyMap<Ticker, StoredSymbol> =>
  new Map([...bySymbol(series)].map(([symbol, all]) => [symbol, storedSymbol(assetOf(symbol), all, seed)]))

function endOf({ asset, trades, last }: StoredSymbol): readonly End[] {
  const trade = lastOf(trades, FOREVER)
  return trade ? [{ symbol: asset.symbol, at: last > trade.at ? last : trade.at, price: trade.price }] : []
}

function bySymbol(all: readonly Series[]): ReadonlyMap<Ticker, readonly Series[]> {
  const found = new Map<Ticker, Series[]>()
  for (const series of all) {
    const symbol = series.symbol as Ticker
    found.set(symbol, [...(found.get(symbol) ?? []), series])
  }
  return found
}

const pageFrom = <Tick extends Trade | QuoteTick>(
  ticks: Ticks<Tick> | undefined,
  query: Parameters<typeof pageOf>[1],
): readonly Tick[] => (ticks ? pageOf(ticks, query) : [])

async function take<Item>(items: Iterable<Item>, limit: number): Promise<readonly Item[]> {
  const found: Item[] = []
  if (limit <= 0) return found
  for (const item of items) {
    if (found.push(item) >= limit) break
    if (found.length % ITEMS_AT_ONCE === 0) await pause()
  }
  return found
}

async function takeColumns(
  slices: Iterable<Slice>,
  { limit, sort }: BarQuery,
  zone: Zone,
): Promise<readonly BarColumns[]> {
  const pieces: BarColumns[] = []
  let remaining = limit
  if (limit <= 0) return pieces
  for (const slice of slices) {
    const piece = storedColumns(slice, sort, remaining, zone)
    pieces.push(piece)
    remaining -= piece.count
    if (remaining === 0) break
    await pause()
  }
  return pieces
}

const newest = (symbol: Ticker, now: Instant): BarQuery => ({
  symbol,
  frame: { unit: 'minute', count: 1 },
  from: 0n as Instant,
  to: now,
  now,
  sort: 'desc',
  limit: 1,
})

const printsOf = (trades: Ticks<Trade>): AuctionPrints => ({
  first: (from, to) => nextOf(trades, (from - 1n) as Instant, to),
  last: (from, to) => {
    const trade = lastOf(trades, to)
    return trade && trade.at >= from ? trade : undefined
  },
})

/** A book with only the best levels, because no others are known. */
const bookOf = ({ at, bid, ask, bidSize, askSize }: Quote) => ({
  at,
  bids: [{ price: bid, size: bidSize }],
  asks: [{ price: ask, size: askSize }],
})

/** A quote with only one side cannot be traded on. */
const isTwoSided = ({ bid, ask }: Quote): boolean => bid > 0n && ask > 0n

const FOREVER = (1n << 62n) as Instant

/** The current trade and quote of a symbol, cached until the next one. */
function makeBoard({ trades, quotes }: StoredSymbol) {
  const quote = cachedUntilNext(quotes)
  const trade = cachedUntilNext(trades)
  return {
    quote: (at: Instant): Quote | undefined => {
      const found = quote(at)
      if (!found || !isTwoSided(found)) return undefined
      const { id: _, ...shown } = found
      return shown
    },
    trade: (at: Instant): LastTrade | undefined => {
      const found = trade(at)
      return found && { at: found.at, price: found.price, size: found.size }
    },
    next: (at: Instant, until: Instant): Instant | undefined =>
      nextOf(quotes, at, (until - 1n) as Instant)?.at,
  }
}

function cachedUntilNext<Tick extends { readonly at: Instant }>(
  ticks: Ticks<Tick>,
): (at: Instant) => Tick | undefined {
  let cached: { readonly tick: Tick; readonly until: Instant } | undefined
  return (at) => {
    if (cached && at >= cached.tick.at && at < cached.until) return cached.tick
    const tick = lastOf(ticks, at)
    cached = tick && { tick, until: nextOf(ticks, at, FOREVER)?.at ?? FOREVER }
    return tick
  }
}

async function findTrade({ trades }: StoredSymbol, query: TradeSearch): Promise<LastTrade | undefined> {
  const { direction, price, from, to } = query
  const mayReach = (low: bigint, high: bigint): boolean =>
    direction === 'rise' ? high >= price : low <= price
  let visited = 0
  for (const trade of from > to ? [] : trades.list(from, to, 'asc', mayReach)) {
    if (mayReach(trade.price, trade.price)) return { at: trade.at, price: trade.price, size: trade.size }
    if (++visited % ITEMS_AT_ONCE === 0) await pause()
  }
  return undefined
}

async function findTouch({ quotes }: StoredSymbol, query: TouchQuery): Promise<Instant | undefined> {
  const { side, price, from, to } = query
  const reaches = (quote: Quote): boolean =>
    isTwoSided(quote) && (side === 'buy' ? quote.ask <= price : quote.bid >= price)
  if (from > to) return undefined
  const current = lastOf(quotes, from)
  if (current && reaches(current)) return from
  let visited = 0
  // An ask is above its trade, a bid below.
  const mayReach = (low: bigint, high: bigint): boolean => (side === 'buy' ? low <= price : high >= price)
  for (const quote of quotes.list((from + 1n) as Instant, to, 'asc', mayReach)) {
    if (reaches(quote)) return quote.at
    if (++visited % ITEMS_AT_ONCE === 0) await pause()
  }
  return undefined
}
