import { exponential } from './factors/exponential.ts'
import type { Profile } from './profile.ts'

/** No price falls below this many ticks (one dollar). */
export const PRICE_MIN = 100

/** Converts levels to prices. The floor supports low prices; the base price is unchanged. */
export function ticksOver({ symbol, basePrice }: Profile): (level: number) => number {
  if (!(basePrice > PRICE_MIN)) throw new Error(`bug: ${symbol} has no base price above the floor`)
  const floor = PRICE_MIN * PRICE_MIN
  const above = basePrice * basePrice - floor
  return (level) => Math.round(Math.sqrt(above * exponential(2 * level) + floor))
}
