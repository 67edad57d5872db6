import { messageTypeOf } from '@quipu/contract'
import type { Asset } from '@quipu/core'
import { barToWire, quoteToWire, tradeToWire } from '../http/data/wire.ts'
import type { News } from '../market/feed.ts'
import { Message } from './frame.ts'
import { Timestamp } from './timestamp.ts'

/**
 * News as a data stream tells it: the same records as in answers. `T` is the first key, because some clients read no
 * further without it.
 */
export function newsMessage(news: News, asset: Asset): Message {
  const start = { T: messageTypeOf[news.channel], S: news.symbol }
  switch (news.channel) {
    case 'trades':
      return new Message(
        news.trades.map((trade) => ({ ...start, ...tradeToWire(trade), t: new Timestamp(trade.at) })),
      )
    case 'quotes':
      return new Message([{ ...start, ...quoteToWire(news.quote, asset), t: new Timestamp(news.quote.at) }])
    default:
      return new Message([{ ...start, ...barToWire(news.bar), t: new Timestamp(news.bar.start) }])
  }
}
