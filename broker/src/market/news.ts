import type {
  Bar,
  Imbalance,
  Instant,
  PriceBands,
  Quote,
  QuoteBook,
  TapeMessage,
  Ticker,
  Trade,
  TradeCancel,
  TradeCorrection,
  TradingStatus,
} from '@quipu/core'

/** The channels that listeners can subscribe to. */
export const feedChannels = [
  ...(['trades', 'quotes', 'bars', 'updatedBars', 'dailyBars'] as const),
  ...(['statuses', 'lulds', 'imbalances', 'orderbooks'] as const),
]
export type FeedChannel = (typeof feedChannels)[number]

/** News of one symbol on one channel. */
export type News = { readonly symbol: Ticker } & (
  | { readonly channel: 'bars' | 'updatedBars' | 'dailyBars'; readonly bar: Bar }
  | { readonly channel: 'trades'; readonly trades: readonly Trade[] }
  | { readonly channel: 'quotes'; readonly quote: Quote }
  /** A whole book, or the changes since the previous one: levels of size 0 are deleted. */
  | { readonly channel: 'orderbooks'; readonly book: QuoteBook; readonly isWhole: boolean }
  | { readonly channel: 'statuses'; readonly at: Instant; readonly status: TradingStatus }
  | { readonly channel: 'lulds'; readonly at: Instant; readonly bands: PriceBands }
  | { readonly channel: 'imbalances'; readonly at: Instant; readonly imbalance: Imbalance }
  | { readonly channel: 'corrections'; readonly at: Instant; readonly correction: TradeCorrection }
  | { readonly channel: 'cancelErrors'; readonly at: Instant; readonly cancel: TradeCancel }
)

/** Symbols by channel; channels without data are allowed. */
export type Subscription = Partial<Record<FeedChannel, readonly string[]>>

/** The channel whose listeners receive the news: corrections go to listeners of trades. */
export const feedChannelOf = ({ channel }: News): FeedChannel =>
  channel === 'corrections' || channel === 'cancelErrors' ? 'trades' : channel

/** An event as news. */
export function newsOf(event: TapeMessage, symbol: Ticker): News {
  const { at } = event
  switch (event.kind) {
    case 'status':
      return { channel: 'statuses', symbol, at, status: event }
    case 'luld':
      return { channel: 'lulds', symbol, at, bands: event }
    case 'imbalance':
      return { channel: 'imbalances', symbol, at, imbalance: event }
    case 'updatedBar':
      return { channel: 'updatedBars', symbol, bar: event.bar }
    case 'lateTrade':
      return { channel: 'trades', symbol, trades: [event.trade] }
    case 'correction':
      return { channel: 'corrections', symbol, at, correction: event }
    case 'cancel':
      return { channel: 'cancelErrors', symbol, at, cancel: event }
  }
}
