import {
  type Asset,
  type Bar,
  type BarColumns,
  type BarQuery,
  columnsOfBars,
  EPOCH,
  earlier,
  type Instant,
  instantOfNanos,
  type LastTrade,
  later,
  MINUTE,
  minuteOf,
  type Price,
  type Quantity,
  type Quote,
  type Ticker,
  type Trade,
  tickerOf,
  toQuantity,
  type Zone,
  zoneOf,
} from '@quipu/core'
import { pauseWork } from '../../clock/long-work.ts'
import { type AuctionPrints, auctionDays } from '../auction-days.ts'
import {
  type MarketHistory,
  type MarketSource,
  nextEdition,
  type TouchQuery,
  type TradeSearch,
} from '../market-source.ts'
import type { SeriesRows, Slice } from '../store/index.ts'
import { storedColumns } from './stored-bars.ts'
import { type StoredSymbol, storedSymbol } from './stored-symbol.ts'
import { lastTick, nextOf, type Ticks, tickPage } from './ticks.ts'

export type ReplaySetup = {
  /** All imported series and price paths. */
  readonly series: readonly SeriesRows[]
  readonly seed: string
  /** The asset of a stored symbol. */
  readonly assetOf: (symbol: Ticker) => Asset
  /** The original names of renamed symbols. A query of a new name reads the data of its original name. */
  readonly origins?: ReadonlyMap<Ticker, Ticker>
}

/** Items per step, before other work runs. */
const ITEMS_AT_ONCE = 2000

/** The end of a symbol's data: time and price. */
export type End = { readonly symbol: Ticker; readonly at: Instant; readonly price: Price }

export type ReplayMarket = MarketSource & { ends(): readonly End[] }

/** A market of imported data only. */
export function replayMarket(setup: ReplaySetup): ReplayMarket {
  const symbols = replayedSymbols(setup)
  const assets = new Map([...symbols].map(([symbol, { asset }]) => [symbol, asset]))
  const find = (symbol: Ticker): ReplayedSymbol | undefined =>
    symbols.get(setup.origins?.get(symbol) ?? symbol)
  return {
    ends: () => [...symbols.values()].flatMap(endOf),
    assets: () => assets,
    pricesAt: (at) => ({
      quote: (symbol) => find(symbol)?.board.quote(at),
      trade: (symbol) => find(symbol)?.board.trade(at),
      volume: (symbol) => volumeOf(find(symbol)?.trades, minuteOf(at)),
    }),
    schedule: {
      nextQuote: async (symbol, at, until) => find(symbol)?.board.next(at, until),
      nextTouch: async (query) => findTouch(find(query.symbol), query),
      nextTrade: async (query) => findTrade(find(query.symbol), query),
    },
    history: historyOf(find),
  }
}

/** The volume of a minute: the sum of its trades. */
function volumeOf(trades: Ticks<Trade> | undefined, from: Instant): Quantity | undefined {
  if (!trades) return undefined
  let volume = 0n
  for (const { size } of trades.list(from, later(from, MINUTE - 1n), 'asc')) volume += size
  return toQuantity(volume)
}

function historyOf(find: (symbol: Ticker) => ReplayedSymbol | undefined): MarketHistory {
  const bars = async (query: BarQuery): Promise<readonly Bar[]> => {
    const stored = find(query.symbol)
    return stored ? take(stored.bars(query), query.limit) : []
  }
  return {
    edition: nextEdition(),
    bars,
    barColumns: async (query) => {
      const stored = find(query.symbol)
      const slices = stored?.storedBars(query)
      if (!stored || !slices) return [columnsOfBars(await bars(query))]
      return takeColumns(slices, query, zoneOf(stored.asset.class))
    },
    latestBar: async (symbol, now) => (await bars(newest(symbol, now)))[0],
    trades: async (query) => tickPage(find(query.symbol)?.trades, query),
    latestTrade: async (symbol, now) => lastTick(find(symbol)?.trades, now),
    quotes: async (query) => tickPage(find(query.symbol)?.quotes, query),
    latestQuote: async (symbol, now) => lastTick(find(symbol)?.quotes, now),
    book: async (symbol, at) => {
      const stored = find(symbol)
      const quote = stored?.asset.class === 'crypto' ? stored.board.quote(at) : undefined
      return quote && bookOf(quote)
    },
    auctions: async (query) => {
      const stored = find(query.symbol)
      return stored?.asset.class === 'usEquity' ? auctionDays(printsOf(stored.trades), query) : []
    },
    events: async () => [],
  }
}

/** Stored data, and the current trade and quote. */
type ReplayedSymbol = StoredSymbol & { readonly board: ReturnType<typeof makeBoard> }

const replayedSymbols = ({ series, seed, assetOf }: ReplaySetup): ReadonlyMap<Ticker, ReplayedSymbol> =>
  new Map(
    [...Map.groupBy(series, ({ symbol }) => tickerOf(symbol))].map(([symbol, all]) => {
      const stored = storedSymbol(assetOf(symbol), all, seed)
      return [symbol, { ...stored, board: makeBoard(stored) }]
    }),
  )

function endOf({ asset, trades, last }: StoredSymbol): readonly End[] {
  const trade = lastTick(trades, FOREVER)
  return trade ? [{ symbol: asset.symbol, at: last > trade.at ? last : trade.at, price: trade.price }] : []
}

async function take<Item>(items: Iterable<Item>, limit: number): Promise<readonly Item[]> {
  const found: Item[] = []
  if (limit <= 0) return found
  for (const item of items) {
    if (found.push(item) >= limit) break
    if (found.length % ITEMS_AT_ONCE === 0) await pauseWork()
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
    await pauseWork()
  }
  return pieces
}

const newest = (symbol: Ticker, now: Instant): BarQuery => ({
  symbol,
  frame: { unit: 'minute', count: 1 },
  from: EPOCH,
  to: now,
  now,
  sort: 'desc',
  limit: 1,
})

const printsOf = (trades: Ticks<Trade>): AuctionPrints => ({
  first: (from, to) => nextOf(trades, earlier(from, 1n), to),
  last: (from, to) => {
    const trade = lastTick(trades, to)
    return trade && trade.at >= from ? trade : undefined
  },
  // Market events do not change imported data.
  isHalted: () => false,
})

/** A book with only the best levels, because no others are known. */
const bookOf = ({ at, bid, ask, bidSize, askSize }: Quote) => ({
  at,
  bids: [{ price: bid, size: bidSize }],
  asks: [{ price: ask, size: askSize }],
})

/** A quote with only one side cannot be traded on. */
const isTwoSided = ({ bid, ask }: Quote): boolean => bid > 0n && ask > 0n

const FOREVER = instantOfNanos(1n << 62n)

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
    next: (at: Instant, until: Instant): Instant | undefined => nextOf(quotes, at, earlier(until, 1n))?.at,
  }
}

function cachedUntilNext<Tick extends { readonly at: Instant }>(
  ticks: Ticks<Tick>,
): (at: Instant) => Tick | undefined {
  let cached: { readonly tick: Tick; readonly until: Instant } | undefined
  return (at) => {
    if (cached && at >= cached.tick.at && at < cached.until) return cached.tick
    const tick = lastTick(ticks, at)
    cached = tick && { tick, until: nextOf(ticks, at, FOREVER)?.at ?? FOREVER }
    return tick
  }
}

async function findTrade(
  stored: StoredSymbol | undefined,
  query: TradeSearch,
): Promise<LastTrade | undefined> {
  const { direction, price, from, to } = query
  const mayReach = (low: bigint, high: bigint): boolean =>
    direction === 'rise' ? high >= price : low <= price
  let visited = 0
  if (!stored || from > to) return undefined
  for (const trade of stored.trades.list(from, to, 'asc', mayReach)) {
    if (mayReach(trade.price, trade.price)) return { at: trade.at, price: trade.price, size: trade.size }
    if (++visited % ITEMS_AT_ONCE === 0) await pauseWork()
  }
  return undefined
}

async function findTouch(stored: StoredSymbol | undefined, query: TouchQuery): Promise<Instant | undefined> {
  const { side, price, from, to } = query
  const reaches = (quote: Quote): boolean =>
    isTwoSided(quote) && (side === 'buy' ? quote.ask <= price : quote.bid >= price)
  if (!stored || from > to) return undefined
  const { quotes } = stored
  const current = lastTick(quotes, from)
  if (current && reaches(current)) return from
  let visited = 0
  // An ask is above its trade, a bid below.
  const mayReach = (low: bigint, high: bigint): boolean => (side === 'buy' ? low <= price : high >= price)
  for (const quote of quotes.list(later(from, 1n), to, 'asc', mayReach)) {
    if (reaches(quote)) return quote.at
    if (++visited % ITEMS_AT_ONCE === 0) await pauseWork()
  }
  return undefined
}
