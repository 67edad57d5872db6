import type { BarColumns } from './bar-columns.ts'
import { instantOfMicros } from './micros.ts'
import type { Bar } from './tape.ts'

/**
 * A time span of the tape in integers, so that folds are exact in any order: prices in ticks, volume in lots,
 * turnover as the sum of price times size.
 */
export type Span = {
  /** Microseconds since 1970. */
  readonly start: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  readonly trades: number
  readonly turnover: number
}

/** A trading day: prices of its regular session, volume and trades of all its minutes. */
export type DaySpan = Span & {
  /** Volume of the regular session, to which the turnover belongs. */
  readonly priced: number
}

/** Joins two spans; the first is earlier. */
export function joinSpans(first: Span | undefined, second: Span | undefined): Span | undefined {
  if (!first || !second) return first ?? second
  return {
    start: first.start,
    open: first.open,
    high: Math.max(first.high, second.high),
    low: Math.min(first.low, second.low),
    close: second.close,
    volume: first.volume + second.volume,
    trades: first.trades + second.trades,
    turnover: first.turnover + second.turnover,
  }
}

/** Ticks per dollar, and lots per share or coin. */
export type Scale = { readonly ticks: number; readonly lots: number }

const ONE = 1_000_000_000n
export const scaleOf = ({ tick, lot }: { readonly tick: bigint; readonly lot: bigint }): Scale => ({
  ticks: Number(ONE / tick),
  lots: Number(ONE / lot),
})

/** Converts a span to a bar. `priced` is the volume that the turnover belongs to. */
export function barOf(span: Span, start: number, { ticks, lots }: Scale, priced = span.volume): Bar {
  return {
    start: instantOfMicros(start),
    open: span.open / ticks,
    high: span.high / ticks,
    low: span.low / ticks,
    close: span.close / ticks,
    volume: span.volume / lots,
    trades: span.trades,
    vwap: priced === 0 ? 0 : sixDecimals(span.turnover / priced / ticks),
  }
}

/** Appends a span as a row of columns. */
export function putBar(columns: BarColumns, span: Span, start: number, { ticks, lots }: Scale): void {
  const row = columns.count++
  columns.micros[row] = start
  columns.open[row] = span.open / ticks
  columns.high[row] = span.high / ticks
  columns.low[row] = span.low / ticks
  columns.close[row] = span.close / ticks
  columns.volume[row] = span.volume / lots
  columns.trades[row] = span.trades
  columns.vwap[row] = span.volume === 0 ? 0 : sixDecimals(span.turnover / span.volume / ticks)
}

/** A span without trades, at the midpoint of its quote. */
export const quietAt = (price: number, start: number): Span => ({
  start,
  open: price,
  high: price,
  low: price,
  close: price,
  volume: 0,
  trades: 0,
  turnover: 0,
})

export const sixDecimals = (value: number): number => Math.round(value * 1_000_000) / 1_000_000
