import { divide, type Money, max, type Price, type Quantity, share, UNIT, worthOf } from '../amount.ts'
import type { Ticker } from '../ids.ts'
import { isPair, type MarginTerms } from '../market/asset.ts'
import { ASSETS } from '../market/assets.ts'

/**
 * What must be kept of a position's value, in percent, so that it may stay:
 *   long    below $2.50 all of it; up to $6 a half; above 30 %; a fund of twice its index 50 %, of thrice 75 %
 *   short   below $5 all of it and at least $2.50 a share; from $5 on 30 % and at least $5 a share; such funds as above
 *   what has no margin (coins, and assets that say so): all of it
 * To open it takes a half, or all where there is no margin.
 */
export const INITIAL_PERCENT = 50n

const DOLLAR = 1_000_000_000n
const LONG_ALL_BELOW = (DOLLAR * 5n) / 2n
const LONG_HALF_UP_TO = 6n * DOLLAR
const SHORT_CHEAP_BELOW = 5n * DOLLAR
const SHORT_CHEAP_MIN = ((DOLLAR * 5n) / 2n) as Price
const SHORT_MIN = (5n * DOLLAR) as Price
const USUAL_PERCENT = 30n

const LEVERAGE_PERCENT = { 2: 50n, 3: 75n } as const

/** The least that is asked of an asset at any price, in percent. */
export function leastPercent({ marginable, leverage }: MarginTerms): bigint {
  if (!marginable) return 100n
  return leverage ? LEVERAGE_PERCENT[leverage] : USUAL_PERCENT
}

/** Of a symbol that no market lists any more: as the built-in list has it. */
export function builtInPercent(symbol: Ticker): bigint {
  const asset = ASSETS.get(symbol)
  if (asset) return leastPercent(asset)
  return isPair(symbol) ? 100n : USUAL_PERCENT
}

/** In percent, of a long position at this price. */
export function longPercent(least: bigint, price: bigint): bigint {
  if (price > LONG_HALF_UP_TO) return least
  return max(price < LONG_ALL_BELOW ? 100n : 50n, least)
}

/** In percent, of a short at this price, rounded up: also what at least must be kept of each share. */
export function shortPercent(least: bigint, price: Price): bigint {
  return divide(shortMaintenance(least, price, UNIT as Quantity) * 100n, price, 'up')
}

/** What a short of this size, a positive number, must keep at this price. */
export function shortMaintenance(least: bigint, price: Price, size: Quantity): Money {
  const isCheap = price < SHORT_CHEAP_BELOW
  const percent = isCheap ? 100n : least
  const forShares = worthOf(isCheap ? SHORT_CHEAP_MIN : SHORT_MIN, size, 'up')
  return max(forShares, share(worthOf(price, size, 'up'), percent, 100n, 'up'))
}
