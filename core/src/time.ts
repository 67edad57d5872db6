import { decimals } from './amount.ts'
import {
  type CivilDate,
  dateOf,
  dayOf,
  dayOfParts,
  digits,
  parseDate,
  partsOfDay,
  weekdayOf,
} from './civil-date.ts'
import type { Brand } from './ids.ts'
import { fail, ok, type Result } from './result.ts'

/** Nanoseconds since 1970, UTC. */
export type Instant = Brand<bigint, 'Instant'>
/** An instant in New York's local time. */
export type NewYorkTime = {
  readonly date: CivilDate
  /** Days since 1970-01-01 of `date`. */
  readonly day: number
  /** 0 is Sunday. */
  readonly weekday: number
  /** By the local clock: 570 is 9:30 on every day. */
  readonly minuteOfDay: number
  /** Nanoseconds within the minute. */
  readonly nanosOfMinute: number
  readonly offsetMinutes: number
}

export const SECOND = 1_000_000_000n
export const MINUTE = 60n * SECOND
export const HOUR = 60n * MINUTE
export const DAY = 24n * HOUR

const DAY_SECONDS = 86_400

/** The instant this many nanoseconds after 1970 began. */
export const instantOfNanos = (nanos: bigint): Instant => nanos as Instant
export const instantOfMs = (ms: number): Instant => instantOfNanos(BigInt(ms) * 1_000_000n)
export const instantOfSeconds = (seconds: number): Instant => instantOfNanos(BigInt(seconds) * SECOND)
/** The first instant of 1970. */
export const EPOCH = instantOfNanos(0n)

/** An instant some nanoseconds after another. */
export const later = (at: Instant, nanos: bigint): Instant => instantOfNanos(at + nanos)
/** An instant some nanoseconds before another. */
export const earlier = (at: Instant, nanos: bigint): Instant => instantOfNanos(at - nanos)

/** Offset from UTC in minutes: -300 in winter, -240 in summer. */
export function newYorkOffsetMinutes(at: Instant): number {
  return offsetMinutesAt(epochSeconds(at))
}

export function newYork(at: Instant): NewYorkTime {
  const seconds = epochSeconds(at)
  const offsetMinutes = offsetMinutesAt(seconds)
  const local = seconds + offsetMinutes * 60
  const day = Math.floor(local / DAY_SECONDS)
  const secondOfDay = local - day * DAY_SECONDS
  const minuteOfDay = Math.floor(secondOfDay / 60)
  const nanos = Number(at - BigInt(seconds) * SECOND)
  return {
    date: dateOf(day),
    day,
    weekday: weekdayOf(day),
    minuteOfDay,
    nanosOfMinute: (secondOfDay - minuteOfDay * 60) * 1_000_000_000 + nanos,
    offsetMinutes,
  }
}

/** New York's date at an instant, in days since 1970-01-01. */
export const newYorkDay = (at: Instant): number => newYorkDayOfSeconds(epochSeconds(at))

/** New York's date at an instant. Cached, because each order calls it several times. */
export function newYorkDate(at: Instant): CivilDate {
  if (at >= lastDay.from && at < lastDay.to) return lastDay.date
  const day = newYorkDay(at)
  const [from, to] = [newYorkSeconds(day, 0), newYorkSeconds(day + 1, 0)]
  lastDay = { from: instantOfSeconds(from), to: instantOfSeconds(to), date: dateOf(day) }
  return lastDay.date
}

let lastDay = { from: EPOCH, to: EPOCH, date: dateOf(0) }

export function newYorkDayOfSeconds(seconds: number): number {
  return Math.floor((seconds + offsetMinutesAt(Math.floor(seconds)) * 60) / DAY_SECONDS)
}

/**
 * The instant of a minute of a date in New York. A minute that occurs twice means the first; a minute skipped
 * in spring means the same distance after the change.
 */
export function fromNewYork(date: CivilDate, minuteOfDay: number): Instant {
  return instantOfSeconds(newYorkSeconds(dayOf(date), minuteOfDay))
}

/** `fromNewYork` in plain numbers: a day since 1970-01-01 gives seconds since 1970. */
export function newYorkSeconds(day: number, minuteOfDay: number): number {
  const local = day * DAY_SECONDS + minuteOfDay * 60
  // A few hours earlier, the offset is still the one before a change on that day.
  const before = offsetMinutesAt(local - 8 * 3600)
  const seconds = local - before * 60
  const offset = offsetMinutesAt(seconds)
  if (offset === before) return seconds
  const shifted = local - offset * 60
  return offsetMinutesAt(shifted) === offset ? shifted : seconds
}

/** RFC 3339 in UTC with as many decimals as needed: `2026-11-02T14:30:00.25Z`. */
export function formatInstant(at: Instant): string {
  for (let index = 0; index < formatted.length; index++) {
    const cached = formatted[index]!
    if (cached.at === at) return cached.text
  }
  if (at < lastSecond.from || at >= lastSecond.to) lastSecond = secondOf(at)
  const text = `${lastSecond.text}${decimals(Number(at - lastSecond.from))}Z`
  formatted[oldest] = { at, text }
  oldest = (oldest + 1) % FORMATTED_KEPT
  return text
}

function secondOf(at: Instant): { readonly from: Instant; readonly to: Instant; readonly text: string } {
  const seconds = epochSeconds(at)
  return { from: instantOfSeconds(seconds), to: instantOfSeconds(seconds + 1), text: wallClock(seconds) }
}

/** Cached, because an order has one or two times in several fields, and orders of one instant share times. */
const FORMATTED_KEPT = 2
const formatted: { readonly at: Instant; readonly text: string }[] = []
let oldest = 0
let lastSecond = { from: EPOCH, to: EPOCH, text: '' }

/** RFC 3339 with New York's offset: `2026-11-02T09:30:00-05:00`. */
export function formatNewYork(at: Instant): string {
  const seconds = epochSeconds(at)
  const offset = offsetMinutesAt(seconds)
  return `${wallClock(seconds + offset * 60)}${fraction(at)}-${digits(-offset / 60, 2)}:00`
}

const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/** Parses RFC 3339 with any offset and up to nine decimals. For a date alone use `parseDate`. */
export function parseInstant(text: string): Result<Instant, 'notAnInstant'> {
  const match = RFC_3339.exec(text)
  if (!match) return fail('notAnInstant')
  const date = parseDate(match[1] ?? '')
  const [hour, minute, second] = [Number(match[2]), Number(match[3]), Number(match[4])]
  const [offsetHour, offsetMinute] = [Number(match[7] ?? 0), Number(match[8] ?? 0)]
  if (!date.ok || hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59)
    return fail('notAnInstant')
  const offset = (match[6] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute) * 60
  const seconds = dayOf(date.value) * DAY_SECONDS + hour * 3600 + minute * 60 + second - offset
  return ok(later(instantOfSeconds(seconds), BigInt((match[5] ?? '').padEnd(9, '0'))))
}

/** Whole seconds since 1970, rounded down. */
export function epochSeconds(at: Instant): number {
  const seconds = at / SECOND
  return Number(at < 0n && seconds * SECOND !== at ? seconds - 1n : seconds)
}

function wallClock(localSeconds: number): string {
  const day = Math.floor(localSeconds / DAY_SECONDS)
  const rest = localSeconds - day * DAY_SECONDS
  const hour = Math.floor(rest / 3600)
  const minute = Math.floor((rest - hour * 3600) / 60)
  // `join` creates one flat string, which is cheaper to copy into many texts.
  return [dateOf(day), 'T', digits(hour, 2), ':', digits(minute, 2), ':', digits(rest % 60, 2)].join('')
}

const fraction = (at: Instant): string => decimals(Number(((at % SECOND) + SECOND) % SECOND))

type Summer = { readonly from: number; readonly to: number }
const summers = new Map<number, Summer>()

/** Epoch seconds at which daylight saving time starts and ends in a year. */
function summerOf(year: number): Summer {
  const cached = summers.get(year)
  if (cached) return cached
  // Clocks go forward at 02:00 standard time (07:00 UTC) and back at 02:00 daylight time (06:00 UTC).
  const summer = {
    from: firstSummerDay(year) * DAY_SECONDS + 7 * 3600,
    to: lastSummerDay(year) * DAY_SECONDS + 6 * 3600,
  }
  summers.set(year, summer)
  return summer
}

/** By the law of each year: the 1966 act, the oil crisis, the 1986 and 2005 amendments. */
function firstSummerDay(year: number): number {
  if (year >= 2007) return sundayFrom(year, 3, 8)
  if (year >= 1987) return sundayFrom(year, 4, 1)
  if (year === 1974) return dayOfParts(1974, 1, 6)
  if (year === 1975) return dayOfParts(1975, 2, 23)
  return sundayFrom(year, 4, 24)
}

const lastSummerDay = (year: number): number =>
  year >= 2007 ? sundayFrom(year, 11, 1) : sundayFrom(year, 10, 25)

/**
 * The first Sunday on or after a date. The last Sunday of April is the first from the 24th, of October from
 * the 25th.
 */
function sundayFrom(year: number, month: number, dayOfMonth: number): number {
  const day = dayOfParts(year, month, dayOfMonth)
  return day + ((7 - weekdayOf(day)) % 7)
}

let latest: { readonly from: number; readonly to: number; readonly offset: number } | undefined

function offsetMinutesAt(seconds: number): number {
  if (latest && seconds >= latest.from && seconds < latest.to) return latest.offset
  const { year } = partsOfDay(Math.floor(seconds / DAY_SECONDS))
  const { from, to } = summerOf(year)
  latest =
    seconds < from
      ? { from: dayOfParts(year, 1, 1) * DAY_SECONDS, to: from, offset: -300 }
      : seconds < to
        ? { from, to, offset: -240 }
        : { from: to, to: dayOfParts(year + 1, 1, 1) * DAY_SECONDS, offset: -300 }
  return latest.offset
}

/** The first instant of a minute. */
export const minuteOf = (at: Instant): Instant => earlier(at, at % MINUTE)
