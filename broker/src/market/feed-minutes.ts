import { type Bar, barStart, earlier, type Instant, later, MINUTE, type Ticker } from '@quipu/core'
import type { FeedMarket } from './feed-market.ts'

export const markAfter = (at: Instant): Instant => later(at, MINUTE - (at % MINUTE))

const SKIP_MAX = 60n * MINUTE
/** Searching for many symbols would cost more than it saves, and one of them trades soon. */
const SKIPPED_SYMBOLS_MAX = 8

/** When the minute with the next trade ends, at most an hour after `from`. Undefined if there are too many symbols. */
export async function minuteOfNextTrade(
  { history }: FeedMarket,
  symbols: readonly Ticker[],
  from: Instant,
): Promise<Instant | undefined> {
  if (symbols.length > SKIPPED_SYMBOLS_MAX) return undefined
  const to = later(from, SKIP_MAX)
  const trades = await Promise.all(
    symbols.map((symbol) => history.trades({ symbol, from, to, now: to, sort: 'asc', limit: 1 })),
  )
  const minutes = trades.flat().map(({ at }) => markAfter(at))
  return minutes.reduce((earliest, at) => (at < earliest ? at : earliest), to)
}

/** The minute that ended at `now`, as in history; undefined without trades. */
export const feedMinute = (market: FeedMarket, symbol: Ticker, now: Instant): Promise<Bar | undefined> =>
  barAt(market, symbol, 'minute', earlier(now, MINUTE), now)

/** The day of the minute before `now`, up to `now`. */
export const feedDay = (market: FeedMarket, symbol: Ticker, now: Instant): Promise<Bar | undefined> =>
  barAt(market, symbol, 'day', dayStart(market, symbol, earlier(now, MINUTE)), now)

async function barAt(
  { history }: FeedMarket,
  symbol: Ticker,
  unit: 'minute' | 'day',
  start: Instant,
  now: Instant,
): Promise<Bar | undefined> {
  const frame = { unit, count: 1 } as const
  return (await history.bars({ symbol, frame, from: start, to: start, now, sort: 'asc', limit: 1 }))[0]
}

const DAY = 1440n * MINUTE

/** Stocks use New York days, crypto uses UTC days. */
const dayStart = (market: FeedMarket, symbol: Ticker, at: Instant): Instant =>
  market.assets().get(symbol)?.class === 'crypto'
    ? earlier(at, at % DAY)
    : barStart({ unit: 'day', count: 1 }, at)
