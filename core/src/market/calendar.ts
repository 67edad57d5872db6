import {
  type CivilDate,
  civilDateOf,
  dateOf,
  dayOf,
  dayOfParts,
  partsOfDay,
  weekdayOf,
} from '../civil-date.ts'
import { found } from '../result.ts'
import { DAY, fromNewYork, type Instant, instantOfNanos, newYorkDay, SECOND } from '../time.ts'
import { EARLY_CLOSES, SPECIAL_CLOSURES } from './calendar.table.ts'

export type MarketSession = {
  readonly date: CivilDate
  readonly preOpen: Instant
  readonly open: Instant
  readonly close: Instant
  readonly postClose: Instant
  readonly isEarly: boolean
}

/** The years a world may be in. The calendar continues for some years, so that later due dates exist. */
export const FIRST_YEAR = 1970
export const LAST_YEAR = 2050
const RULES_END = 2060
/** The latest time that a world's clock may be set to. */
export const CLOCK_END = instantOfNanos(BigInt(dayOfParts(LAST_YEAR + 1, 1, 1)) * DAY - SECOND)
export const PRE_OPEN_MINUTE = 4 * 60
export const OPEN_MINUTE = 9 * 60 + 30

/** The session of a date; undefined on weekends, on holidays and before 1970. */
export function session(date: CivilDate): MarketSession | undefined {
  const day = dayOf(date)
  const known = sessions.get(day)
  if (known || !isTradingDay(day)) return known
  const made: MarketSession = {
    date,
    preOpen: fromNewYork(date, PRE_OPEN_MINUTE),
    open: fromNewYork(date, OPEN_MINUTE),
    close: fromNewYork(date, closeMinute(day)),
    postClose: fromNewYork(date, postCloseMinute(day)),
    isEarly: isEarlyClose(day),
  }
  sessions.set(day, made)
  return made
}

/** Cache; bounded by the size of the calendar. */
const sessions = new Map<number, MarketSession>()

/** The first session after a date. */
export function nextSession(date: CivilDate): MarketSession {
  const next = sessionAt(tradingDaysBefore(dayOf(date) + 1))
  if (!next) throw new Error(`bug: the calendar ends before ${date}`)
  return next
}
export function previousSession(date: CivilDate): MarketSession | undefined {
  return sessionAt(tradingDaysBefore(dayOf(date)) - 1)
}

/** All sessions between two dates, inclusive. */
export function sessionsBetween(from: CivilDate, to: CivilDate): readonly MarketSession[] {
  const sessions: MarketSession[] = []
  const end = tradingDaysBefore(dayOf(to) + 1)
  for (let index = tradingDaysBefore(dayOf(from)); index < end; index++)
    sessions.push(found(sessionAt(index), 'a session'))
  return sessions
}

/** Whether the regular session is running; the close itself is excluded. */
export function isMarketOpen(at: Instant): boolean {
  const today = session(dateOf(newYorkDay(at)))
  return today !== undefined && at >= today.open && at < today.close
}

/**
 * Whether a stock trade counts in its day bar: from the pre-market to the after-market of a trading day.
 * Overnight trades and trades on closed dates appear only in minute and hour bars.
 */
export function countsInDay(at: Instant): boolean {
  const today = session(dateOf(newYorkDay(at)))
  return today !== undefined && at >= today.preOpen && at < today.postClose
}

/** The first regular open after an instant. */
export function nextOpenAfter(at: Instant): Instant {
  return nextMoment(at, (today) => today.open)
}
export function nextCloseAfter(at: Instant): Instant {
  return nextMoment(at, (today) => today.close)
}

/** The functions below count days since 1970-01-01, like the market. */
export function isTradingDay(day: number): boolean {
  return (years().closes[day] ?? CLOSED) !== CLOSED
}

export const isEarlyClose = (day: number): boolean => isTradingDay(day) && closeMinute(day) !== CLOSE_MINUTE

/** Minutes since midnight; on days without a session, the usual close. */
export const closeMinute = (day: number): number => years().closes[day] || CLOSE_MINUTE
export const postCloseMinute = (day: number): number => closeMinute(day) + 4 * 60

export function tradingDaysBefore(day: number): number {
  const { before } = years()
  return before[Math.max(0, Math.min(day, before.length - 1))]!
}

export function tradingDayAt(index: number): number | undefined {
  return years().days[index]
}

const CLOSED = 0
const CLOSE_MINUTE = 16 * 60
const EARLY_MINUTE = 13 * 60

type Years = {
  /** Closing minute of each day; 0 if there is no session. */
  readonly closes: Uint16Array
  readonly before: Uint16Array
  readonly days: Uint16Array
}
let made: Years | undefined

/** All 33,000 days of the calendar, calculated once in a few milliseconds. */
function years(): Years {
  if (made) return made
  const end = dayOfParts(RULES_END + 1, 1, 1)
  const closes = new Uint16Array(end).fill(CLOSE_MINUTE)
  // Day 2 is a Saturday. Each process and thread makes this table, with code that is not compiled yet.
  for (let saturday = 2; saturday < end; saturday += 7) closes.fill(CLOSED, saturday, saturday + 2)
  for (let year = FIRST_YEAR; year <= RULES_END; year++) {
    for (const day of earlyCloses(year)) if (closes[day] !== CLOSED) closes[day] = EARLY_MINUTE
    for (const day of holidays(year)) closes[day] = CLOSED
  }
  for (const [date, minute] of EARLY_CLOSES) closes[dayOf(civilDateOf(date))] = minute
  for (const date of SPECIAL_CLOSURES) closes[dayOf(civilDateOf(date))] = CLOSED
  const before = new Uint16Array(end + 1)
  const days = new Uint16Array(end)
  let count = 0
  for (let day = 0; day < end; day++) {
    if (closes[day] !== CLOSED) days[count++] = day
    before[day + 1] = count
  }
  made = { closes, before, days: days.subarray(0, count) }
  return made
}

function sessionAt(index: number): MarketSession | undefined {
  const day = tradingDayAt(index)
  return day === undefined ? undefined : (sessions.get(day) ?? session(dateOf(day)))
}

function nextMoment(at: Instant, moment: (today: MarketSession) => Instant): Instant {
  const date = dateOf(newYorkDay(at))
  const today = session(date)
  return today && moment(today) > at ? moment(today) : moment(nextSession(date))
}

function holidays(year: number): number[] {
  const newYear = dayOfParts(year, 1, 1)
  const closed = [
    // New Year's Day on a Saturday is not observed; Friday is the old year's last trading day.
    weekdayOf(newYear) === 0 ? newYear + 1 : newYear,
    year >= 1971 ? nth(year, 2, 1, 3) : observed(dayOfParts(year, 2, 22)),
    easter(year) - 2,
    observed(dayOfParts(year, 7, 4)),
    nth(year, 9, 1, 1),
    nth(year, 11, 4, 4),
    observed(dayOfParts(year, 12, 25)),
  ]
  if (year >= 1998) closed.push(nth(year, 1, 1, 3))
  if (year >= 1971) closed.push(lastMondayOfMay(year))
  if (year >= 2022) closed.push(observed(dayOfParts(year, 6, 19)))
  // Until 1980 the exchange closed on presidential election day.
  if (year <= 1980 && year % 4 === 0) closed.push(nth(year, 11, 1, 1) + 1)
  return closed
}

/** Days that close at 13:00; holidays take precedence. */
function earlyCloses(year: number): number[] {
  const early: number[] = []
  if (year >= 1992) early.push(nth(year, 11, 4, 4) + 1)
  if (year >= 1993) early.push(dayOfParts(year, 12, 24))
  if (year >= 1995) {
    const third = dayOfParts(year, 7, 3)
    // Before 2013, a holiday on Thursday shortened the Friday after it instead of the Wednesday before.
    early.push(weekdayOf(third) === 3 && year < 2013 ? third + 2 : third)
  }
  return early
}

/** A Saturday holiday is observed on Friday, a Sunday holiday on Monday. */
function observed(day: number): number {
  const weekday = weekdayOf(day)
  return weekday === 6 ? day - 1 : weekday === 0 ? day + 1 : day
}

function nth(year: number, month: number, weekday: number, count: number): number {
  const first = dayOfParts(year, month, 1)
  return first + ((weekday - weekdayOf(first) + 7) % 7) + (count - 1) * 7
}

function lastMondayOfMay(year: number): number {
  const last = dayOfParts(year, 5, 31)
  return last - ((weekdayOf(last) + 6) % 7)
}

/** Easter Sunday of the Gregorian calendar, from the paschal full moon. */
function easter(year: number): number {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const skipped = century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25)
  const epact = (skipped + 19 * golden + 15) % 30
  const moon = epact - (epact === 29 || (epact === 28 && golden > 10) ? 1 : 0)
  const fullMoon = dayOfParts(year, 3, 21) + moon
  return fullMoon + 7 - weekdayOf(fullMoon)
}

/** The Monday of a day's week. */
export const mondayOf = (day: number): number => day - ((weekdayOf(day) + 6) % 7)
export function monthsOf(day: number, count: number): number {
  const { year, month } = partsOfDay(day)
  return dayOfParts(year, month - ((month - 1) % count), 1)
}
