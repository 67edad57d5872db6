import type { Price, Quantity } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import type { CivilDate, Instant } from '../time.ts'

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
