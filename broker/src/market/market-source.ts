import type {
  Asset,
  AuctionQuery,
  Bar,
  BarColumns,
  BarQuery,
  DailyAuctions,
  Instant,
  LastTrade,
  Prices,
  QuoteBook,
  QuoteTick,
  TapeMessage,
  Ticker,
  TickQuery,
  Trade,
} from '@quipu/core'
import type { LiveMarket } from './live.ts'
import type { MarketInputs } from './market-inputs.ts'

/** When the ask falls to a price (`buy`) or the bid rises to it (`sell`), within `from` and `to`, both inclusive. */
export type TouchQuery = {
  readonly symbol: Ticker
  readonly side: 'buy' | 'sell'
  readonly price: bigint
  readonly from: Instant
  readonly to: Instant
}

/** The first trade at a price or above it (`rise`), or at it or below (`fall`), within both ends, inclusive. */
export type TradeSearch = {
  readonly symbol: Ticker
  readonly direction: 'rise' | 'fall'
  readonly price: bigint
  readonly from: Instant
  readonly to: Instant
}

/** Current prices. Synchronous, because a decision cannot wait. */
export type MarketPrices = {
  assets(): ReadonlyMap<Ticker, Asset>
  /** The prices at an instant. Computed per symbol on demand, and cheap while a quote is valid. */
  pricesAt(at: Instant): Prices
}

/** The past. Asynchronous, because it may come from disk or network. */
export type MarketHistory = {
  /** Identifies this history; absent if history may still change. See `nextEdition`. */
  readonly edition?: number | undefined
  bars(query: BarQuery): Promise<readonly Bar[]>
  /** The same bars as columns, in one or more pieces. Read-only. */
  barColumns(query: BarQuery): Promise<readonly BarColumns[]>
  /** The newest finished minute bar at an instant. */
  latestBar(symbol: Ticker, now: Instant): Promise<Bar | undefined>
  trades(query: TickQuery): Promise<readonly Trade[]>
  /** The newest trade, or quote, at an instant. */
  latestTrade(symbol: Ticker, now: Instant): Promise<Trade | undefined>
  quotes(query: TickQuery): Promise<readonly QuoteTick[]>
  latestQuote(symbol: Ticker, now: Instant): Promise<QuoteTick | undefined>
  /** The order book of a crypto pair: its best levels are the quote. Undefined for other assets. */
  book(symbol: Ticker, at: Instant): Promise<QuoteBook | undefined>
  /** The auctions of trading days that have started; empty for crypto. */
  auctions(query: AuctionQuery): Promise<readonly DailyAuctions[]>
  /** Halts, bands, late trades, corrections and revised minutes, by the time at which they are published. */
  events(query: TickQuery): Promise<readonly TapeMessage[]>
}

/** When prices change next. */
export type MarketSchedule = {
  /** The time of the next quote change of a symbol after `at`, if it is before `until`. */
  nextQuote(symbol: Ticker, at: Instant, until: Instant): Promise<Instant | undefined>
  nextTouch(query: TouchQuery): Promise<Instant | undefined>
  nextTrade(query: TradeSearch): Promise<LastTrade | undefined>
}

/** The schedule of a live market. */
export const NO_SCHEDULE: MarketSchedule = {
  nextQuote: async () => undefined,
  nextTouch: async () => undefined,
  nextTrade: async () => undefined,
}

/**
 * A source of prices. Do not store `history` or `schedule`: the market of a world replaces both when its symbols
 * or events change.
 */
export type MarketSource = MarketPrices & {
  readonly history: MarketHistory
  readonly schedule: MarketSchedule
  /** Only for markets that are not known in advance. */
  readonly live?: LiveMarket
  /** Only for markets that another thread can build. The same object until the market changes. */
  readonly inputs?: MarketInputs
}

let lastEdition = 0

/** A process-wide unique number for a market whose history never changes. Data of one edition may be cached. */
export const nextEdition = (): number => ++lastEdition
