import type { Price, Quantity } from '../../amount.ts'
import type { CivilDate } from '../../civil-date.ts'
import type { Ticker } from '../../ids.ts'
import type { Instant } from '../../time.ts'
import type { Quote } from '../prices.ts'
import type { BarFrame } from './frame.ts'

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
  readonly frame: BarFrame
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

/** One print of an opening or closing auction. */
export type Auction = {
  readonly at: Instant
  readonly price: Price
  readonly size: Quantity
  readonly exchange: string
  /** `O` and `Q` (official) for the open; `6` and `M` for the close. */
  readonly condition: 'O' | 'Q' | '6' | 'M'
}

/** The auctions of a trading day that have taken place so far. */
export type DailyAuctions = {
  readonly date: CivilDate
  readonly open: readonly Auction[]
  readonly close: readonly Auction[]
}

/** Both ends are inclusive; a day counts once against the limit. */
export type AuctionQuery = {
  readonly symbol: Ticker
  readonly from: CivilDate
  readonly to: CivilDate
  readonly now: Instant
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  /** The last day of the previous page. */
  readonly after?: CivilDate
}

/** Events of a symbol beside trades and quotes, each at its time. */
export type TapeMessage = {
  /** Time of publication. */
  readonly at: Instant
  /** Unique per symbol; orders events of one instant. */
  readonly id: number
} & (TradingStatus | PriceBands | Imbalance | LateTrade | TradeCorrection | TradeCancel | UpdatedBar)

/** Trading halts or resumes. Codes and texts are those of the tape. */
export type TradingStatus = {
  readonly kind: 'status'
  readonly code: string
  readonly message: string
  readonly reason: string
  readonly reasonMessage: string
  readonly tape: TapeLetter
}

/** Limit up, limit down: the allowed price band. */
export type PriceBands = {
  readonly kind: 'luld'
  readonly up: Price
  readonly down: Price
  readonly indicator: string
  readonly tape: TapeLetter
}

/** Before an auction: its indicative price. */
export type Imbalance = { readonly kind: 'imbalance'; readonly price: Price; readonly tape: TapeLetter }

/** A trade reported long after it was made, with its original time. */
export type LateTrade = { readonly kind: 'lateTrade'; readonly trade: Trade }

/** The trade before and after a correction. */
export type CorrectedTrade = {
  readonly id: number
  readonly price: Price
  readonly size: Quantity
  readonly conditions: readonly string[]
}
export type TradeCorrection = {
  readonly kind: 'correction'
  readonly exchange: string
  readonly tape: TapeLetter
  readonly original: CorrectedTrade
  readonly corrected: CorrectedTrade
}

/** A canceled trade: canceled, or an error. */
export type TradeCancel = { readonly kind: 'cancel'; readonly trade: Trade; readonly action: 'C' | 'E' }

/** A minute bar that was published before and has changed. */
export type UpdatedBar = { readonly kind: 'updatedBar'; readonly bar: Bar }
