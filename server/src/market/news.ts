import type {
  Bar,
  Book,
  Imbalance,
  Instant,
  PriceBands,
  Quote,
  TapeMessage,
  Ticker,
  Trade,
  TradeCancel,
  TradeCorrection,
  TradingStatus,
} from '@quipu/core'

/** A channel that listeners can subscribe to. */
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

/** News of one symbol on one channel. Corrections and cancel errors go to listeners of trades. */
export type News = { readonly symbol: Ticker } & (
  | { readonly channel: 'bars' | 'updatedBars' | 'dailyBars'; readonly bar: Bar }
  | { readonly channel: 'trades'; readonly trades: readonly Trade[] }
  | { readonly channel: 'quotes'; readonly quote: Quote }
  /** A whole book, or the changes since the previous one: levels of size 0 are deleted. */
  | { readonly channel: 'orderbooks'; readonly book: Book; readonly isWhole: boolean }
  | { readonly channel: 'statuses'; readonly at: Instant; readonly status: TradingStatus }
  | { readonly channel: 'lulds'; readonly at: Instant; readonly bands: PriceBands }
  | { readonly channel: 'imbalances'; readonly at: Instant; readonly imbalance: Imbalance }
  | { readonly channel: 'corrections'; readonly at: Instant; readonly correction: TradeCorrection }
  | { readonly channel: 'cancelErrors'; readonly at: Instant; readonly cancel: TradeCancel }
)

/** Symbols by channel; channels without data are allowed. */
export type Subscription = Partial<Record<FeedChannel, readonly string[]>>

/** An event as news, and the channel whose listeners receive it. */
export function newsOf(
  event: TapeMessage,
  symbol: Ticker,
): { readonly to: FeedChannel; readonly news: News } {
  const { at } = event
  switch (event.kind) {
    case 'status':
      return { to: 'statuses', news: { channel: 'statuses', symbol, at, status: event } }
    case 'luld':
      return { to: 'lulds', news: { channel: 'lulds', symbol, at, bands: event } }
    case 'imbalance':
      return { to: 'imbalances', news: { channel: 'imbalances', symbol, at, imbalance: event } }
    case 'updatedBar':
      return { to: 'updatedBars', news: { channel: 'updatedBars', symbol, bar: event.bar } }
    case 'lateTrade':
      return { to: 'trades', news: { channel: 'trades', symbol, trades: [event.trade] } }
    case 'correction':
      return { to: 'trades', news: { channel: 'corrections', symbol, at, correction: event } }
    case 'cancel':
      return { to: 'trades', news: { channel: 'cancelErrors', symbol, at, cancel: event } }
  }
}
