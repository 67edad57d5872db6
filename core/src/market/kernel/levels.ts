import { exponential } from './factors/exponential.ts'
import type { Profile } from './profile.ts'

/** No price falls below this many ticks: a dollar, or a cent if the tick is a hundredth of a cent. */
export const PRICE_MIN = 100

/** Whether prices can be generated. */
export const isAboveFloor = ({ basePrice }: Pick<Profile, 'basePrice'>): boolean => basePrice > PRICE_MIN

/** Converts levels to prices. The floor supports low prices; the base price is unchanged. */
export function ticksOver(profile: Profile): (level: number) => number {
  const { symbol, basePrice } = profile
  if (!isAboveFloor(profile)) throw new Error(`bug: ${symbol} has no base price above the floor`)
  const floor = PRICE_MIN * PRICE_MIN
  const above = basePrice * basePrice - floor
  return (level) => Math.round(Math.sqrt(above * exponential(2 * level) + floor))
}
