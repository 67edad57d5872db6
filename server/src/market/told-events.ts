import type { MarketEvent, Ticker } from '@quipu/core'
import type { FeedChannel, News } from './news.ts'

/** An event as news, and the channel whose listeners it is for. */
export function newsOf(
  event: MarketEvent,
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
