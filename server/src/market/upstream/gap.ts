import { type Bar, type Instant, MINUTE, SECOND, type Ticker, type Trade } from '@quipu/core'
import type { News } from '../news.ts'
import type { History } from './history.ts'

/** What comes out of order, what was on its way when the connection broke, and how far two clocks may part. */
const MARGIN_NS = 5n * SECOND
/** Minutes of one symbol that are told after a gap. */
const BARS_MAX = 10_000

export type Gap = {
  /** How far the tape had come when something last came. */
  readonly from: Instant
  readonly to: Instant
  readonly trades: readonly Ticker[]
  readonly bars: readonly Ticker[]
}

export type GapParts = {
  readonly history: Pick<History, 'bars' | 'trades'>
  /** Trades of one symbol; where more were missed, the newest of them are told. */
  readonly tradesMax: number
  /** The newest of each kind that was told of a symbol. */
  readonly told: {
    lastTrade(symbol: Ticker): Instant | undefined
    lastBar(symbol: Ticker): Instant | undefined
  }
  /** A symbol whose gap stays. */
  readonly failed: (symbol: Ticker, error: unknown) => void
}

type Dated = { readonly at: Instant; readonly news: News }

/** What was missed of each symbol, asked for by request, oldest first. Some of it may have been told already. */
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

async function orNone(symbol: Ticker, { failed }: GapParts, found: Promise<readonly Dated[]>) {
  return found.catch((error): readonly Dated[] => {
    failed(symbol, error)
    return []
  })
}

async function missedTrades(
  symbol: Ticker,
  { from, to }: Gap,
  { history, tradesMax, told }: GapParts,
): Promise<readonly Dated[]> {
  const last = told.lastTrade(symbol) ?? from
  const range = { from: (last - MARGIN_NS) as Instant, to, now: to }
  const trades = await history.trades({ symbol, ...range, sort: 'desc', limit: tradesMax })
  const dated = (trade: Trade): Dated => ({
    at: trade.at,
    news: { channel: 'trades', symbol, trades: [trade] },
  })
  return trades.toReversed().map(dated)
}

/** A minute is told when it has ended. */
async function missedBars(
  symbol: Ticker,
  { from, to }: Gap,
  { history, told }: GapParts,
): Promise<readonly Dated[]> {
  const last = told.lastBar(symbol)
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
