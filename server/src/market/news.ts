import type {
  Bar,
  Book,
  Imbalance,
  Instant,
  PriceBands,
  Quote,
  Ticker,
  Trade,
  TradeCancel,
  TradeCorrection,
  TradingStatus,
} from '@quipu/core'

/** What one can subscribe to. */
export type FeedChannel =
  | 'trades'
  | 'quotes'
  | 'bars'
  | 'updatedBars'
  | 'dailyBars'
  | 'statuses'
  | 'lulds'
  | 'imbalances'
  | 'orderbooks'

/** News of one symbol on one channel. Corrections and cancel errors go to those who have its trades. */
export type News = { readonly symbol: Ticker } & (
  | { readonly channel: 'bars' | 'updatedBars' | 'dailyBars'; readonly bar: Bar }
  | { readonly channel: 'trades'; readonly trades: readonly Trade[] }
  | { readonly channel: 'quotes'; readonly quote: Quote }
  /** A whole book, or what is different from the one before: levels of size 0 are gone. */
  | { readonly channel: 'orderbooks'; readonly book: Book; readonly isWhole: boolean }
  | { readonly channel: 'statuses'; readonly at: Instant; readonly status: TradingStatus }
  | { readonly channel: 'lulds'; readonly at: Instant; readonly bands: PriceBands }
  | { readonly channel: 'imbalances'; readonly at: Instant; readonly imbalance: Imbalance }
  | { readonly channel: 'corrections'; readonly at: Instant; readonly correction: TradeCorrection }
  | { readonly channel: 'cancelErrors'; readonly at: Instant; readonly cancel: TradeCancel }
)

/** Symbols by channel; channels that carry nothing may stand there too. */
export type Subscription = Partial<Record<FeedChannel, readonly string[]>>
