import type { UTCTimestamp } from 'lightweight-charts'

/** A bar for drawing: numbers, not amounts. */
export type ChartBar = {
  /** Start of the interval. */
  readonly atMs: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  readonly vwap: number
}

/** The time of a bar, as the chart library has it. */
export const timeOf = (atMs: number): UTCTimestamp => (atMs / 1000) as UTCTimestamp
