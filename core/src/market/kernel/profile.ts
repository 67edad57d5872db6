import type { Ticker } from '../../ids.ts'

/** What makes one symbol's tape different from another's. */
export type Profile = {
  readonly symbol: Ticker
  /** In ticks, at the close of the anchor day. */
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
  /** Whose movement it takes part in beside the market's. */
  readonly sector?: string
  /** The day, since 1970-01-01, at whose close it has its base price; absent means that of all. */
  readonly anchor?: number
  /** When it trades; absent means at the hours of New York. */
  readonly pace?: Pace
  /** The size of a round lot; absent means 100. */
  readonly roundLot?: number
}

/** New York's trading days, or every day of the year around the clock, counted in UTC. */
export type Pace = 'newYork' | 'roundTheClock'
