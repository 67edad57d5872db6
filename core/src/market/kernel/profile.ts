import type { Ticker } from '../../ids.ts'

/** What makes one symbol's tape different from another's. */
export type Profile = {
  readonly symbol: Ticker
  /** In ticks, at the anchor day. */
  readonly basePrice: number
  /** Of the regular session of an average day. */
  readonly volume: number
  readonly trades: number
  /** Standard deviation of a year's log return. */
  readonly volatility: number
  /** How much of the market's movement it takes part in. */
  readonly beta: number
  /** Of the price, in ten thousandths. */
  readonly spread: number
  /** Round lots shown at the best price at most. */
  readonly depth: number
}
