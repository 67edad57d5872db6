import type {
  Asset,
  AuctionQuery,
  Bar,
  BarColumns,
  BarQuery,
  Book,
  DailyAuctions,
  Instant,
  LastTrade,
  Prices,
  QuoteTick,
  TapeMessage,
  Ticker,
  TickQuery,
  Trade,
} from '@quipu/core'
import type { LiveMarket } from './live.ts'

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

/**
 * Where prices come from. History may lie on a disk or behind a network, so it is asynchronous; the board of
 * current prices is not, since a decision cannot wait.
 */
export type MarketSource = {
  assets(): ReadonlyMap<Ticker, Asset>
  /** What the market shows at an instant; made symbol by symbol when asked, and cheap while a quote holds. */
  pricesAt(at: Instant): Prices
  /** The first instant after `at` at which the quote of a symbol is another, if it is before `until`. */
  nextQuote(symbol: Ticker, at: Instant, until: Instant): Promise<Instant | undefined>
  nextTouch(query: TouchQuery): Promise<Instant | undefined>
  nextTrade(query: TradeSearch): Promise<LastTrade | undefined>
  bars(query: BarQuery): Promise<readonly Bar[]>
  /** The same bars as columns, in one piece or several, where that is cheaper than records. They are only looked at. */
  barColumns?(query: BarQuery): Promise<readonly BarColumns[]>
  /** What tells this history from every other; absent where history may still change. See `nextEdition`. */
  edition?(): number | undefined
  /** The newest finished minute bar at an instant. */
  latestBar(symbol: Ticker, now: Instant): Promise<Bar | undefined>
  trades(query: TickQuery): Promise<readonly Trade[]>
  /** The newest trade, or quote, at an instant. */
  latestTrade(symbol: Ticker, now: Instant): Promise<Trade | undefined>
  quotes(query: TickQuery): Promise<readonly QuoteTick[]>
  latestQuote(symbol: Ticker, now: Instant): Promise<QuoteTick | undefined>
  /** The order book of a crypto pair: its best levels are the quote. Nothing for whatever else. */
  book(symbol: Ticker, at: Instant): Promise<Book | undefined>
  /** The auctions of trading days that have begun; nothing for crypto. */
  auctions(query: AuctionQuery): Promise<readonly DailyAuctions[]>
  /** Halts, bands, late trades, corrections and revised minutes, by the moment at which they are told. */
  events(query: TickQuery): Promise<readonly TapeMessage[]>
  /** Only where the market cannot be foreseen. */
  readonly live?: LiveMarket
}
