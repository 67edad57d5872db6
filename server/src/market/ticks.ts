import type { Book, Instant, Quote, TapeMessage, Ticker, Trade } from '@quipu/core'
import { HORIZON_NS, type Next, silence } from './chain.ts'
import type { FeedMarket } from './feed-market.ts'

type Finder<Tick> = (after: Instant) => Promise<Next<Tick>>
type Market = () => FeedMarket

/** How many trades or events are taken at a time. */
const AT_ONCE = 256

export const nextQuotes =
  (market: Market, symbol: Ticker): Finder<Quote> =>
  async (after) => {
    const at = await market().nextQuote(symbol, after, (after + HORIZON_NS) as Instant)
    if (at === undefined) return silence(after)
    const quote = market().pricesAt(at).quote(symbol)
    return { at, after: at, ...(quote && { tick: quote }) }
  }

/** A book changes with its quote. */
export const nextBooks =
  (market: Market, symbol: Ticker): Finder<Book> =>
  async (after) => {
    const at = await market().nextQuote(symbol, after, (after + HORIZON_NS) as Instant)
    if (at === undefined) return silence(after)
    const book = await market().book(symbol, at)
    return { at, after: at, ...(book && { tick: book }) }
  }

/** Late trades are events; what becomes of a trade is not known yet when it is told. */
export const nextTrades = (market: Market, symbol: Ticker): Finder<readonly Trade[]> =>
  together(async (from, to) => {
    const trades = await market().trades({ symbol, from, to, now: to, sort: 'asc', limit: AT_ONCE })
    return trades.filter(({ reportedAt }) => reportedAt === undefined).map(asFirstTold)
  })

export const nextEvents = (market: Market, symbol: Ticker): Finder<readonly TapeMessage[]> =>
  together((from, to) => market().events({ symbol, from, to, now: to, sort: 'asc', limit: AT_ONCE }))

/** What has the same instant is told together; what was read ahead is kept. */
function together<Item extends { readonly at: Instant }>(
  read: (from: Instant, to: Instant) => Promise<readonly Item[]>,
): Finder<readonly Item[]> {
  let upcoming: Item[] = []
  return async (after) => {
    const from = (after + 1n) as Instant
    upcoming = upcoming.filter(({ at }) => at >= from)
    if (upcoming.length === 0) upcoming = [...(await read(from, (after + HORIZON_NS) as Instant))]
    const first = upcoming[0]
    if (!first) return silence(after)
    const end = upcoming.findIndex(({ at }) => at !== first.at)
    const tick = upcoming.splice(0, end < 0 ? upcoming.length : end)
    return { at: first.at, after: first.at, tick }
  }
}

function asFirstTold(trade: Trade): Trade {
  if (trade.update === undefined) return trade
  const { update: _, ...first } = trade
  return first
}
