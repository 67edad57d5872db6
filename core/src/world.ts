import type { FeeSetting } from './account/fee-rates.ts'
import type { Money } from './amount.ts'
import type { Ticker } from './ids.ts'
import type { AddedSymbol } from './market/added.ts'
import type { ImportedSeries } from './market/imported.ts'
import type { MarketEvent } from './market/market-event.ts'

/** `nyse`: New York sessions. `always`: the market trades, and orders work, at any time. */
export type Hours = 'nyse' | 'always'

/**
 * Size of fills. `unlimited`: an order that a quote reaches is filled completely. `displayed`: each quote's
 * displayed size is used up once, by time priority.
 */
export type FillSize = 'unlimited' | 'displayed'

/** Settings of a world, recorded in its first event. */
export type WorldSettings = {
  readonly seed: string
  readonly hours: Hours
  readonly fillSize: FillSize
  /** From an order's acceptance until the market has it. 0: it works in the next step. */
  readonly latencyNs: bigint
  readonly startingCash: Money
  /** Default: United States rates. */
  readonly fees?: FeeSetting
  /** Restricts the world to these symbols; default: all. */
  readonly symbols?: readonly Ticker[]
  /** Custom symbols from the start, beside the built-in ones. */
  readonly added?: readonly AddedSymbol[]
  readonly marketEvents?: readonly MarketEvent[]
  /** `replay`: only imported data. Default: the synthetic market. */
  readonly market?: 'synthetic' | 'replay'
  /** The imported series of a replay world. */
  readonly importedData?: readonly ImportedSeries[]
}
