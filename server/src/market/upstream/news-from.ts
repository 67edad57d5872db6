import type { Ticker } from '@quipu/core'
import type { FeedChannel, News } from '../news.ts'
import {
  bandsFrom,
  barFrom,
  bookFrom,
  correctedFrom,
  instantIn,
  quoteFrom,
  type Sent,
  statusFrom,
  tapeIn,
  textIn,
  tradeFrom,
} from './wire.ts'

/**
 * A message of the provider's stream as news, and the channel whose followers receive it; undefined for other kinds.
 */
export function newsFrom(sent: Sent): { readonly to: FeedChannel; readonly news: News } | undefined {
  const symbol = textIn(sent, 'S') as Ticker
  switch (sent['T']) {
    case 't':
      return { to: 'trades', news: { channel: 'trades', symbol, trades: [tradeFrom(sent)] } }
    case 'q': {
      const { id: _, ...quote } = quoteFrom(sent)
      return { to: 'quotes', news: { channel: 'quotes', symbol, quote } }
    }
    case 'b':
      return { to: 'bars', news: { channel: 'bars', symbol, bar: barFrom(sent) } }
    case 'u':
      return { to: 'updatedBars', news: { channel: 'updatedBars', symbol, bar: barFrom(sent) } }
    case 'd':
      return { to: 'dailyBars', news: { channel: 'dailyBars', symbol, bar: barFrom(sent) } }
    case 'o': {
      const isWhole = sent['r'] === true
      return { to: 'orderbooks', news: { channel: 'orderbooks', symbol, book: bookFrom(sent), isWhole } }
    }
    default:
      return noticeFrom(sent, symbol)
  }
}

/** Halts and bands; corrections go to followers of trades. */
function noticeFrom(sent: Sent, symbol: Ticker): ReturnType<typeof newsFrom> {
  switch (sent['T']) {
    case 's':
      return {
        to: 'statuses',
        news: { channel: 'statuses', symbol, at: instantIn(sent, 't'), status: statusFrom(sent) },
      }
    case 'l':
      return {
        to: 'lulds',
        news: { channel: 'lulds', symbol, at: instantIn(sent, 't'), bands: bandsFrom(sent) },
      }
    case 'c': {
      const correction = {
        kind: 'correction',
        exchange: textIn(sent, 'x'),
        tape: tapeIn(sent),
        original: correctedFrom(sent, 'o'),
        corrected: correctedFrom(sent, 'c'),
      } as const
      return { to: 'trades', news: { channel: 'corrections', symbol, at: instantIn(sent, 't'), correction } }
    }
    case 'x': {
      const action = sent['a'] === 'E' ? 'E' : 'C'
      const cancel = { kind: 'cancel', trade: tradeFrom(sent), action } as const
      return { to: 'trades', news: { channel: 'cancelErrors', symbol, at: instantIn(sent, 't'), cancel } }
    }
    default:
      return undefined
  }
}
