import type { Brand } from './ids.ts'
import { fail, ok, type Result } from './result.ts'

/** A calendar date, `YYYY-MM-DD`, without a time zone. */
export type CivilDate = Brand<string, 'CivilDate'>
/** The date in a text of that form; `parseDate` checks it. */
export const civilDateOf = (text: string): CivilDate => text as CivilDate

/** Days since 1970-01-01 of a Gregorian date; the calculation starts years in March. */
export function dayOf(date: CivilDate): number {
  if (date === lastDated.date) return lastDated.day
  return dayOfParts(Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8, 10)))
}

export function dayOfParts(year: number, month: number, dayOfMonth: number): number {
  const marchYear = month <= 2 ? year - 1 : year
  const era = Math.floor(marchYear / 400)
  const yearOfEra = marchYear - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + dayOfMonth - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** Year, month (1–12) and day of the month of a day since 1970-01-01. */
export function partsOfDay(day: number): { year: number; month: number; dayOfMonth: number } {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    dayOfMonth: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  }
}

/** Cached, because most calls are for the same day. */
let lastDated = { day: 0, date: civilDateOf('1970-01-01') }

export function dateOf(day: number): CivilDate {
  if (day === lastDated.day) return lastDated.date
  const { year, month, dayOfMonth } = partsOfDay(day)
  const date = civilDateOf(`${digits(year, 4)}-${digits(month, 2)}-${digits(dayOfMonth, 2)}`)
  lastDated = { day, date }
  return date
}

export const addDays = (date: CivilDate, days: number): CivilDate => dateOf(dayOf(date) + days)

/** 0 is Sunday. */
export const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7

/** `YYYY-MM-DD`, if that day exists. */
export function parseDate(text: string): Result<CivilDate, 'notADate'> {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return fail('notADate')
  const date = civilDateOf(text)
  return dateOf(dayOf(date)) === text ? ok(date) : fail('notADate')
}

/** A number with leading zeros. */
export const digits = (value: number, width: number): string => value.toString().padStart(width, '0')
