import {
  FIRST_YEAR,
  LAST_YEAR,
  previousSession,
  type Session,
  session,
  sessionsBetween,
} from '../market/calendar.ts'
import {
  addDays,
  type CivilDate,
  dateOf,
  dayOf,
  dayOfParts,
  fromNewYork,
  type Instant,
  MINUTE,
  newYork,
  partsOfDay,
} from '../time.ts'

/** Which hours a portfolio's history tells of. */
export type Reporting = 'regular' | 'extended' | 'continuous'

/** So many minutes, or one trading day. */
export type HistoryFrame = 1 | 5 | 15 | 60 | 'day'

/** `3M`: three months. */
export type Period = { readonly count: number; readonly unit: 'day' | 'week' | 'month' | 'year' }

/** A span of a history: what it is called by, when it begins and ends, and the trading day it belongs to. */
export type HistoryWindow = {
  readonly label: Instant
  readonly start: Instant
  /** Not part of it. */
  readonly end: Instant
  readonly date: CivilDate
}

/** The label of a day: eight in the evening. */
const DAY_LABEL_MINUTE = 20 * 60

export type WindowsAsked = {
  readonly from: Instant
  readonly to: Instant
  readonly now: Instant
  readonly frame: HistoryFrame
  readonly reporting: Reporting
}

/** The windows that begin within two instants, both included, and have begun by now. */
export function windowsOf(asked: WindowsAsked): readonly HistoryWindow[] {
  const { frame, reporting } = asked
  if (frame === 'day') return dayWindows(asked)
  const step = BigInt(frame) * MINUTE
  if (reporting === 'continuous') return continuousWindows(asked, step)
  const windows: HistoryWindow[] = []
  for (const day of sessionsOf(asked)) {
    const [open, close] = hoursOf(day, reporting)
    for (let start = open; start < close; start = (start + step) as Instant) {
      if (start < floor(asked.from, step) || start > asked.to || start > asked.now) continue
      const end = start + step < close ? ((start + step) as Instant) : close
      windows.push({ label: start, start, end, date: day.date })
    }
  }
  return windows
}

/**
 * The same for an account: windows that end before it was opened are omitted. One that was opened since the last
 * session has a window of its own, so that its first day has a point also on a Sunday.
 */
export function lifetimeWindows(asked: WindowsAsked, opened: Instant): readonly HistoryWindow[] {
  const windows = windowsOf(asked).filter(({ end }) => end > opened)
  if (windows.length > 0 || opened > asked.to) return windows
  const { frame, to } = asked
  const { date } = newYork(to)
  const hadSession = sessionsBetween(newYork(opened).date, date).some(
    ({ open, close }) => open <= to && close > opened,
  )
  if (hadSession) return []
  const label = frame === 'day' ? fromNewYork(date, DAY_LABEL_MINUTE) : floor(to, BigInt(frame) * MINUTE)
  return [{ label, start: opened, end: (to + 1n) as Instant, date }]
}

function dayWindows(asked: WindowsAsked): readonly HistoryWindow[] {
  return sessionsOf(asked)
    .filter(({ open }) => open <= asked.now)
    .map(({ date, close }) => ({
      label: fromNewYork(date, DAY_LABEL_MINUTE),
      start: previousSession(date)?.close ?? close,
      end: close,
      date,
    }))
}

function continuousWindows({ from, to, now }: WindowsAsked, step: bigint): readonly HistoryWindow[] {
  const windows: HistoryWindow[] = []
  const last = to < now ? to : now
  for (let start = floor(from, step); start <= last; start = (start + step) as Instant)
    windows.push({ label: start, start, end: (start + step) as Instant, date: newYork(start).date })
  return windows
}

/** Frames are counted from 1970, which agrees with New York's clock for all up to an hour. */
const floor = (at: Instant, step: bigint): Instant => (at - (((at % step) + step) % step)) as Instant

const sessionsOf = ({ from, to }: WindowsAsked): readonly Session[] =>
  sessionsBetween(newYork(from).date, newYork(to).date)

export const hoursOf = (day: Session, reporting: Reporting): readonly [Instant, Instant] =>
  reporting === 'extended' ? [day.preOpen, day.postClose] : [day.open, day.close]

/** When a period began that ends at an instant. Days are those on which there was trade, unless it goes on always. */
export function periodStart(end: Instant, period: Period, reporting: Reporting): Instant {
  const { count, unit } = period
  if (unit === 'day')
    return reporting === 'continuous'
      ? ((end - BigInt(count) * 1440n * MINUTE) as Instant)
      : sessionsBack(end, count, reporting)
  const { date, minuteOfDay } = newYork(end)
  return fromNewYork(dateBefore(date, period), minuteOfDay)
}

/** And when one ends that begins at an instant. */
export function periodEnd(start: Instant, { count, unit }: Period): Instant {
  const { date, minuteOfDay } = newYork(start)
  return fromNewYork(dateBefore(date, { count: -count, unit }), minuteOfDay)
}

/** So many days a period counts, where frames depend on it. */
export const daysOf = ({ count, unit }: Period): number =>
  count * { day: 1, week: 7, month: 30, year: 365 }[unit]

function sessionsBack(end: Instant, count: number, reporting: Reporting): Instant {
  const { date } = newYork(end)
  const today = session(date)
  let found = today && hoursOf(today, reporting)[0] <= end ? today : previousSession(date)
  for (let left = count - 1; left > 0 && found; left -= 1) found = previousSession(found.date) ?? found
  return found ? hoursOf(found, reporting)[0] : end
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
