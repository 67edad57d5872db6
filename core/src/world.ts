import type { FeeSetting } from './account/fee-rates.ts'
import type { Money } from './amount.ts'
import type { Ticker } from './ids.ts'
import type { AddedSymbol } from './market/added.ts'
import type { ImportedSeries } from './market/imported.ts'
import type { MarketEvent } from './market/market-event.ts'

/** `nyse`: New York sessions. `always`: the tape goes on outside them and orders are worked at any time. */
export type Hours = 'nyse' | 'always'

/**
 * How fills are sized: `unlimited` fills whatever the quote reaches, whole; `displayed` gives each quote's shown
 * size away once, first come first served.
 */
export type FillSize = 'unlimited' | 'displayed'

/** What makes one world different from another. Journaled as the world's first event. */
export type WorldSettings = {
  readonly seed: string
  readonly hours: Hours
  readonly fillSize: FillSize
  /** From an order's acceptance until the market has it. 0 works it in the next turn. */
  readonly latencyNs: bigint
  readonly startingCash: Money
  /** Absent: as in the United States. */
  readonly fees?: FeeSetting
  /** Restricts the world to these tickers; absent means all of the market's. */
  readonly symbols?: readonly Ticker[]
  /** Listed from the start, beside the market's own. */
  readonly added?: readonly AddedSymbol[]
  readonly marketEvents?: readonly MarketEvent[]
  /** `replay`: nothing but imported data. Absent: the synthetic market. */
  readonly market?: 'synthetic' | 'replay'
  /** The imported series of a replay world. */
  readonly importedData?: readonly ImportedSeries[]
}
