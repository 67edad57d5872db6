import { type CivilDate, dateOf, dayOf, dayOfParts, partsOfDay, weekdayOf } from '../civil-date.ts'
import { tradingDayAt, tradingDaysBefore } from './calendar.ts'

/** The settlement date of a trade: the next day on which exchanges and banks are open. */
export function settlementDate(date: CivilDate): CivilDate {
  if (settled?.date !== date) settled = { date, on: dateOf(settlementDay(dayOf(date))) }
  return settled.on
}

/** Cached, because every fill needs it. */
let settled: { readonly date: CivilDate; readonly on: CivilDate } | undefined

/** The same in days since 1970-01-01. */
export function settlementDay(day: number): number {
  for (let index = tradingDaysBefore(day + 1); ; index++) {
    const next = tradingDayAt(index)
    if (next === undefined) throw new Error(`bug: the calendar ends before the settlement of ${dateOf(day)}`)
    if (!isBankHoliday(next)) return next
  }
}

/**
 * The bank holidays on which exchanges trade: Columbus Day and Veterans Day. A Sunday holiday is observed on
 * Monday, a Saturday holiday is not observed. From 1971 to 1977 Veterans Day was a Monday in October.
 */
function isBankHoliday(day: number): boolean {
  const { year, month, dayOfMonth } = partsOfDay(day)
  const isMonday = weekdayOf(day) === MONDAY
  if (month === 10 && isMonday && year >= 1971) {
    const number = Math.ceil(dayOfMonth / 7)
    return number === 2 || (number === 4 && year <= 1977)
  }
  if (month !== 11 || (year >= 1971 && year <= 1977)) return false
  const eleventh = dayOfParts(year, 11, 11)
  return day === eleventh || (isMonday && day === eleventh + 1)
}

const MONDAY = 1
