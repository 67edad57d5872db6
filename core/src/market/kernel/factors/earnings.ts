import { dayOfParts, partsOfDay } from '../../../time.ts'
import { tradingDayAt, tradingDaysBefore } from '../../calendar.ts'
import { mix, normal, uniform } from '../dice.ts'

/** A company reports once a quarter: so many days, at least and at most, after the quarter began. */
const REPORT_MIN_DAYS = 13
const REPORT_SPAN_DAYS = 38
/** A report moves the price by so many of the company's own usual days. */
const JUMP = 3
const REPORT = 12

/** What of its own variance is left for the other days: four reports a year of 0.5 to 1.5 jumps. */
export const BETWEEN_REPORTS = 1 - (4 * JUMP * JUMP * 1.08) / 252

/** The jumps of the trading days from one to another, both included. They come before the open. */
export function earningsJumps(
  key: number,
  daily: number,
  from: number,
  to: number,
): ReadonlyMap<number, number> {
  const jumps = new Map<number, number>()
  const dice = mix(key, REPORT)
  const wait = REPORT_MIN_DAYS + Math.floor(REPORT_SPAN_DAYS * uniform(dice, 0))
  const first = tradingDayAt(Math.max(0, from))
  const last = tradingDayAt(to) ?? (first === undefined ? undefined : first + (to - from) * 2)
  if (first === undefined || last === undefined) return jumps
  const [start, end] = [quarterOf(first) - 1, quarterOf(last)]
  for (let quarter = start; quarter <= end; quarter++) {
    const day = dayOfParts(Math.floor(quarter / 4), 1 + 3 * (quarter % 4), 1) + wait
    const index = tradingDaysBefore(day)
    if (index < from || index > to || index === 0) continue
    jumps.set(index, JUMP * daily * (0.5 + uniform(dice, 2 * quarter)) * normal(dice, 2 * quarter + 1))
  }
  return jumps
}

function quarterOf(day: number): number {
  const { year, month } = partsOfDay(day)
  return 4 * year + Math.floor((month - 1) / 3)
}
