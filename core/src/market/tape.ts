import type { Price, Quantity } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import type { Instant } from '../time.ts'
import type { Frame } from './frame.ts'
import type { Quote } from './prices.ts'

/** A bar in plain numbers of dollars and shares, for charts; never used as money. */
export type Bar = {
  readonly start: Instant
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  readonly trades: number
  /** Rounded to six decimals. */
  readonly vwap: number
}

/** The tape that a trade or quote is reported on; empty for crypto. */
export type TapeLetter = 'A' | 'B' | 'C' | 'N' | 'O' | ''

export type Trade = {
  readonly at: Instant
  readonly price: Price
  readonly size: Quantity
  /** The side that crossed the spread. */
  readonly side: 'buy' | 'sell'
  /** Unique per symbol; orders trades of one instant. */
  readonly id: number
  /** Code of the exchange; empty for crypto. */
  readonly exchange: string
  readonly tape: TapeLetter
  readonly conditions: readonly string[]
  /** Time of the report, if the trade was reported late; unknown until then. */
  readonly reportedAt?: Instant
  /** Later corrections; canceled and incorrect trades are excluded from bars. */
  readonly update?: 'canceled' | 'incorrect' | 'corrected'
}

/** A quote in a list. The same quote may repeat within one instant, so it has an id like a trade. */
export type QuoteTick = Quote & { readonly id: number }

/** Both ends are inclusive and are compared with the starts of the bars. */
export type BarQuery = {
  readonly symbol: Ticker
  readonly frame: Frame
  readonly from: Instant
  readonly to: Instant
  /** Later data does not exist yet; an unfinished bar contains only finished minutes. */
  readonly now: Instant
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  /** The start of the last bar of the previous page. */
  readonly after?: Instant
}

/** Position at which a page of trades, quotes or events ended. */
export type TickCursor = { readonly at: Instant; readonly id: number }

/** Both ends are inclusive. */
export type TickQuery = {
  readonly symbol: Ticker
  readonly from: Instant
  readonly to: Instant
  /** Data reported later does not exist yet. */
  readonly now: Instant
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  /** The last item of the previous page. */
  readonly after?: TickCursor
}
