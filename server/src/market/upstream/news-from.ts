import type { Ticker } from '@quipu/core'
import type { News } from '../news.ts'
import {
  bandsFrom,
  barFrom,
  bookFrom,
  correctionFrom,
  instantIn,
  quoteFrom,
  type Sent,
  statusFrom,
  textIn,
  tradeFrom,
} from './wire.ts'

const barChannels = { b: 'bars', u: 'updatedBars', d: 'dailyBars' } as const

/** A message of the provider's stream as news; undefined for other kinds. */
export function newsFrom(sent: Sent): News | undefined {
  const symbol = textIn(sent, 'S') as Ticker
  const kind = sent['T']
  switch (kind) {
    case 't':
      return { channel: 'trades', symbol, trades: [tradeFrom(sent)] }
    case 'q': {
      const { id: _, ...quote } = quoteFrom(sent)
      return { channel: 'quotes', symbol, quote }
    }
    case 'b':
    case 'u':
    case 'd':
      return { channel: barChannels[kind], symbol, bar: barFrom(sent) }
    case 'o':
      return { channel: 'orderbooks', symbol, book: bookFrom(sent), isWhole: sent['r'] === true }
    case 's':
      return { channel: 'statuses', symbol, at: instantIn(sent, 't'), status: statusFrom(sent) }
    case 'l':
      return { channel: 'lulds', symbol, at: instantIn(sent, 't'), bands: bandsFrom(sent) }
    case 'c':
      return { channel: 'corrections', symbol, at: instantIn(sent, 't'), correction: correctionFrom(sent) }
    case 'x': {
      const action = sent['a'] === 'E' ? 'E' : 'C'
      const cancel = { kind: 'cancel', trade: tradeFrom(sent), action } as const
      return { channel: 'cancelErrors', symbol, at: instantIn(sent, 't'), cancel }
    }
    default:
      return undefined
  }
}
