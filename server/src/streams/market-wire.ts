import type { News } from '@quipu/broker/market/feed.ts'
import { messageTypeOf } from '@quipu/contract'
import type { Asset, CorrectedTrade, Instant } from '@quipu/core'
import {
  barToWire,
  bookToWire,
  cryptoQuoteToWire,
  cryptoTradeToWire,
  quoteToWire,
  toNumber,
  tradeToWire,
} from '../wire/market-data-wire.ts'
import { Message } from './frame.ts'
import { Timestamp } from './msgpack.ts'

/**
 * The stream message of market news, with the same records as in HTTP responses. `T` is the first key, because some
 * clients require it first.
 */
export function newsMessage(news: News, asset: Asset): Message {
  const start = { T: messageTypeOf[news.channel], S: news.symbol }
  const record = (at: Instant, fields: object) => ({ ...start, ...fields, t: new Timestamp(at) })
  const isCrypto = asset.class === 'crypto'
  switch (news.channel) {
    case 'trades': {
      const toWire = isCrypto ? cryptoTradeToWire : tradeToWire
      return new Message(news.trades.map((trade) => record(trade.at, toWire(trade))))
    }
    case 'quotes': {
      const { quote } = news
      return new Message([record(quote.at, isCrypto ? cryptoQuoteToWire(quote) : quoteToWire(quote, asset))])
    }
    case 'orderbooks':
      return new Message([
        record(news.book.at, { ...bookToWire(news.book), r: news.isWhole ? true : undefined }),
      ])
    case 'statuses': {
      const { code, message, reason, reasonMessage, tape } = news.status
      return new Message([record(news.at, { sc: code, sm: message, rc: reason, rm: reasonMessage, z: tape })])
    }
    case 'lulds': {
      const { up, down, indicator, tape } = news.bands
      return new Message([record(news.at, { u: toNumber(up), d: toNumber(down), i: indicator, z: tape })])
    }
    case 'imbalances': {
      const { price, tape } = news.imbalance
      return new Message([record(news.at, { p: toNumber(price), z: tape })])
    }
    case 'corrections': {
      const { exchange, original, corrected, tape } = news.correction
      const sides = { ...correctedToWire('o', original), ...correctedToWire('c', corrected) }
      return new Message([record(news.at, { x: exchange, ...sides, z: tape })])
    }
    case 'cancelErrors': {
      const { trade, action } = news.cancel
      const { i, x, p, s, z } = tradeToWire(trade)
      return new Message([record(news.at, { i, x, p, s, a: action, z })])
    }
    case 'bars':
    case 'updatedBars':
    case 'dailyBars':
      return new Message([record(news.bar.start, barToWire(news.bar))])
  }
}

/** `oi op os oc` for the original trade, `ci cp cs cc` for the corrected trade. */
const correctedToWire = (side: 'o' | 'c', { id, price, size, conditions }: CorrectedTrade) => ({
  [`${side}i`]: id,
  [`${side}p`]: toNumber(price),
  [`${side}s`]: toNumber(size),
  [`${side}c`]: conditions,
})
