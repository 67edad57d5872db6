import type { Bar, Instant, Ticker, Trade } from '@quipu/core'
import {
  EPOCH,
  earlier,
  instantOfNanos,
  later,
  MINUTE,
  missing,
  SECOND,
  textBefore,
} from '@quipu/core/values'
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
  const range = { from: earlier(last, MARGIN_NS), to, now: to }
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
  const earliest = last === undefined ? earlier(from, MARGIN_NS + MINUTE) : last
  const range = { from: later(earliest, 1n), to: earlier(to, MINUTE), now: to }
  const frame = { unit: 'minute', count: 1 } as const
  const bars = await history.bars({ symbol, frame, ...range, sort: 'asc', limit: BARS_MAX })
  const dated = (bar: Bar): Dated => ({
    at: later(bar.start, MINUTE),
    news: { channel: 'bars', symbol, bar },
  })
  return bars.map(dated)
}

/** Remembered trades per symbol. */
const REMEMBERED = 64

/** `last`: the newest trade; `upTo`: the newest trade that is no longer remembered. */
type PublishedTrades = { readonly keys: Set<string>; last: Instant; upTo: Instant }

/** The published trades and bars of each symbol, so that nothing from stream and request is published twice. */
export class PublishedNews {
  readonly #trades = new Map<Ticker, PublishedTrades>()
  readonly #bars = new Map<Ticker, Instant>()

  /**
   * Whether a trade is new; marks it as published. A trade that may have arrived before (`again`) is not new if it is
   * older than the remembered trades.
   */
  trade(symbol: Ticker, { at, id, exchange }: Trade, again: boolean): boolean {
    const published = this.#trades.get(symbol) ?? { keys: new Set(), last: at, upTo: EPOCH }
    const key = `${at}.${id}.${exchange}`
    if (published.keys.has(key) || (again && at <= published.upTo)) return false
    this.#trades.set(symbol, published)
    published.keys.add(key)
    if (at > published.last) published.last = at
    if (published.keys.size <= REMEMBERED) return true
    const oldest = published.keys.values().next().value ?? missing('the oldest key')
    published.keys.delete(oldest)
    const oldestAt = instantOfNanos(BigInt(textBefore(oldest, '.')))
    if (oldestAt > published.upTo) published.upTo = oldestAt
    return true
  }

  /** Whether a minute is new; minutes come in order. */
  bar(symbol: Ticker, { start }: Bar): boolean {
    const last = this.#bars.get(symbol)
    if (last !== undefined && start <= last) return false
    this.#bars.set(symbol, start)
    return true
  }

  /** Symbols with published news. */
  symbols(kind: 'trades' | 'bars'): readonly Ticker[] {
    return [...(kind === 'trades' ? this.#trades : this.#bars).keys()]
  }

  lastTrade(symbol: Ticker): Instant | undefined {
    return this.#trades.get(symbol)?.last
  }

  lastBar(symbol: Ticker): Instant | undefined {
    return this.#bars.get(symbol)
  }

  /** Call when a symbol has no more followers. */
  forget(kind: 'trades' | 'bars', symbol: Ticker): void {
    ;(kind === 'trades' ? this.#trades : this.#bars).delete(symbol)
  }
}
