import type { Instant, Quote, QuoteBook, TapeMessage, Ticker, Trade } from '@quipu/core'
import { later } from '@quipu/core/values'
import { HORIZON_NS, type Next, silence } from './chain.ts'
import type { FeedMarket } from './feed-market.ts'

type Finder<Tick> = (after: Instant) => Promise<Next<Tick>>
type Market = () => FeedMarket

/** Trades or events per read. */
const AT_ONCE = 256

export const nextQuotes =
  (market: Market, symbol: Ticker): Finder<Quote> =>
  async (after) => {
    const at = await market().schedule.nextQuote(symbol, after, later(after, HORIZON_NS))
    if (at === undefined) return silence(after)
    return { at, after: at, tick: market().pricesAt(at).quote(symbol) }
  }

/** A book changes with its quote. */
export const nextBooks =
  (market: Market, symbol: Ticker): Finder<QuoteBook> =>
  async (after) => {
    const at = await market().schedule.nextQuote(symbol, after, later(after, HORIZON_NS))
    if (at === undefined) return silence(after)
    return { at, after: at, tick: await market().history.book(symbol, at) }
  }

/** Late trades are events. Later corrections of a trade are unknown when it is published. */
export const nextTrades = (market: Market, symbol: Ticker): Finder<readonly Trade[]> =>
  groupByInstant(async (from, to) => {
    const trades = await market().history.trades({ symbol, from, to, now: to, sort: 'asc', limit: AT_ONCE })
    return trades.filter(({ reportedAt }) => reportedAt === undefined).map(asFirstReported)
  })

export const nextEvents = (market: Market, symbol: Ticker): Finder<readonly TapeMessage[]> =>
  groupByInstant((from, to) =>
    market().history.events({ symbol, from, to, now: to, sort: 'asc', limit: AT_ONCE }),
  )

/** Groups items of the same instant and keeps items that were read ahead. */
function groupByInstant<Item extends { readonly at: Instant }>(
  read: (from: Instant, to: Instant) => Promise<readonly Item[]>,
): Finder<readonly Item[]> {
  let upcoming: Item[] = []
  return async (after) => {
    const from = later(after, 1n)
    upcoming = upcoming.filter(({ at }) => at >= from)
    if (upcoming.length === 0) upcoming = [...(await read(from, later(after, HORIZON_NS)))]
    const first = upcoming[0]
    if (!first) return silence(after)
    const end = upcoming.findIndex(({ at }) => at !== first.at)
    const tick = upcoming.splice(0, end < 0 ? upcoming.length : end)
    return { at: first.at, after: first.at, tick }
  }
}

function asFirstReported(trade: Trade): Trade {
  if (trade.update === undefined) return trade
  const { update: _, ...first } = trade
  return first
}
