import { type Instant, MINUTE, type QuoteTick, type Ticker, type Trade } from '@quipu/core'
import type { MarketSource } from '../market-source.ts'
import type { Board } from './board.ts'
import type { History } from './history.ts'
import type { Latest } from './latest.ts'
import { isCrypto } from './symbol-class.ts'
import { barFrom, bookFrom, quoteFrom, tradeFrom } from './wire.ts'

/** History by request; what is newest from the board, where that follows the symbol. */
export function pastOf(
  history: History,
  latest: Latest,
  board: Board,
): Omit<MarketSource, 'assets' | 'pricesAt' | 'live'> {
  return {
    nextQuote: async () => undefined,
    nextTouch: async () => undefined,
    nextTrade: async () => undefined,
    bars: (query) => history.bars(query),
    latestBar: async (symbol, now) => {
      const bar = await latest.of('bars', symbol, barFrom)
      const lastStart = (now - MINUTE) as Instant
      if (!bar || bar.start <= lastStart) return bar
      const frame = { unit: 'minute', count: 1 } as const
      return (await history.bars({ ...upTo(symbol, lastStart), frame }))[0]
    },
    trades: (query) => history.trades(query),
    latestTrade: async (symbol, now): Promise<Trade | undefined> => {
      const known = board.known(symbol)?.trade
      const trade = known ?? (await latest.of('trades', symbol, tradeFrom))
      return !trade || trade.at <= now ? trade : (await history.trades(upTo(symbol, now)))[0]
    },
    quotes: (query) => history.quotes(query),
    latestQuote: async (symbol, now): Promise<QuoteTick | undefined> => {
      const known = board.known(symbol)?.quote
      const quote = known ? { ...known, id: 0 } : await latest.of('quotes', symbol, (sent) => quoteFrom(sent))
      return !quote || quote.at <= now ? quote : (await history.quotes(upTo(symbol, now)))[0]
    },
    book: async (symbol) => (isCrypto(symbol) ? latest.of('orderbooks', symbol, bookFrom) : undefined),
    auctions: (query) => history.auctions(query),
    events: async () => [],
  }
}

const upTo = (symbol: Ticker, now: Instant) =>
  ({ symbol, from: 0n as Instant, to: now, now, sort: 'desc', limit: 1 }) as const
