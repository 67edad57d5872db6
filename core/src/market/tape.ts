import type { Price, Quantity } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import type { Instant } from '../time.ts'
import type { Frame } from './frame.ts'

/** A span of the tape. Plain numbers in dollars and shares, as charts want them; a bar is never money. */
export type Bar = {
  readonly start: Instant
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  readonly trades: number
  /** Rounded to six places. */
  readonly vwap: number
}

export type Trade = {
  readonly at: Instant
  readonly price: Price
  readonly size: Quantity
  /** Who crossed the spread. */
  readonly side: 'buy' | 'sell'
  /** Unique per symbol, rising with time. */
  readonly id: number
  /** Letters of the exchange and of the consolidated tape. */
  readonly exchange: string
  readonly tape: 'A' | 'B' | 'C'
  readonly conditions: readonly string[]
}

/** Which bars, in which order. Both ends are inclusive and are compared with the starts of the bars. */
export type BarQuery = {
  readonly symbol: Ticker
  readonly frame: Frame
  readonly from: Instant
  readonly to: Instant
  /** How far the tape has come: what lies behind it does not exist yet; a running bar is made of finished minutes. */
  readonly now: Instant
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  /** The start of the last bar of the page before. */
  readonly after?: Instant
}
