import { CENT, divide, max, type Price, toPrice, UNIT } from '../amount.ts'

/**
 * Prices of a dollar or more step by a cent, lower prices by a hundredth of a cent. The minimum is one step.
 */
const SMALL = 100_000n

export function roundToTick(price: Price, rounding: 'up' | 'down'): Price {
  const step = price >= UNIT ? CENT : SMALL
  return toPrice(max(divide(price, step, rounding) * step, step))
}
