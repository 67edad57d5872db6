import { dateOf, dayOfParts } from '@quipu/core/values'
import type { Rows } from '../market/store/index.ts'
import type { ImportZone } from './zone.ts'

/** Marks a row that has only a date, in its nanoseconds; the time zone of midnight depends on the symbol. */
export const DATE_ONLY = 65_535

/** Why a time cannot be read; `noZone` stops every import. */
export type TimeFault = 'notATime' | 'noZone'

const ISO =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ]+(\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9})\d*)?)?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/i

/** Writes the time of a text into a row. */
export function putImportTime(
  rows: Rows,
  row: number,
  text: string,
  zone: ImportZone | undefined,
): TimeFault | undefined {
  const trimmed = text.trim()
  if (/^-?\d+(\.\d+)?$/.test(trimmed) && !isCompactDate(trimmed)) return putEpoch(rows, row, trimmed)
  const match = ISO.exec(trimmed)
  if (!match) return 'notATime'
  const [, year, month, day, hour, minute, second = '0', fraction = '', offset] = match
  const date = importDay(Number(year), Number(month), Number(day))
  if (date === undefined) return 'notATime'
  if (hour === undefined) return putDate(rows, row, date)
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return 'notATime'
  const local = date * 86_400 + Number(hour) * 3600 + Number(minute) * 60 + Number(second)
  const seconds = offset === undefined ? zone?.toUtc(local) : local - offsetSeconds(offset)
  if (seconds === undefined) return 'noZone'
  return putParts(rows, row, seconds, Number(fraction.padEnd(9, '0')))
}

/** Writes a date and a time of day from two columns: `093000`, `9:30`, `09:30:00`. */
export function putDateAndClock(
  rows: Rows,
  row: number,
  { date, clock, isDay }: { readonly date: string; readonly clock: string; readonly isDay: boolean },
  zone: ImportZone | undefined,
): TimeFault | undefined {
  const digits = clock.trim()
  if (isDay || digits === '') return putImportTime(rows, row, date, zone)
  const match = /^(\d{1,2}):?(\d\d):?(\d\d)?(\.\d+)?$/.exec(digits)
  if (!match) return 'notATime'
  const two = (part = '0'): string => part.padStart(2, '0')
  return putImportTime(
    rows,
    row,
    `${date.trim()} ${two(match[1])}:${match[2]}:${two(match[3])}${match[4] ?? ''}`,
    zone,
  )
}

/** Days since 1970; undefined for an invalid date. */
export function importDay(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined
  const number = dayOfParts(year, month, day)
  return day <= 28 || Number(dateOf(number).slice(8)) === day ? number : undefined
}

/** `20240102` is a date, not an epoch in 1970. */
const isCompactDate = (text: string): boolean => /^(19|20)\d\d(0[1-9]|1[0-2])[0-3]\d$/.test(text)

function putDate(rows: Rows, row: number, day: number): undefined {
  rows.micros[row] = day * 86_400e6
  rows.nanos[row] = DATE_ONLY
}

function putParts(rows: Rows, row: number, seconds: number, nanos: number): undefined {
  const below = nanos % 1000
  rows.micros[row] = seconds * 1e6 + (nanos - below) / 1000
  rows.nanos[row] = below
}

const offsetSeconds = (text: string): number => {
  if (!/^[+-]/.test(text)) return 0
  const digits = text.slice(1).replace(':', '')
  return (
    (text[0] === '-' ? -1 : 1) * (Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2, 4) || 0) * 60)
  )
}

/** The decimals of an epoch by its digits: seconds up to 11 digits, then milli-, micro- and nanoseconds. */
export const epochDecimals = (digits: number): number =>
  digits <= 11 ? 0 : digits <= 14 ? 3 : digits <= 17 ? 6 : 9

/** Seconds, milli-, micro- or nanoseconds since 1970, depending on the size of the number. */
function putEpoch(rows: Rows, row: number, text: string): TimeFault | undefined {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  if (whole.length > 20) return 'notATime'
  const decimals = epochDecimals(whole.length)
  const nanos = BigInt((whole + fraction.padEnd(9, '0').slice(0, 9 - decimals)).padEnd(1, '0'))
  const signed = text.startsWith('-') ? -nanos : nanos
  const below = ((signed % 1000n) + 1000n) % 1000n
  rows.micros[row] = Number((signed - below) / 1000n)
  rows.nanos[row] = Number(below)
  return undefined
}
