import { CENT, divide, type Price, UNIT } from '../../amount.ts'
import type { Side } from '../order.ts'
import type { OrderTerms } from '../terms.ts'

/** 100 percent in billionths of a percent. */
const WHOLE = 100n * UNIT

/** The stop of a trailing order: below the highest price for a sell, above the lowest for a buy. */
export function trailingStopPrice(
  side: Side,
  best: Price,
  { trailPrice, trailPercent }: Pick<OrderTerms, 'trailPrice' | 'trailPercent'>,
): Price {
  const trail = trailPrice ?? divide(best * (trailPercent ?? 0n), WHOLE, 'nearest')
  return (side === 'sell' ? best - trail : best + trail) as Price
}

const FIFTY = 50n * UNIT

/**
 * The maximum an elected buy stop pays: 4 % above a stop below 50 dollars, otherwise 2.5 %; in whole cents.
 */
export function buyStopMax(stop: Price): Price {
  const most = stop < FIFTY ? divide(stop * 104n, 100n, 'down') : divide(stop * 1025n, 1000n, 'down')
  return (stop < UNIT ? most : most - (most % CENT)) as Price
}
