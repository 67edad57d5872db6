import { instantOfMicros } from './micros.ts'
import type { Bar } from './tape.ts'

/**
 * A stretch of the tape in whole numbers, so that any two ways of folding it agree to the last digit: prices in
 * ticks, volume in shares, turnover as the sum of price times size.
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

/** Two stretches as one; the first came first. */
export function join(first: Span | undefined, second: Span | undefined): Span | undefined {
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

/** A stretch as a bar with a start of its own. `priced` is the volume behind the turnover, if not all of it. */
export function barOf(span: Span, start: number, ticksPerDollar: number, priced = span.volume): Bar {
  return {
    start: instantOfMicros(start),
    open: span.open / ticksPerDollar,
    high: span.high / ticksPerDollar,
    low: span.low / ticksPerDollar,
    close: span.close / ticksPerDollar,
    volume: span.volume,
    trades: span.trades,
    vwap: sixPlaces(span.turnover / priced / ticksPerDollar),
  }
}

export const sixPlaces = (value: number): number => Math.round(value * 1_000_000) / 1_000_000
