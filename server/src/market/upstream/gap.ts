import { type Bar, type Instant, MINUTE, SECOND, type Ticker, type Trade } from '@quipu/core'
import type { News } from '../news.ts'
import type { History } from './history.ts'

/** Margin for messages out of order, messages lost with the connection, and clock differences. */
const MARGIN_NS = 5n * SECOND
/** Maximum number of minutes per symbol that are published after a gap. */
const BARS_MAX = 10_000

export type Gap = {
  /** The time of the last message before the gap. */
  readonly from: Instant
  readonly to: Instant
  readonly trades: readonly Ticker[]
  readonly bars: readonly Ticker[]
}

export type GapParts = {
  readonly history: Pick<History, 'bars' | 'trades'>
  /** Maximum number of trades per symbol; only the newest are published. */
  readonly tradesMax: number
  /** The newest published trade and bar of a symbol. */
  readonly published: {
    lastTrade(symbol: Ticker): Instant | undefined
    lastBar(symbol: Ticker): Instant | undefined
  }
  /** Called for a symbol whose gap could not be filled. */
  readonly onFailure: (symbol: Ticker, error: unknown) => void
}

type Dated = { readonly at: Instant; readonly news: News }

/** Requests the missed news of each symbol, oldest first. Some of it may already be published. */
export async function missedIn(gap: Gap, parts: GapParts): Promise<readonly News[]> {
  const found = await Promise.all([
    ...gap.trades.map((symbol) => orNone(symbol, parts, missedTrades(symbol, gap, parts))),
    ...gap.bars.map((symbol) => orNone(symbol, parts, missedBars(symbol, gap, parts))),
  ])
  return found
    .flat()
    .sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
    .map(({ news }) => news)
}

async function orNone(symbol: Ticker, { onFailure }: GapParts, found: Promise<readonly Dated[]>) {
  return found.catch((error): readonly Dated[] => {
    onFailure(symbol, error)
    return []
  })
}

async function missedTrades(
  symbol: Ticker,
  { from, to }: Gap,
  { history, tradesMax, published }: GapParts,
): Promise<readonly Dated[]> {
  const last = published.lastTrade(symbol) ?? from
  const range = { from: (last - MARGIN_NS) as Instant, to, now: to }
  const trades = await history.trades({ symbol, ...range, sort: 'desc', limit: tradesMax })
  const dated = (trade: Trade): Dated => ({
    at: trade.at,
    news: { channel: 'trades', symbol, trades: [trade] },
  })
  return trades.toReversed().map(dated)
}

/** A minute is published when it has ended. */
async function missedBars(
  symbol: Ticker,
  { from, to }: Gap,
  { history, published }: GapParts,
): Promise<readonly Dated[]> {
  const last = published.lastBar(symbol)
  const earliest = last === undefined ? from - MARGIN_NS - MINUTE : last
  const range = { from: (earliest + 1n) as Instant, to: (to - MINUTE) as Instant, now: to }
  const frame = { unit: 'minute', count: 1 } as const
  const bars = await history.bars({ symbol, frame, ...range, sort: 'asc', limit: BARS_MAX })
  const dated = (bar: Bar): Dated => ({
    at: (bar.start + MINUTE) as Instant,
    news: { channel: 'bars', symbol, bar },
  })
  return bars.map(dated)
}
