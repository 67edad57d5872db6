import type { Span } from '../span.ts'

/** A stretch of a segment that can be halved again and again. */
export type Node = Span & {
  /** Excluded. */
  readonly end: number
  readonly key: number
  /** The key of the same stretch of the market, for what all symbols have in common. */
  readonly marketKey: number
  /** Standard deviation, in ticks, of a walk as long as this one. */
  readonly deviation: number
  /** What was made of it so far. */
  halves: Halves | undefined
  prints: Prints | undefined
}
export type Halves = readonly [Node | undefined, Node | undefined]

/** The trades of a stretch, oldest first: microseconds since 1970 (rising), ticks, shares. */
export type Prints = {
  readonly at: readonly number[]
  readonly price: readonly number[]
  readonly size: readonly number[]
}

/** A node in the making. */
export type Draft = { -readonly [Key in keyof Node]: Node[Key] }

export function draft(start: number, end: number, key: number, marketKey: number): Draft {
  return {
    start,
    end,
    key,
    marketKey,
    deviation: 0,
    open: 0,
    high: 0,
    low: 0,
    close: 0,
    volume: 0,
    trades: 0,
    turnover: 0,
    halves: undefined,
    prints: undefined,
  }
}

/** Up to so many trades a stretch is not halved but written out, trade by trade. */
export const WRITTEN_OUT = 16
/**
 * A half has no trades or at least so many: its open, close, high and low may each need one, and one more of a
 * single share brings the turnover to the last tick.
 */
export const HALF_MIN = 5

/** Which turnovers a stretch of at least `HALF_MIN` trades can have: all from the least to the greatest. */
export function turnoverMin({ open, high, low, close, volume }: Span): number {
  const needsHigh = open !== high && close !== high
  return volume * low + (open - low) + (close - low) + (needsHigh ? high - low : 0)
}
export function turnoverMax({ open, high, low, close, volume }: Span): number {
  const needsLow = open !== low && close !== low
  return volume * high - (high - open) - (high - close) - (needsLow ? high - low : 0)
}

/** How far the average price of the shares lies above the middle between open and close. */
export const bulge = ({ open, close, turnover, volume }: Span): number =>
  turnover / volume - (open + close) / 2

/** The band in which the average of a walk with these ends and this extreme usually lies. */
export const averageMin = (open: number, close: number, low: number): number =>
  (Math.min(open, close) + low) / 2
export const averageMax = (open: number, close: number, high: number): number =>
  (Math.max(open, close) + high) / 2

export const clamp = (value: number, min: number, max: number): number =>
  value < min ? min : Math.min(value, max)
