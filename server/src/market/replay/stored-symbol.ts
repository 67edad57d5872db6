import {
  type Asset,
  type Bar,
  type BarQuery,
  type Instant,
  type QuoteTick,
  type Trade,
  zoneOf,
} from '@quipu/core'
import { instantAt, type Series, type Slice } from '../store/index.ts'
import { barPath, type KnownBar } from './bar-path.ts'
import { lengthOf, type Span, tradedIn } from './bar-span.ts'
import { type BarSeries, barSeries } from './frames.ts'
import { storedBar } from './stored-bars.ts'
import { billionths, quotesAround, storedQuote, storedTicks, storedTrade } from './stored-ticks.ts'
import { barsOf, storedBars } from './symbol-bars.ts'
import type { Ticks } from './ticks.ts'

/** All that is stored of one symbol. */
export type StoredSymbol = {
  readonly asset: Asset
  readonly trades: Ticks<Trade>
  readonly quotes: Ticks<QuoteTick>
  /** The first and the last instant there is anything of. */
  readonly first: Instant
  readonly last: Instant
  bars(query: BarQuery): Iterable<Bar>
  /** Blocks of stored rows where those are the bars asked for. */
  storedBars(query: BarQuery): Iterable<Slice> | undefined
}

/**
 * What is not stored is made of what is: trades of the finest bars, quotes of trades, bars of shorter bars or of
 * trades.
 */
export function storedSymbol(asset: Asset, all: readonly Series[], seed: string): StoredSymbol {
  const bars = barSeries(all)
  const trades = all.find(({ kind }) => kind === 'trades')
  const quotes = all.find(({ kind }) => kind === 'quotes')
  const ownTrades = trades
    ? storedTicks(trades, storedTrade)
    : bars[0]
      ? pathTicks(bars[0], asset, seed)
      : nothing<Trade>()
  const sources = { asset, bars, trades: trades && ownTrades }
  return {
    asset,
    trades: ownTrades,
    quotes: quotes ? storedTicks(quotes, storedQuote) : quotesAround(ownTrades, asset),
    first: least(all.map(({ first }) => first)),
    last: greatest(all.map(({ last }) => last)),
    bars: (query) => barsOf(sources, query),
    storedBars: (query) => storedBars(sources, query),
  }
}

const nothing = <Tick>(): Ticks<Tick> => ({ list: () => [] })
const least = (instants: readonly Instant[]): Instant => instants.reduce((a, b) => (a < b ? a : b))
const greatest = (instants: readonly Instant[]): Instant => instants.reduce((a, b) => (a > b ? a : b))

/** Trades made of bars, each by its path. */
const pathTicks = ({ series, frame }: BarSeries, asset: Asset, seed: string): Ticks<Trade> => ({
  *list(from, to, sort, isWanted) {
    const zone = zoneOf(asset.class)
    // A bar that began before the range may reach into it; a day's trades begin hours after its start.
    const early = (from - lengthOf(frame) - DAY_NS) as Instant
    for (const { rows, start, end } of series.slices({ from: early, to }, sort))
      for (let step = 0; step < end - start; step++) {
        const row = sort === 'asc' ? start + step : end - 1 - step
        const span = tradedIn(instantAt(rows, row), frame, zone)
        if (!span || span.end <= from || span.start > to) continue
        const bar = knownBar(storedBar(rows, row, zone), span)
        if (isWanted?.(bar.low, bar.high) === false) continue
        const path = barPath(bar, asset, seed)
        for (const trade of sort === 'asc' ? path : path.toReversed())
          if (trade.at >= from && trade.at <= to) yield trade
      }
  },
})

const DAY_NS = 86_400_000_000_000n

const knownBar = ({ open, high, low, close, volume }: Bar, span: Span): KnownBar => ({
  ...span,
  open: billionths(open),
  high: billionths(high),
  low: billionths(low),
  close: billionths(close),
  volume: billionths(volume),
})
