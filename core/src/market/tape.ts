import type { Price, Quantity } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import type { Instant } from '../time.ts'
import type { Frame } from './frame.ts'
import type { Quote } from './prices.ts'

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

/** The tape that a trade or a quote is reported on; crypto has none. */
export type TapeLetter = 'A' | 'B' | 'C' | 'N' | 'O' | ''

export type Trade = {
  readonly at: Instant
  readonly price: Price
  readonly size: Quantity
  /** Who crossed the spread. */
  readonly side: 'buy' | 'sell'
  /** Unique per symbol; trades of one instant are ordered by it. */
  readonly id: number
  /** The letter of the exchange; empty for crypto. */
  readonly exchange: string
  readonly tape: TapeLetter
  readonly conditions: readonly string[]
  /** When it was told, if that was long after it was made: until then nobody knew of it. */
  readonly reportedAt?: Instant
  /** What became of it since; one that was canceled or was incorrect counts in no bar. */
  readonly update?: 'canceled' | 'incorrect' | 'corrected'
}

/** A quote as it stands in a list: a quote may come again within one instant, so it has an id as a trade has. */
export type QuoteTick = Quote & { readonly id: number }

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

/** Where a page of trades, quotes or events ended. */
export type TickCursor = { readonly at: Instant; readonly id: number }

/** Which trades, quotes or events, in which order. Both ends are inclusive. */
export type TickQuery = {
  readonly symbol: Ticker
  readonly from: Instant
  readonly to: Instant
  /** How far the tape has come: what was not reported by then does not exist yet. */
  readonly now: Instant
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  /** The last item of the page before. */
  readonly after?: TickCursor
}
