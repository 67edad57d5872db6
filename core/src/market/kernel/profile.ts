import type { Ticker } from '../../ids.ts'

/** Parameters of a symbol's generated tape. */
export type Profile = {
  readonly symbol: Ticker
  /** In ticks, at the close of the anchor day. */
  readonly basePrice: number
  /** Of the regular session of an average day. */
  readonly volume: number
  readonly trades: number
  /** Standard deviation of a year's log return. */
  readonly volatility: number
  /** Load on the market factor. */
  readonly beta: number
  /** In basis points of the price. */
  readonly spread: number
  /** Maximum round lots at the best price. */
  readonly depth: number
  /** Funds have no earnings reports and little idiosyncratic movement. */
  readonly isFund?: boolean
  /** Further factors that influence it: a sector and themes. */
  readonly sector?: string
  readonly themes?: readonly Theme[]
  /** The symbol that it tracks, if any. */
  readonly follows?: Follows
  /** Day (since 1970-01-01) of its first trade; default: the start of the tape. */
  readonly inception?: number
  /** Day (since 1970-01-01) at whose close it has its base price; default: the common anchor. */
  readonly anchor?: number
  /** Trading hours; default New York. */
  readonly pace?: Pace
  /** Default 100. */
  readonly roundLot?: number
}

/** Profiles by symbol. */
export type Profiles = { get(symbol: Ticker): Profile | undefined }

/** A factor beside market and sector. Without a load, the load is derived from the volatility. */
export type Theme = { readonly name: string; readonly load?: number }

/**
 * The leader's daily return, multiplied by `times`. With 1, the symbol keeps the leader's price, except for a
 * tracking difference.
 */
export type Follows = {
  readonly leader: Ticker
  readonly times: number
  /** Per year, as a fraction. */
  readonly fee: number
  /** Amplitude of the tracking difference, as a fraction. */
  readonly slack: number
}

/** New York trading days, or every day around the clock in UTC. */
export type Pace = 'newYork' | 'roundTheClock'
