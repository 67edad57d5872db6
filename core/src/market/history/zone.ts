import { newYorkDayOfSeconds, newYorkSeconds } from '../../time.ts'
import type { AssetClass } from '../assets/asset.ts'
import { SECOND_MICROS } from './micros.ts'

/** Time zone of a tape's days: New York for stocks, UTC for crypto. */
export type Zone = 'newYork' | 'utc'

export const zoneOf = (assetClass: AssetClass): Zone => (assetClass === 'crypto' ? 'utc' : 'newYork')

const DAY_SECONDS = 86_400

/** The day (since 1970-01-01) that contains a microsecond. */
export function dayIn(zone: Zone, micros: number): number {
  const seconds = micros / SECOND_MICROS
  return zone === 'newYork' ? newYorkDayOfSeconds(seconds) : Math.floor(seconds / DAY_SECONDS)
}

/** A minute of a day, in microseconds since 1970. */
export function minuteIn(zone: Zone, day: number, minute: number): number {
  return (zone === 'newYork' ? newYorkSeconds(day, minute) : day * DAY_SECONDS + minute * 60) * SECOND_MICROS
}

export const midnightIn = (zone: Zone, day: number): number => minuteIn(zone, day, 0)
