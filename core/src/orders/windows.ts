import { session } from '../market/calendar.ts'
import { fromNewYork, type Instant, MINUTE, newYorkDate } from '../time.ts'
import type { WorldSettings } from '../world.ts'
import type { TimeInForce } from './order.ts'

export type WindowRefusal =
  | { readonly code: 'tooLateForOpen' }
  | { readonly code: 'tooLateForClose'; readonly before: string }

/** From this minute of the day in New York, orders for the next day's auctions are accepted. */
const NEXT_DAY_MINUTE = 19 * 60
const OPG_MINUTES = 2n
const CLS_MINUTES = 10n

/**
 * On a trading day, auction orders are accepted until shortly before the auction, and in the evening for the
 * next day. In `always` hours they are accepted at any time.
 */
export function windowFault(
  { hours }: WorldSettings,
  timeInForce: TimeInForce,
  at: Instant,
): WindowRefusal | undefined {
  if (hours === 'always' || (timeInForce !== 'opg' && timeInForce !== 'cls')) return undefined
  const today = session(newYorkDate(at))
  if (!today || at >= fromNewYork(today.date, NEXT_DAY_MINUTE)) return undefined
  if (timeInForce === 'opg') return at < today.open - OPG_MINUTES * MINUTE ? undefined : TOO_LATE_FOR_OPEN
  if (at < today.close - CLS_MINUTES * MINUTE) return undefined
  return { code: 'tooLateForClose', before: today.isEarly ? '12:50pm' : '3:50pm' }
}

const TOO_LATE_FOR_OPEN = { code: 'tooLateForOpen' } as const
