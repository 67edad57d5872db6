import {
  divide,
  type Money,
  max,
  type Price,
  type Quantity,
  share,
  toPrice,
  toQuantity,
  UNIT,
  worthOf,
} from '../amount.ts'
import type { Ticker } from '../ids.ts'
import { isPair, type MarginTerms } from '../market/assets/asset.ts'
import { builtInListing } from '../market/assets/assets.ts'

/**
 * Maintenance margin, in percent of a position's value:
 *   long    below $2.50: 100 %; up to $6: 50 %; above: 30 %; 2x leveraged funds 50 %, 3x funds 75 %
 *   short   below $5: 100 %, at least $2.50 a share; from $5: 30 %, at least $5; leveraged funds as above
 *   non-marginable assets (crypto, and assets flagged so): 100 %
 * Initial margin is 50 %, or 100 % for non-marginable assets.
 */
export const INITIAL_PERCENT = 50n

const DOLLAR = 1_000_000_000n
const LONG_ALL_BELOW = (DOLLAR * 5n) / 2n
const LONG_HALF_UP_TO = 6n * DOLLAR
const SHORT_CHEAP_BELOW = 5n * DOLLAR
const SHORT_CHEAP_MIN = toPrice((DOLLAR * 5n) / 2n)
const SHORT_MIN = toPrice(5n * DOLLAR)
const USUAL_PERCENT = 30n

const LEVERAGE_PERCENT = { 2: 50n, 3: 75n } as const

/** The minimum maintenance percentage of an asset at any price. */
export function minimumPercent({ marginable, leverage }: MarginTerms): bigint {
  if (!marginable) return 100n
  return leverage ? LEVERAGE_PERCENT[leverage] : USUAL_PERCENT
}

/** For a symbol that is no longer listed: the percentage of the built-in list. */
export function builtInPercent(symbol: Ticker): bigint {
  const asset = builtInListing().assets.get(symbol)
  if (asset) return minimumPercent(asset)
  return isPair(symbol) ? 100n : USUAL_PERCENT
}

/** Maintenance percentage of a long position at this price. */
export function longPercent(minimum: bigint, price: bigint): bigint {
  if (price > LONG_HALF_UP_TO) return minimum
  return max(price < LONG_ALL_BELOW ? 100n : 50n, minimum)
}

/** Maintenance percentage of a short at this price, rounded up; includes the minimum per share. */
export function shortPercent(minimum: bigint, price: Price): bigint {
  return divide(shortMaintenance(minimum, price, toQuantity(UNIT)) * 100n, price, 'up')
}

/** Maintenance margin of a short. `size` is positive. */
export function shortMaintenance(minimum: bigint, price: Price, size: Quantity): Money {
  const isCheap = price < SHORT_CHEAP_BELOW
  const percent = isCheap ? 100n : minimum
  const forShares = worthOf(isCheap ? SHORT_CHEAP_MIN : SHORT_MIN, size, 'up')
  return max(forShares, share(worthOf(price, size, 'up'), percent, 100n, 'up'))
}
