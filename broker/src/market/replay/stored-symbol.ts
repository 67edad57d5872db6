import {
  type Asset,
  type Bar,
  type BarQuery,
  earlier,
  type Instant,
  type QuoteTick,
  type Trade,
  zoneOf,
} from '@quipu/core'
import { instantAt, type SeriesRows, type Slice } from '../store/index.ts'
import { barPath, type KnownBar } from './bar-path.ts'
import { type BarSpan, lengthOf, tradedIn } from './bar-span.ts'
import { type BarSeries, barSeries } from './frames.ts'
import { storedBar } from './stored-bars.ts'
import { billionths, quotesAround, storedQuote, storedTicks, storedTrade } from './stored-ticks.ts'
import { storedBars, symbolBars } from './symbol-bars.ts'
import type { Ticks } from './ticks.ts'

/** All stored data of one symbol. */
export type StoredSymbol = {
  readonly asset: Asset
  readonly trades: Ticks<Trade>
  readonly quotes: Ticks<QuoteTick>
  /** The first and the last instant with data. */
  readonly first: Instant
  readonly last: Instant
  bars(query: BarQuery): Iterable<Bar>
  /** Blocks of stored rows, if the requested bars are stored. */
  storedBars(query: BarQuery): Iterable<Slice> | undefined
}

/** Missing data is derived: trades from the finest bars, quotes from trades, bars from shorter bars or trades. */
export function storedSymbol(asset: Asset, all: readonly SeriesRows[], seed: string): StoredSymbol {
  const bars = barSeries(all)
  const trades = all.find(({ kind }) => kind === 'trades')
  const quotes = all.find(({ kind }) => kind === 'quotes')
  const allTrades = trades
    ? storedTicks(trades, storedTrade)
    : bars[0]
      ? pathTicks(bars[0], asset, seed)
      : nothing<Trade>()
  const sources = { asset, bars, trades: trades && allTrades }
  return {
    asset,
    trades: allTrades,
    quotes: quotes ? storedTicks(quotes, storedQuote) : quotesAround(allTrades, asset),
    first: least(all.map(({ first }) => first)),
    last: greatest(all.map(({ last }) => last)),
    bars: (query) => symbolBars(sources, query),
    storedBars: (query) => storedBars(sources, query),
  }
}

const nothing = <Tick>(): Ticks<Tick> => ({ list: () => [] })
const least = (instants: readonly Instant[]): Instant => instants.reduce((a, b) => (a < b ? a : b))
const greatest = (instants: readonly Instant[]): Instant => instants.reduce((a, b) => (a > b ? a : b))

/** Trades derived from bars, each by its path. */
const pathTicks = ({ series, frame }: BarSeries, asset: Asset, seed: string): Ticks<Trade> => ({
  *list(from, to, sort, isWanted) {
    const zone = zoneOf(asset.class)
    // A bar that started before the range may reach into it; trades of a day start hours after its start.
    const early = earlier(from, lengthOf(frame) + DAY_NS)
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

const knownBar = ({ open, high, low, close, volume }: Bar, span: BarSpan): KnownBar => ({
  ...span,
  open: billionths(open),
  high: billionths(high),
  low: billionths(low),
  close: billionths(close),
  volume: billionths(volume),
})
