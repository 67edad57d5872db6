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
  /** Funds report no earnings, and move almost as their factors do. */
  readonly isFund?: boolean
  /** Whose movement it takes part in beside the market's: a sector, and themes. */
  readonly sector?: string
  readonly themes?: readonly Theme[]
  /** The symbol that it tracks; absent means none. */
  readonly follows?: Follows
  /** The day, since 1970-01-01, of its first trade; absent means that it has traded from the start. */
  readonly inception?: number
  /** The day, since 1970-01-01, at whose close it has its base price; absent means that of all. */
  readonly anchor?: number
  /** When it trades; absent means at the hours of New York. */
  readonly pace?: Pace
  /** The size of a round lot; absent means 100. */
  readonly roundLot?: number
}

/** A factor beside market and sector, and how much of its movement a symbol takes, if not as much as fits. */
export type Theme = { readonly name: string; readonly load?: number }

/** A follower's days are the leader's, so many times; with 1 it keeps the leader's price, up to a slack. */
export type Follows = {
  readonly leader: Ticker
  readonly times: number
  /** A year, in parts of 1. */
  readonly fee: number
  /** How far the ratio to the leader swings, in parts of 1. */
  readonly slack: number
}

/** New York's trading days, or every day of the year around the clock, counted in UTC. */
export type Pace = 'newYork' | 'roundTheClock'
