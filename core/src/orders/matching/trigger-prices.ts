import { CENT, divide, type Price, toPrice, UNIT } from '../../amount.ts'
import type { Side } from '../order.ts'
import type { OrderTerms } from '../terms.ts'

/** 100 percent in billionths of a percent. */
const WHOLE = 100n * UNIT

/** The distance of a trailing stop from the best price. */
export type Trail = { readonly trailPrice: Price } | { readonly trailPercent: bigint }

/** The trail of an order's terms, if they have one. */
export function trailOf({ trailPrice, trailPercent }: TrailTerms): Trail | undefined {
  if (trailPrice !== undefined) return { trailPrice }
  return trailPercent === undefined ? undefined : { trailPercent }
}

type TrailTerms = Pick<OrderTerms, 'trailPrice' | 'trailPercent'>

/** The stop of a trailing order: below the highest price for a sell, above the lowest for a buy. */
export function trailingStopPrice(side: Side, best: Price, { trailPrice, trailPercent }: TrailTerms): Price {
  const trail = trailPrice ?? divide(best * (trailPercent ?? 0n), WHOLE, 'nearest')
  return toPrice(side === 'sell' ? best - trail : best + trail)
}

const FIFTY = 50n * UNIT

/**
 * The maximum an elected buy stop pays: 4 % above a stop below 50 dollars, otherwise 2.5 %; in whole cents.
 */
export function buyStopMax(stop: Price): Price {
  const most = stop < FIFTY ? divide(stop * 104n, 100n, 'down') : divide(stop * 1025n, 1000n, 'down')
  return toPrice(stop < UNIT ? most : most - (most % CENT))
}
