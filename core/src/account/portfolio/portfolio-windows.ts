import { addDays, type CivilDate, dateOf, dayOf, dayOfParts, partsOfDay } from '../../civil-date.ts'
import {
  FIRST_YEAR,
  LAST_YEAR,
  type MarketSession,
  previousSession,
  session,
  sessionsBetween,
} from '../../market/calendar.ts'
import { earlier, fromNewYork, type Instant, later, MINUTE, newYork } from '../../time.ts'

/** Hours that a portfolio history covers. */
export type Reporting = 'regular' | 'extended' | 'continuous'

/** A number of minutes, or one trading day. */
export type HistoryFrame = 1 | 5 | 15 | 60 | 'day'

/** `3M`: three months. */
export type Period = { readonly count: number; readonly unit: 'day' | 'week' | 'month' | 'year' }

/** One point of a history: its label, start and end, and the trading day it belongs to. */
export type HistoryWindow = {
  readonly label: Instant
  readonly start: Instant
  /** Exclusive. */
  readonly end: Instant
  readonly date: CivilDate
}

/** Days are labeled 8 p.m. New York time. */
const DAY_LABEL_MINUTE = 20 * 60

export type WindowsQuery = {
  readonly from: Instant
  readonly to: Instant
  readonly now: Instant
  readonly frame: HistoryFrame
  readonly reporting: Reporting
}

/** The windows that start between two instants (inclusive) and not after now. */
export function windowsOf(query: WindowsQuery): readonly HistoryWindow[] {
  const { frame, reporting } = query
  if (frame === 'day') return dayWindows(query)
  const step = BigInt(frame) * MINUTE
  if (reporting === 'continuous') return continuousWindows(query, step)
  const windows: HistoryWindow[] = []
  for (const day of sessionsOf(query)) {
    const [open, close] = hoursOf(day, reporting)
    for (let start = open; start < close; start = later(start, step)) {
      if (start < floor(query.from, step) || start > query.to || start > query.now) continue
      const end = start + step < close ? later(start, step) : close
      windows.push({ label: start, start, end, date: day.date })
    }
  }
  return windows
}

/**
 * Like `windowsOf`, without windows that end before the account was opened. An account opened since the last
 * session gets one extra window, so that its first day has a point even on a Sunday.
 */
export function accountWindows(query: WindowsQuery, opened: Instant): readonly HistoryWindow[] {
  const windows = windowsOf(query).filter(({ end }) => end > opened)
  if (windows.length > 0 || opened > query.to) return windows
  const { frame, to } = query
  const { date } = newYork(to)
  const hadSession = sessionsBetween(newYork(opened).date, date).some(
    ({ open, close }) => open <= to && close > opened,
  )
  if (hadSession) return []
  const label = frame === 'day' ? fromNewYork(date, DAY_LABEL_MINUTE) : floor(to, BigInt(frame) * MINUTE)
  return [{ label, start: opened, end: later(to, 1n), date }]
}

function dayWindows(query: WindowsQuery): readonly HistoryWindow[] {
  return sessionsOf(query)
    .filter(({ open }) => open <= query.now)
    .map(({ date, close }) => ({
      label: fromNewYork(date, DAY_LABEL_MINUTE),
      start: previousSession(date)?.close ?? close,
      end: close,
      date,
    }))
}

function continuousWindows({ from, to, now }: WindowsQuery, step: bigint): readonly HistoryWindow[] {
  const windows: HistoryWindow[] = []
  const last = to < now ? to : now
  for (let start = floor(from, step); start <= last; start = later(start, step))
    windows.push({ label: start, start, end: later(start, step), date: newYork(start).date })
  return windows
}

/** Frames are counted from 1970; up to one hour this agrees with New York's clock. */
const floor = (at: Instant, step: bigint): Instant => earlier(at, ((at % step) + step) % step)

const sessionsOf = ({ from, to }: WindowsQuery): readonly MarketSession[] =>
  sessionsBetween(newYork(from).date, newYork(to).date)

export const hoursOf = (day: MarketSession, reporting: Reporting): readonly [Instant, Instant] =>
  reporting === 'extended' ? [day.preOpen, day.postClose] : [day.open, day.close]

/** Start of a period that ends at an instant. Days are trading days, except for continuous reporting. */
export function periodStart(end: Instant, period: Period, reporting: Reporting): Instant {
  const { count, unit } = period
  if (unit === 'day')
    return reporting === 'continuous'
      ? earlier(end, BigInt(count) * 1440n * MINUTE)
      : sessionsBack(end, count, reporting)
  const { date, minuteOfDay } = newYork(end)
  return fromNewYork(dateBefore(date, period), minuteOfDay)
}

/** End of a period that starts at an instant. */
export function periodEnd(start: Instant, { count, unit }: Period): Instant {
  const { date, minuteOfDay } = newYork(start)
  return fromNewYork(dateBefore(date, { count: -count, unit }), minuteOfDay)
}

/** Approximate number of days; the default frame depends on it. */
export const daysOf = ({ count, unit }: Period): number =>
  count * { day: 1, week: 7, month: 30, year: 365 }[unit]

function sessionsBack(end: Instant, count: number, reporting: Reporting): Instant {
  const { date } = newYork(end)
  const today = session(date)
  let first = today && hoursOf(today, reporting)[0] <= end ? today : previousSession(date)
  for (let left = count - 1; left > 0 && first; left -= 1) first = previousSession(first.date) ?? first
  return first ? hoursOf(first, reporting)[0] : end
}

function dateBefore(date: CivilDate, { count, unit }: Period): CivilDate {
  if (unit === 'day' || unit === 'week') return addDays(date, -count * (unit === 'week' ? 7 : 1))
  const { year, month, dayOfMonth } = partsOfDay(dayOf(date))
  const wanted = year * 12 + month - 1 - count * (unit === 'year' ? 12 : 1)
  const months = Math.min(Math.max(wanted, FIRST_YEAR * 12), LAST_YEAR * 12)
  const first = dayOfParts(Math.floor(months / 12), (months % 12) + 1, 1)
  const next = dayOfParts(Math.floor((months + 1) / 12), ((months + 1) % 12) + 1, 1)
  return dateOf(Math.min(first + dayOfMonth, next) - 1)
}
