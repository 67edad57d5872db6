import { divide, type Price, UNIT } from '../../amount.ts'
import type { Side, Trigger } from '../order.ts'

/** A hundred percent, in the billionths of a percent that trails are told in. */
const WHOLE = 100n * UNIT

/** Where a trailing stop stands behind the best price: below the highest for a sell, above the lowest for a buy. */
export function stopBehind(
  side: Side,
  best: Price,
  { trailPrice, trailPercent }: Pick<Trigger, 'trailPrice' | 'trailPercent'>,
): Price {
  const trail = trailPrice ?? divide(best * (trailPercent ?? 0n), WHOLE, 'nearest')
  return (side === 'sell' ? best - trail : best + trail) as Price
}

const FIFTY = 50n * UNIT
const CENT = 10_000_000n

/** The most an elected buy stop pays: 4 % above a stop below 50 dollars, 2.5 % above others; whole cents. */
export function buyStopMax(stop: Price): Price {
  const most = stop < FIFTY ? divide(stop * 104n, 100n, 'down') : divide(stop * 1025n, 1000n, 'down')
  return (stop < UNIT ? most : most - (most % CENT)) as Price
}
